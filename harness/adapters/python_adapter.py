"""The adapter `python:<module>:<factory>`: a Python implementation in a child process."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import cache_from_source
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import readfirst
from readfirst.harness.adapter_api import TIME_LIMIT, AdapterError
from readfirst.harness.adapters.json_lines import AskedProgram, LinesAdapter, ProblemError
from readfirst.harness.processes.sandbox import Sandbox

_HOST = "readfirst.harness.adapters.python_host"
_KIT = (
    "harness.errors",
    "harness.adapter_api",
    "harness.adapter_traits",
    "harness.adapters.json_lines_server",
    "harness.adapters.python_host",
)
"""Modules for adapters in the archive for the child process, besides the reference, and none about scenarios."""


class FactoryError(AdapterError):
    """The module or the factory of the connect string does not exist, or is not an adapter."""


class PythonAdapter(LinesAdapter):
    """Runs `MODULE:FACTORY`, importable from the current directory, in a child process that speaks JSON lines.

    A separate archive contains the modules for adapters, the reference and the modules `further`. With an
    `environment` the child gets only these variables, starts in `directory`, and has no network if the system
    supports that. Other parameters are those of LinesAdapter.
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
            # -P: a package in the current directory, such as a checkout, must not shadow the archive.
            [python, "-P", "-u", "-X", "faulthandler", "-m", _HOST, module, factory],
            time_limit=time_limit,
            start_limit=start_limit,
            last_chance=0,  # it cannot receive a cancellation while it executes a call
            environment=environment,
            directory=directory,
            offline=environment is not None,
            sandbox=_needing(module, sandbox),
            called="the adapter",
        )
        self._further = tuple(further)

    def _begin(self) -> None:
        super()._begin()
        self._kit: Path | None = None

    def start(self) -> AskedProgram:
        """Start the process unless it runs, and read its properties. Raises FactoryError, AdapterError."""
        try:
            return super().start()
        except ProblemError as error:
            if error.answer.get("not_there"):
                raise FactoryError(error.answer["problem"]) from None
            raise

    def _variables(self) -> dict[str, str]:
        variables = super()._variables()
        if self._kit is None:
            self._kit = self._folder() / "kit.zip"
            self._kit.write_bytes(_pack_modules(self._further))
        paths = filter(None, (str(self._kit), variables.get("PYTHONPATH")))
        return variables | {"PYTHONPATH": os.pathsep.join(paths)}


@cache
def _pack_modules(further: tuple[str, ...]) -> bytes:
    """Return an archive with the modules for the child process, for its module search path. `further` are the names
    of additional modules.

    The archive also contains compiled code, so that a process need not compile the modules.
    """
    source, packed = Path(readfirst.__file__).parent, BytesIO()
    files = [*(source / "reference_impl").rglob("*.py")]
    modules = [
        source.joinpath(*name.split(".")).with_suffix(".py")
        for name in (*_KIT, *(name.removeprefix("readfirst.") for name in further))
    ]
    packages = {folder for file in modules for folder in file.parents if folder.is_relative_to(source)}
    files += [*modules, *(folder / "__init__.py" for folder in sorted(packages))]
    with ZipFile(packed, "w", strict_timestamps=False) as archive:
        for file in files:
            place = file.relative_to(source.parent)
            archive.write(file, place)
            if (compiled := Path(cache_from_source(file))).is_file():
                archive.write(compiled, place.with_suffix(".pyc"))
    return packed.getvalue()


def _needing(module: str, sandbox: Sandbox | None) -> Sandbox | None:
    """Return the sandbox with read access to a module in the current directory. None without a sandbox."""
    package = module.partition(".")[0]
    if sandbox is None or package == "readfirst":
        return sandbox
    found = PathFinder.find_spec(package, [str(Path.cwd())])
    places = () if found is None else (found.origin, *(found.submodule_search_locations or ()))
    return replace(sandbox, own=(*sandbox.own, *(Path(place) for place in places if place)))
