"""Trial: let cases judge mutants, each in a process of its own that can do no harm.

The process that starts the trials has read everything that does not change, so a trial is a fork: it imports the
changed package and asks one case after the other until one does not hold.
"""

# The guard looks at paths as the system sees them; pathlib would change them.
# ruff: noqa: PTH100, PTH118

from __future__ import annotations

import gc
import importlib
import importlib.abc
import importlib.util
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from multiprocessing import connection, get_context
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from mutants import Mutant, lines_that_mention

__all__ = ["MOST", "Cases", "Fate", "Panel", "TrialError", "file_of", "measure", "module_at", "trials"]

_FORK = get_context("fork")
_MEMORY = 6 * 1024**3
"""Bytes of address space of a trial."""
_PATIENCE = 60.0
"""Seconds that a trial may take beyond ten times what all its cases take on the unchanged package."""

MOST = 1500
"""Cases that are asked about one mutant, at most."""

Judge = Callable[[str], str]
"""Tells how a case does not hold, an empty string if it does. Called in a trial only."""


def module_at(file: Path, folder: Path) -> str:
    """Return what a file of the package in `folder` is called here: `session`, `behaviours.paths`, `__init__`."""
    return ".".join(file.relative_to(folder).with_suffix("").parts)


def file_of(module: str) -> str:
    """Return the file of a module, from the folder of its package."""
    return f"{module.replace('.', '/')}.py"


class TrialError(Exception):
    """The unchanged package does not pass its own cases, so they cannot judge changed ones."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The package that is changed and who judges: `sources` by module, `open_judge` makes the judge of a trial.

    Modules are called as by `module_at`.

    `open_judge` is given what each case cost on the unchanged package, in seconds; nothing at the first time.
    `kind_of` tells which cases are much alike if they execute the same lines. `unused` are modules that no case needs.
    """

    package: str
    folder: Path
    sources: Mapping[str, str]
    cases: Sequence[str]
    open_judge: Callable[[Mapping[str, float]], Judge]
    unused: Collection[str] = ()
    kind_of: Callable[[str], str] = str


Line = tuple[str, int]
"""A module and the number of a line in it."""


