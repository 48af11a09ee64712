"""Import a package from source texts in memory, so that one module can be replaced by a mutant."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import ModuleSpec
from types import CodeType, FunctionType, ModuleType
from typing import Any

from mutants import Mutant
from panel import Panel, file_of


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutated package from compiled code in memory, so that later changes of files have no effect."""

    def __init__(self, panel: Panel, code: Mapping[str, CodeType]) -> None:
        self._panel = panel
        self._code = code

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the import spec of a module. None if the module does not belong to the mutated package."""
        module = self._module(fullname)
        if module is None:
            return None
        is_package = module.rpartition(".")[2] == "__init__"
        return importlib.util.spec_from_loader(fullname, self, is_package=is_package)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the compiled code of a module in the module's namespace."""
        name = self._module(module.__name__)
        assert name is not None
        exec(self._code[name], module.__dict__)

    def _module(self, fullname: str) -> str | None:
        if not _is_part(fullname, self._panel):
            return None
        module = fullname[len(self._panel.package) + 1 :]
        return next((name for name in (module, f"{module}.__init__".lstrip(".")) if name in self._code), None)


def _is_part(name: str, panel: Panel) -> bool:
    return name == panel.package or name.startswith(f"{panel.package}.")


def compiled(panel: Panel, module: str, source: str) -> CodeType:
    return compile(source, str(panel.folder / file_of(module)), "exec", dont_inherit=True)


def install(panel: Panel, code: Mapping[str, CodeType]) -> None:
    """Import all modules of the panel's package from the compiled `code`. Later imports use this code, too."""
    if panel.package in sys.modules:
        raise AssertionError(
            f"{panel.package} was imported before the mutant was installed, so the trial would test the unchanged code"
        )
    sys.meta_path.insert(0, _Finder(panel, code))
    for module in code:
        if module not in panel.unused:
            importlib.import_module(f"{panel.package}.{module}".removesuffix(".__init__"))


def forget(panel: Panel) -> None:
    """Remove the panel's package from the imported modules, so that it can be imported again from different code."""
    sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, _Finder)]
    for name in list(sys.modules):
        if _is_part(name, panel):
            del sys.modules[name]


def exchange_code(panel: Panel, mutant: Mutant, code: CodeType) -> bool:
    """Replace a mutant's function, faster than by importing. Return False if the change is not in a function."""
    if not mutant.reached_by:
        return False
    found: Any = sys.modules.get(f"{panel.package}.{mutant.module}")
    for name in mutant.function.split("."):
        if isinstance(found, FunctionType):
            break  # the change is in a function inside this one
        found = vars(found).get(name)
    changed = [each for each in _codes(code) if each.co_qualname == getattr(found, "__qualname__", None)]
    if not isinstance(found, FunctionType) or len(changed) != 1:
        return False
    found.__code__ = changed[0]
    return True


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def clear_caches(panel: Panel) -> None:
    """Clear the caches of all functions. Otherwise the lines that a case executes would depend on earlier cases."""
    for name, module in list(sys.modules.items()):
        if _is_part(name, panel):
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()
