"""Heading: title, requirement, rule and tags of a scenario, as a list shows them."""

from dataclasses import dataclass
from typing import Literal, cast

from readfirst.harness.yaml_io.strict_yaml import Document
from readfirst.harness.yaml_io.yaml_validation import Inspection

Requirement = Literal["must", "should", "observed"]
REQUIREMENTS: tuple[Requirement, ...] = ("must", "should", "observed")


@dataclass(frozen=True, slots=True)
class Heading:
    """What a list shows of a scenario; reading it leaves `given` and `steps` unchecked."""

    id: str
    title: str
    requirement: Requirement
    tags: tuple[str, ...]
    rule: str = ""

    @property
    def family(self) -> str:
        """The folder of the scenario, for example `staleness`."""
        return self.id.partition("/")[0]


def heading_of(document: Document, scenario_id: str) -> Heading:
    """Return the heading of a scenario that was read. Raises SuiteError."""
    look = Inspection(document)
    top = look.top.called("a scenario").fields(required=("title", "requirement"))
    heading = Heading(
        scenario_id,
        top.text("title"),
        cast(Requirement, top.choice("requirement", REQUIREMENTS)),
        top.strings("tags"),
        top.text("rule"),
    )
    look.finish()
    return heading
