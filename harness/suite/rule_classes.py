"""The classes of rules, and their former names. Imports nothing, so that command lines can use it at once."""

from typing import Literal, get_args

RuleClass = Literal["safety", "design", "wording", "quirk"]
CLASSES: tuple[RuleClass, ...] = get_args(RuleClass)
"""The classes of rules. `safety`: breaking the rule does harm in any design. `design`: other designs may behave
differently. `wording`: the look of answers. `quirk`: habits of the product that other implementations do not need.
"""
FORMER_CLASSES: dict[str, RuleClass] = {"contract": "design", "fidelity": "wording", "product": "quirk"}
"""The current name of each renamed class. The keys are the former names, which are accepted for one release."""


def former_class_message(former: str) -> str:
    """Return the message for a user who writes the former name of a class. It states the new name."""
    return f"the class `{former}` is now `{FORMER_CLASSES[former]}`; the next release removes the old name."
