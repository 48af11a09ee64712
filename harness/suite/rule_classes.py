"""The classes of rules. Imports nothing, so that command lines can use it at once."""

from typing import Literal, get_args

RuleClass = Literal["safety", "design", "wording", "quirk"]
CLASSES: tuple[RuleClass, ...] = get_args(RuleClass)
"""`safety`: breaking the rule does harm in any design. `design`: a different design may decide differently. `wording`:
the look of answers. `quirk`: habits of the product that other implementations do not need.
"""
