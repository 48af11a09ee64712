"""readfirst: the conformance suite for Claude Code's file tools, and the public names of its library.

    from readfirst import FileTools, Refusal, ToolResult, load_suite, run

- To connect an implementation, use `ToolResult`, and if necessary `Workspace`, `AdapterTraits` and the protocols of
  sessions.
- To embed the reference implementation in a program, use `FileTools` and `Refusal`.
- To run the suite from a program, use `load_suite`, `run` and `Verdict`.

Everything in `readfirst.harness` and `readfirst.reference_impl` may change at any time.

In a checkout, the subdirectories of this package are symbolic links to the directories next to it. In an installation,
they are ordinary subdirectories.
"""

# It imports nothing: until the command line has set its handlers, a signal ends the process in Python's own way.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from readfirst.harness.adapter_api import (
        Adapter,
        AdapterError,
        ParallelSession,
        RacingSession,
        Session,
        ToolResult,
        Workspace,
    )
    from readfirst.harness.adapter_traits import AdapterTraits
    from readfirst.harness.compare.verdict import Verdict
    from readfirst.harness.run.connect import ConnectError, connect
    from readfirst.harness.run.run_options import RunOptions
    from readfirst.harness.run.runner import run
    from readfirst.harness.suite.scenario import Scenario
    from readfirst.harness.suite.suite import Suite, load_suite
    from readfirst.harness.yaml_io.finding import SuiteError
    from readfirst.reference_impl import (
        DEFAULT_CONTRACT,
        Behaviours,
        FileTools,
        Refusal,
        Result,
        behaviours_of,
    )

__all__ = [
    "DEFAULT_CONTRACT",
    "Adapter",
    "AdapterError",
    "AdapterTraits",
    "Behaviours",
    "ConnectError",
    "FileTools",
    "ParallelSession",
    "RacingSession",
    "Refusal",
    "Result",
    "RunOptions",
    "Scenario",
    "Session",
    "Suite",
    "SuiteError",
    "ToolResult",
    "Verdict",
    "Workspace",
    "behaviours_of",
    "connect",
    "load_suite",
    "run",
]

_REFERENCE = ("DEFAULT_CONTRACT", "Behaviours", "FileTools", "Refusal", "Result", "behaviours_of")
_SESSION = (
    "Adapter",
    "AdapterError",
    "ParallelSession",
    "RacingSession",
    "Session",
    "ToolResult",
    "Workspace",
)
_MODULES = {
    **dict.fromkeys(_REFERENCE, "reference_impl"),
    **dict.fromkeys(_SESSION, "harness.adapter_api"),
    "AdapterTraits": "harness.adapter_traits",
    "ConnectError": "harness.run.connect",
    "RunOptions": "harness.run.run_options",
    "Scenario": "harness.suite.scenario",
    "Suite": "harness.suite.suite",
    "SuiteError": "harness.yaml_io.finding",
    "Verdict": "harness.compare.verdict",
    "connect": "harness.run.connect",
    "load_suite": "harness.suite.suite",
    "run": "harness.run.runner",
}
"""The module of each public name, imported only when the name is used, as every run of pytest loads this package."""

_FORMER_NAMES = {"BrokenAdapter": "AdapterError"}


def __getattr__(name: str) -> "Any":
    import importlib

    if name in _FORMER_NAMES:
        import warnings

        message = f"readfirst.{name} is now readfirst.{_FORMER_NAMES[name]}; the former name will be removed."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        name = _FORMER_NAMES[name]
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
