"""Serve a Python implementation in this process. The adapter `python:MODULE:FACTORY` starts this module as a child
process.

    python -m readfirst.harness.adapters.python_host MODULE FACTORY

MODULE is the name of a module, or a file that ends with `.py`. The process uses JSON lines on standard input and
output.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import shlex
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from readfirst.harness.adapters.json_lines_server import MissingObjectError, private_streams, serve_lines


def main(module: str, factory: str) -> None:
    """Answer requests for the adapter `MODULE:FACTORY` until standard input ends."""
    streams = private_streams()
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    serve_lines(partial(_make_adapter, module, factory), f"{module}:{factory}", "", *streams)


def _make_adapter(module: str, factory: str) -> Any:
    """Return the adapter of a module's factory. Raises MissingObjectError if the factory or a module is missing."""
    try:
        return _open_factory(module, factory)
    except ModuleNotFoundError as error:
        missing = error.name or str(error)
        is_target = module == missing or module.startswith(f"{missing}.")
        problem = (
            f"there is no module {module} in {Path.cwd()} or on Python's path"
            if is_target
            else f"{module} needs the module {missing}, which is not there"
        )
        python = shlex.quote(sys.executable)
        raise MissingObjectError(
            f"{problem}. `python:` runs in the Python that runs readfirst, {sys.executable}: install the package "
            f"there (`{python} -m pip install PACKAGE`), or readfirst in the package's own environment."
        ) from error


def _open_factory(module: str, factory: str) -> Any:
    """Return the adapter that `MODULE:FACTORY` names: the object FACTORY if it has a usable method `open`, otherwise
    the result of its call. Raises MissingObjectError.
    """
    value: Any = _load_script(Path(module)) if module.endswith(".py") else importlib.import_module(module)
    for name in factory.split("."):
        if not hasattr(value, name):
            raise MissingObjectError(f"module {module} has no {factory}.{_suggest_name(value, name)}")
        value = getattr(value, name)
    opens = getattr(value, "open", None)
    if opens is None or (isinstance(value, type) and not inspect.ismethod(opens)):
        if not callable(value):
            raise MissingObjectError(
                f"{module}:{factory} is {value!r}: neither an object with open() nor callable."
            )
        value = value()
    if not callable(getattr(value, "open", None)):
        raise MissingObjectError(
            f"{module}:{factory} returned {value!r}, which has no method open(workspace)."
        )
    return value


def _suggest_name(value: Any, name: str) -> str:
    """Suggest, in a sentence, the attribute of `value` whose name is most similar. Empty without a similar name."""
    from difflib import get_close_matches

    matches = get_close_matches(name, dir(value), 1, cutoff=0.7)
    return f" Did you mean {matches[0]}?" if matches else ""


def _load_script(file: Path) -> ModuleType:
    """Run a Python file as a module. Like a script, the file can import modules from its own directory."""
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None  # its name ends with .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(*sys.argv[1:])
