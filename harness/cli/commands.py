"""The commands of readfirst itself and of its extensions, by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

from readfirst.harness.extension import extensions


@dataclass(frozen=True)
class Commands:
    """Commands of readfirst or an extension, whose modules are in the directory `folder`."""

    package: str
    folder: Path
    functions: Mapping[str, str]
    """`module:function` of each command, in the order of the help."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """The help text of each group of commands."""
    panel: str = ""
    """The title above the commands in the help."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Former names of commands and groups with their current names, the longest former name first."""

    def function(self, command: str) -> Callable[..., int | None]:
        """Import the module of a command, and return the command's function."""
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
"""The commands of readfirst itself, without those of extensions."""
FORMER_OPTIONS: Mapping[str, Mapping[str, str]] = {
    command: {"--claims": "--require"} for command in ("run", "watch", "check-adapter")
}
"""Options that were renamed, by command: the former name and the current name. Used to accept former names."""


@cache
def providers() -> tuple[Commands, ...]:
    """Return the commands of readfirst itself, followed by the commands of each installed extension."""
    return SUITE, *extensions("commands").values()


def renamed_command(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the former and the current name if `words` start with a renamed command, otherwise None."""
    if {" ".join(words[:2]), *words[:1]} & SUITE.functions.keys():
        return None
    former_names = ((old, new) for provider in providers() for old, new in provider.renamed.items())
    return next(
        ((old, new) for old, new in former_names if [*words[: len(old.split())]] == old.split()), None
    )


def provider_of(command: str) -> Commands | None:
    """Return the provider of a command: readfirst or an extension. None for an unknown command."""
    if command in SUITE.functions:
        return SUITE
    return next((provider for provider in providers() if command in provider.functions), None)
