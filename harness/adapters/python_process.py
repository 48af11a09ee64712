"""The adapter `python:<module>:<factory>`: a Python implementation in a process of its own."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.machinery import PathFinder
from pathlib import Path

import readfirst
from readfirst.harness.adapters.lines import AskedProgram, LinesAdapter, ProblemError
from readfirst.harness.processes.sandbox import Sandbox
from readfirst.harness.session import TIME_LIMIT, BrokenAdapter

_HOST = "readfirst.harness.adapters.python_host"
_KIT = (
    "",
    "harness",
    "harness.exit_code",
    "harness.session",
    "harness.adapters",
    "harness.adapters.lines_server",
    "harness.adapters.python_host",
)
"""The part of the package that the process gets: what an adapter uses, beside the reference; no scenarios."""


class FactoryError(BrokenAdapter):
    """The module or the factory that the connect string names does not exist, or is not an adapter."""


class PythonAdapter(LinesAdapter):
    """Runs `MODULE:FACTORY`, importable from the current directory, in a child process, which speaks `lines`.

    Of this package it finds what an adapter uses and the reference, in a folder of its own, and the modules `further`.
    With an `environment` the child gets these variables alone and no network where the system allows that; it then
    starts in `directory`. The rest is as for a LinesAdapter.
    """

    def __init__(
        self,
        module: str,
        factory: str,
        *,
        time_limit: float = TIME_LIMIT,
        start_limit: float = TIME_LIMIT,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
        sandbox: Sandbox | None = None,
        further: Sequence[str] = (),
    ) -> None:
        super().__init__(
            # -P: the package in the current directory, perhaps a checkout, is not taken for the kit.
            [python, "-P", "-u", "-X", "faulthandler", "-m", _HOST, module, factory],
            time_limit=time_limit,
            start_limit=start_limit,
            last_chance=0,  # it hears of nothing while it executes a call
            environment=environment,
            directory=directory,
            offline=environment is not None,
            sandbox=_needing(module, sandbox),
            called="the adapter",
        )
        self._further = further

    def _begin(self) -> None:
        super()._begin()
        self._kit: Path | None = None

    def start(self) -> AskedProgram:
        """Start the process unless it runs, and learn what it has. Raises FactoryError, BrokenAdapter."""
        try:
            return super().start()
        except ProblemError as error:
            if error.answer.get("not_there"):
                raise FactoryError(error.answer["problem"]) from None
            raise

    def _variables(self) -> dict[str, str]:
        variables = super()._variables()
        if self._kit is None:
            self._kit = self._folder()
            _unpack(self._kit, self._further)
        paths = filter(None, (str(self._kit), variables.get("PYTHONPATH")))
        return variables | {"PYTHONPATH": os.pathsep.join(paths)}


def _unpack(folder: Path, further: Sequence[str]) -> None:
    """Put the kit into a folder, which is then an entry of Python's path; `further` are names of more modules."""
    source, target = Path(readfirst.__file__).parent, folder / "readfirst"
    for name in (*_KIT, *(name.removeprefix("readfirst.") for name in further)):
        file = Path(*name.split(".")).with_suffix(".py") if name else Path("__init__.py")
        if not (source / file).is_file():
            file = file.with_suffix("") / "__init__.py"
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / file, target / file)
    shutil.copytree(source / "reference_impl", target / "reference_impl")


def _needing(module: str, sandbox: Sandbox | None) -> Sandbox | None:
    """Return the sandbox with what a module of the current directory needs; what a command names is known anyway."""
    package = module.partition(".")[0]
    if sandbox is None or package == "readfirst":
        return sandbox
    found = PathFinder.find_spec(package, [str(Path.cwd())])
    places = () if found is None else (found.origin, *(found.submodule_search_locations or ()))
    return replace(sandbox, own=(*sandbox.own, *(Path(place) for place in places if place)))