@dataclass(frozen=True, slots=True)
class Cases:
    """What the cases do on the unchanged package: `seconds`, the cheapest first, and the lines that each executes.

    `reached` has a number for each line; its bit n is set if case n executes the line. There are millions of these
    pairs, and every trial is a fork of the process that holds them. `imported` are the lines that the import executes.
    """

    seconds: Mapping[str, float]
    reached: Mapping[Line, int]
    imported: frozenset[Line]

    def that_execute(self, lines: Collection[Line]) -> int:
        """Return the cases, a bit each, that execute one of the lines; what the import executes belongs to all."""
        if not self.imported.isdisjoint(lines):
            return (1 << len(self.seconds)) - 1
        found = 0
        for line in lines:
            found |= self.reached.get(line, 0)
        return found

    def names(self, cases: int) -> list[str]:
        """Return the names of cases that are given a bit each."""
        names, found = list(self.seconds), []
        while cases:
            lowest = cases & -cases
            found.append(names[lowest.bit_length() - 1])
            cases ^= lowest
        return found

    def ways(self, modules: Collection[str]) -> list[int]:
        """Divide the cases, a bit each, by the lines of some modules that they execute."""
        groups = [(1 << len(self.seconds)) - 1]
        for (module, _), there in self.reached.items():
            if module in modules:
                groups = [part for group in groups for part in (group & there, group & ~there) if part]
        return groups


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a mutant: the case that killed it and how; `by` is empty if all `asked` cases held."""

    mutant: Mutant
    by: str
    how: str
    asked: int

    @property
    def killed(self) -> bool:
        """Whether some case did not hold."""
        return bool(self.how)


def measure(panel: Panel) -> Cases:
    """Run all cases on the unchanged package. TrialError: one does not hold."""
    receiver, sender = _FORK.Pipe(duplex=False)
    folder = tempfile.mkdtemp(prefix="mutation-")
    child = _FORK.Process(target=_in_confinement, args=(sender, folder, lambda: _measured(panel)))
    child.start()
    sender.close()
    try:
        cases, failing = receiver.recv()
    except EOFError:
        raise TrialError("the process that runs the unchanged package died") from None
    finally:
        child.join()
        shutil.rmtree(folder, ignore_errors=True)
    if failing:
        listed = "\n".join(f"  {name}: {how}" for name, how in failing.items())
        raise TrialError(f"{len(failing)} cases do not hold on the unchanged package:\n{listed}")
    assert isinstance(cases, Cases)
    return cases


def trials(panel: Panel, cases: Cases, mutants: Sequence[Mutant], jobs: int) -> Iterator[Fate]:
    """Yield the fate of every mutant, as they are known; `jobs` trials at a time."""
    order = _Order(panel, cases)
    code = {module: _compiled(panel, module, source) for module, source in panel.sources.items()}
    waiting = list(reversed(mutants))
    running: dict[Any, _Trial] = {}
    try:
        _install(panel, code)
        gc.collect()
        gc.freeze()
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop()
                anew = any((mutant.module, line) in cases.imported for line in mutant.reached_by)
                trial = _Trial(panel, mutant, order.of(mutant), cases.seconds, code, imports=anew)
                running[trial.receiver] = trial
            ready = connection.wait(list(running), timeout=1.0)
            late = [receiver for receiver, trial in running.items() if time.monotonic() > trial.deadline]
            for receiver in {*ready, *late}:
                fate = running.pop(receiver).fate()
                order.learn(fate)
                yield fate
    finally:
        for trial in running.values():
            trial.end()
        _forget(panel)
        gc.unfreeze()


class _Order:
    """Which cases to ask about a mutant, those first that will probably notice."""

    def __init__(self, panel: Panel, cases: Cases) -> None:
        self._sources = panel.sources
        self._cases = cases
        self._kinds = {name: panel.kind_of(name) for name in cases.seconds}
        self._mentions: dict[frozenset[str], set[Line]] = {}
        self._ranks: dict[frozenset[str], dict[str, int]] = {}
        self._kills: Counter[tuple[str, str]] = Counter()

    def learn(self, fate: Fate) -> None:
        """Ask what killed a mutant first about the next ones in the same place."""
        self._kills[fate.mutant.where, fate.by] += 1

    def of(self, mutant: Mutant) -> list[str]:
        """Return the cases that reach the change; of a change that the import reaches, those that use what it makes,
        first of all those that its statement names.

        Each way through the module has its turn before the next case of the same kind on the same way.
        """
        lines = {(mutant.module, line) for line in mutant.reached_by} or self._mentioned(mutant.names)
        ranks = self._ranked(frozenset(module for module, _ in lines))
        kills = {name: kills for (where, name), kills in self._kills.items() if where == mutant.where}
        words = self._mentioned(mutant.words) if mutant.words else set()
        near = set(self._cases.names(self._cases.that_execute(words)))
        names = self._cases.names(self._cases.that_execute(lines))

        def place(name: str) -> tuple[bool, int, bool, int]:
            is_named = name.split()[-1] in mutant.texts
            return not is_named, -kills.get(name, 0), name not in near, ranks[name]

        return sorted(names, key=place)[:MOST]

    def _ranked(self, modules: frozenset[str]) -> dict[str, int]:
        """Return for each case how many cheaper ones are like it."""
        if modules not in self._ranks:
            ranks = self._ranks[modules] = {}
            for way in self._cases.ways(modules):
                alike: Counter[str] = Counter()
                for name in self._cases.names(way):
                    ranks[name] = alike[self._kinds[name]]
                    alike[self._kinds[name]] += 1
        return self._ranks[modules]

    def _mentioned(self, names: frozenset[str]) -> set[Line]:
        if names not in self._mentions:
            self._mentions[names] = lines_that_mention(names, self._sources)
        return self._mentions[names]


@dataclass
class _Trial:
    panel: Panel
    mutant: Mutant
    order: list[str]
    seconds: Mapping[str, float]
    code: Mapping[str, CodeType]
    imports: bool
    """Whether the package must be imported anew, because the import may execute what was changed."""
    receiver: Any = field(init=False)
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        self.receiver, sender = _FORK.Pipe(duplex=False)
        self._folder = tempfile.mkdtemp(prefix="mutation-")
        self._child = _FORK.Process(target=_in_confinement, args=(sender, self._folder, self._judged))
        self._child.start()
        sender.close()
        allowed = 10 * sum(self.seconds[name] for name in self.order) + _PATIENCE
        self.deadline = time.monotonic() + allowed

    def _judged(self) -> tuple[str, str]:
        try:
            module = self.mutant.module
            changed = _compiled(self.panel, module, self.mutant.source)
            if self.imports or not _exchanged(self.panel, self.mutant, changed):
                _forget(self.panel)
                _install(self.panel, {**self.code, module: changed})
            judge = self.panel.open_judge(self.seconds)
        except BaseException as error:
            return "the import", f"{type(error).__name__}: {error}"
        for name in self.order:
            try:
                how = judge(name)
            except Exception as error:
                how = f"{type(error).__name__}: {error}"
            if how:
                return name, how
        return "", ""

    def fate(self) -> Fate:
        """Return what the trial found; one that died or did not end has killed its mutant."""
        try:
            by, how = self.receiver.recv() if self.receiver.poll() else ("the time limit", "did not end")
        except EOFError:
            by, how = "the trial", "ended the process"
        self.end()
        return Fate(self.mutant, by, how, len(self.order))

    def end(self) -> None:
        """End the process."""
        self._child.kill()
        self._child.join()
        self.receiver.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _in_confinement(sender: Any, folder: str, work: Callable[[], object]) -> None:
    """Do the work in a folder of its own; nothing outside it can be written."""
    gc.disable()  # it would copy what the fork shares, and a trial is short
    tempfile.tempdir = os.path.realpath(folder)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    guard = _Guard(tempfile.tempdir)
    sys.addaudithook(guard)
    result = work()
    guard.on = False
    sender.send(result)


class _Guard:
    """An audit hook that lets nothing be changed outside one folder."""

    _PATHS: Mapping[str, tuple[int, ...]] = {
        "os.rename": (0, 1),
        "os.link": (0, 1),
        "os.symlink": (1,),
        "os.mkdir": (0,),
        "os.rmdir": (0,),
        "os.remove": (0,),
        "os.chmod": (0,),
        "os.chown": (0,),
        "os.truncate": (0,),
        "os.utime": (0,),
    }
    _WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def __init__(self, folder: str) -> None:
        self.on = True
        self._folder = folder

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            if arguments[2] & self._WRITING:
                self._check(arguments[0], follow=True)
        elif event in self._PATHS:
            for number in self._PATHS[event]:
                self._check(arguments[number], follow=False)

    def _check(self, path: object, *, follow: bool) -> None:
        if isinstance(path, int):
            return
        name = os.fsdecode(path)  # type: ignore[arg-type]
        folder, base = os.path.split(os.path.abspath(name))
        real = os.path.realpath(name) if follow else os.path.join(os.path.realpath(folder), base)
        if real != "/dev/null" and not real.startswith(self._folder + "/"):
            raise PermissionError(1, "a trial may not write here", name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the package from the texts that were read at the start, whatever the disk holds by now."""

    def __init__(self, panel: Panel, code: Mapping[str, CodeType]) -> None:
        self._panel = panel
        self._code = code

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Answer for the package and its modules."""
        module = self._module(fullname)
        if module is None:
            return None
        is_package = module.rpartition(".")[2] == "__init__"
        return importlib.util.spec_from_loader(fullname, self, is_package=is_package)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        name = self._module(module.__name__)
        assert name is not None
        exec(self._code[name], module.__dict__)

    def _module(self, fullname: str) -> str | None:
        package, _, module = fullname.partition(".")
        if package != self._panel.package:
            return None
        return next((name for name in (module, f"{module}.__init__".lstrip(".")) if name in self._code), None)


def _compiled(panel: Panel, module: str, source: str) -> CodeType:
    return compile(source, str(panel.folder / file_of(module)), "exec", dont_inherit=True)


def _install(panel: Panel, code: Mapping[str, CodeType]) -> None:
    """Import the package and its modules from this code."""
    if panel.package in sys.modules:
        raise AssertionError(f"{panel.package} was imported before the trial")
    sys.meta_path.insert(0, _Finder(panel, code))
    for module in code:
        if module not in panel.unused:
            importlib.import_module(f"{panel.package}.{module}".removesuffix(".__init__"))


def _forget(panel: Panel) -> None:
    """Undo the import."""
    sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, _Finder)]
    for name in list(sys.modules):
        if name.partition(".")[0] == panel.package:
            del sys.modules[name]


def _exchanged(panel: Panel, mutant: Mutant, code: CodeType) -> bool:
    """Give the function that was imported its changed code, if that is all there is to the change."""
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


def _clear_caches(panel: Panel) -> None:
    """Forget what functions remember, so that what a case executes does not depend on the cases before it."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == panel.package:
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()


def _measured(panel: Panel) -> tuple[Cases, dict[str, str]]:
    from coverage import Coverage

    coverage = Coverage(data_file=None, include=[f"{panel.folder}/*"], messages=False)
    seconds, failing = {}, {}
    coverage.start()
    _install(panel, {module: _compiled(panel, module, source) for module, source in panel.sources.items()})
    judge = panel.open_judge({})
    for name in panel.cases:
        _clear_caches(panel)
        coverage.switch_context(name)
        started = time.perf_counter()
        if how := judge(name):
            failing[name] = how
        seconds[name] = time.perf_counter() - started
    coverage.stop()
    seconds = dict(sorted(seconds.items(), key=lambda each: each[1]))
    bits = {name: 1 << n for n, name in enumerate(seconds)}
    imported: set[Line] = set()
    reached: dict[Line, int] = {}
    data = coverage.get_data()
    for file in data.measured_files():
        module = module_at(Path(file), panel.folder)
        for number, names in data.contexts_by_lineno(file).items():
            line = module, number
            reached[line] = sum(bits[name] for name in names if name in bits)
            if not bits.keys() >= set(names):
                imported.add(line)
    return Cases(seconds, reached, frozenset(imported)), failing
