"""Heading: what a list shows of a scenario, read without reading the rest of its file."""

import re
from dataclasses import dataclass
from typing import Literal, cast

from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import Document

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


# A plain scalar of YAML on one line, in printable ASCII: it is read as it is.
_PLAIN = rb"(?:[A-Za-z/$]|[0-9,]+ [a-z])(?:[ !\"$-9;-~]|:(?! |\n)|(?<! )#)*(?<! )"
_QUOTED = rb"[ !#-\[\]-~]+"
"""What is read as it is between double quotes."""
_WORD = rb"[a-z0-9]+(?:-[a-z0-9]+)*"
_HEADING = re.compile(
    rb"(?:#[^\n]*\n)*"
    rb"title: (?:\"(" + _QUOTED + rb")\"|(?!(?:null|true|false)\n)(" + _PLAIN + rb"))\n"
    rb"(?:about: (?:" + _PLAIN + rb"|>-(?:\n  [ -~]+)+)\n)?"
    rb"requirement: (must|should|observed)\n"
    rb"(?:rule: (?!(?:null|true|false)\n)([a-z]" + _WORD + rb")\n)?"
    rb"(?:law: true\n)?"
    rb"(?:tags: \[(" + _WORD + rb"(?:, " + _WORD + rb")*)?\]\n)?"
    rb"(?:platform: " + _WORD + rb"\n)?(?:law: true\n)?"
    rb"(?=(?:sources|contract|given|steps):)"
)


def plain_heading(scenario_id: str, data: bytes) -> Heading | None:
    """Return the heading of a file that begins as files are written; None where only a YAML parser can tell."""
    match = _HEADING.match(data)
    if match is None:
        return None
    quoted, plain, requirement, rule, tags = (b"" if part is None else part for part in match.groups())
    words = tuple(tags.decode("ascii").split(", ")) if tags else ()
    bound = cast(Requirement, requirement.decode("ascii"))
    return Heading(scenario_id, (quoted or plain).decode("ascii"), bound, words, rule.decode("ascii"))


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
