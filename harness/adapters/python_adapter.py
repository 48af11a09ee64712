"""The adapter for `python:MODULE:FACTORY`: a Python implementation that runs in a child process."""

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
from readfirst.harness.adapters.json_lines import JsonLinesProgram, LinesAdapter, ReportedProblemError
from readfirst.harness.processes.sandbox import Sandbox

_HOST_MODULE = "readfirst.harness.adapters.python_host"
_ARCHIVED_MODULES = (
    "harness.errors",
    "harness.adapter_api",
    "harness.adapter_traits",
    "harness.adapters.json_lines_server",
    "harness.adapters.python_host",
)
"""Modules of readfirst in the child's archive, which also contains the reference, but no code for scenarios."""


class FactoryError(AdapterError):
    """Raised if the module or the factory is missing, or if the factory does not return an adapter."""


class PythonAdapter(LinesAdapter):
    """Adapter for `MODULE:FACTORY`, which must be importable from the current directory. It runs in a child process
    that exchanges JSON lines with the harness. The child can also import `extra_modules` of readfirst. With an
    `environment`, the child gets only these variables, starts in `directory`, and has no network if the system supports
    this. The other parameters are those of LinesAdapter.
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
        extra_modules: Sequence[str] = (),
    ) -> None:
        super().__init__(
            # -P: a package in the current directory, such as a checkout, must not shadow the archive.
            [python, "-P", "-u", "-X", "faulthandler", "-m", _HOST_MODULE, module, factory],
            time_limit=time_limit,
            start_limit=start_limit,
            cancel_timeout=0,  # it cannot receive a cancellation while it executes a call
            environment=environment,
            directory=directory,
            offline=environment is not None,
            sandbox=_with_read_access(module, sandbox),
            called="the adapter",
        )
        self._extra_modules = tuple(extra_modules)

    def _begin(self) -> None:
        super()._begin()
        self._archive: Path | None = None

    def start(self) -> JsonLinesProgram:
        """Start the child unless it runs, and read its adapter's properties. Raises FactoryError, AdapterError."""
        try:
            return super().start()
        except ReportedProblemError as error:
            if error.answer.get("not_there"):
                raise FactoryError(error.answer["problem"]) from None
            raise

    def _variables(self) -> dict[str, str]:
        variables = super()._variables()
        if self._archive is None:
            self._archive = self._folder() / "kit.zip"
            self._archive.write_bytes(_pack_modules(self._extra_modules))
        paths = filter(None, (str(self._archive), variables.get("PYTHONPATH")))
        return variables | {"PYTHONPATH": os.pathsep.join(paths)}


@cache
def _pack_modules(extra_modules: tuple[str, ...]) -> bytes:
    """Return a compiled zip archive of the modules that the child imports, so that the child starts faster."""
    source, buffer = Path(readfirst.__file__).parent, BytesIO()
    files = [*(source / "reference_impl").rglob("*.py")]
    modules = [
        source.joinpath(*name.split(".")).with_suffix(".py")
        for name in (*_ARCHIVED_MODULES, *(name.removeprefix("readfirst.") for name in extra_modules))
    ]
    packages = {folder for file in modules for folder in file.parents if folder.is_relative_to(source)}
    files += [*modules, *(folder / "__init__.py" for folder in sorted(packages))]
    with ZipFile(buffer, "w", strict_timestamps=False) as archive:
        for file in files:
            path = file.relative_to(source.parent)
            archive.write(file, path)
            if (compiled := Path(cache_from_source(file))).is_file():
                archive.write(compiled, path.with_suffix(".pyc"))
    return buffer.getvalue()


def _with_read_access(module: str, sandbox: Sandbox | None) -> Sandbox | None:
    """Return the sandbox with read access to a module in the current directory. None without a sandbox."""
    package = module.partition(".")[0]
    if sandbox is None or package == "readfirst":
        return sandbox
    spec = PathFinder.find_spec(package, [str(Path.cwd())])
    paths = () if spec is None else (spec.origin, *(spec.submodule_search_locations or ()))
    return replace(sandbox, own=(*sandbox.own, *(Path(path) for path in paths if path)))
