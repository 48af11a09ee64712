"""The metadata of a scenario (title, requirement, rule, tags), which can be read without the rest of it."""

from dataclasses import dataclass
from typing import Literal

from readfirst.harness.yaml_io.strict_yaml import Document
from readfirst.harness.yaml_io.yaml_validation import Inspection

Requirement = Literal["must", "should", "observed"]
REQUIREMENTS: tuple[Requirement, ...] = ("must", "should", "observed")


@dataclass(frozen=True, slots=True)
class Heading:
    """The metadata of a scenario. Used to list and select scenarios."""

    id: str
    title: str
    requirement: Requirement
    tags: tuple[str, ...]
    rule: str = ""

    @property
    def family(self) -> str:
        """The family of the scenario: the first part of its id, for example `staleness`."""
        return self.id.partition("/")[0]


def heading_of(document: Document, scenario_id: str) -> Heading:
    """Return the metadata of a parsed scenario file, without reading `given` and `steps`. Raises SuiteError."""
    with Inspection(document).reading() as top:
        fields = top.called("a scenario").mapping(required=("title", "requirement"))
        requirement = fields["requirement"].one_of(REQUIREMENTS)
        return Heading(
            scenario_id, fields.text("title"), requirement, fields.texts("tags"), fields.text("rule")
        )


def is_generated(scenario_id: str) -> bool:
    """Whether a program generated the scenario. Such scenarios are bad examples: long files and meaningless names."""
    return scenario_id.startswith("crossed/")
