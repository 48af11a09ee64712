"""The commands of the suite and of extensions, by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

from readfirst.harness.extension import extensions


@dataclass(frozen=True)
class Commands:
    """Commands that one package provides. Its modules are in the directory `folder`.

    `functions` contains `module:function` of each command, in the order of the help. `groups` contains the help text
    of each group of commands. `panel` is the title above the commands in the help, empty for the commands of the suite.
    `renamed` maps the first words of former commands to the words of this release, the longest first.
    """

    package: str
    folder: Path
    functions: Mapping[str, str]
    groups: Mapping[str, str] = field(default_factory=dict)
    panel: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)

    def function(self, command: str) -> Callable[..., int | None]:
        """Import and return the function of a command."""
        module, _, name = self.functions[command].partition(":")
        function: Callable[..., int | None] = getattr(import_module(f"{self.package}.{module}"), name)
        return function


SUITE = Commands(
    "readfirst.harness.cli",
    Path(__file__).parent,
    {
        "run": "run:run",
        "watch": "run:watch",
        "diff": "diff:diff",
        "report": "run:report",
        "check-adapter": "check:check_adapter",
        "list": "scenarios:list_",
        "show": "scenarios:show",
        "rules": "scenarios:rules",
        "contracts": "scenarios:contracts",
        "new": "scenarios:new",
        "lint": "scenarios:lint",
        "export": "scenarios:export",
        "serve": "serve:serve",
        "docs": "docs:docs",
        "product record": "record:record",
        "product merge": "record:merge",
        "product snapshot": "snapshot:snapshot",
        "product cache": "cache:cache",
    },
    {"product": "The real product: record it, and find the changes of a release and their first version."},
)
"""The commands of the suite."""
FORMER_OPTIONS: Mapping[str, Mapping[str, str]] = {
    command: {"--claims": "--require"} for command in ("run", "watch", "check-adapter")
}
"""The current name of each renamed option by its former name, for each command with renamed options."""


@cache
def providers() -> tuple[Commands, ...]:
    """Return the commands of the suite, then those of each extension."""
    return SUITE, *extensions("commands").values()


def renamed_command(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the former name of a renamed command at the start of `words`, and its current name. None if `words` do
    not start with a former name.
    """
    if {" ".join(words[:2]), *words[:1]} & SUITE.functions.keys():
        return None
    former_names = ((old, new) for provider in providers() for old, new in provider.renamed.items())
    return next(
        ((old, new) for old, new in former_names if [*words[: len(old.split())]] == old.split()), None
    )


def provider_of(command: str) -> Commands | None:
    """Return the `Commands` of the suite or of an extension that contain a command. None for an unknown command.
    Extensions are imported only if needed.
    """
    if command in SUITE.functions:
        return SUITE
    return next((provider for provider in providers() if command in provider.functions), None)
