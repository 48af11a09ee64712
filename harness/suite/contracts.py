"""Contracts: the behaviours an implementation can be compared with, read from `fixtures/contracts.yaml`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import cast

from packaging.version import InvalidVersion, Version

from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.session import SESSION_CAPABILITIES
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.source.inspection import Inspection, did_you_mean
from readfirst.harness.suite.scenario import (
    TOOLS,
    Clause,
    Expectation,
    ForeignContractError,
    ReadGate,
    Scenario,
)

DOCUMENTED = "documented"
DEFAULT_MODEL = "default"
"""What `model` says where the product chooses: it is started without a model."""
LATEST = "latest"
"""Stands for the newest recorded contract, with the model of its version."""
READ_GATES = ("enforced", "relaxed")
OUTER_WHITESPACE = ("compared", "ignored")

_NAME = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:\+gated)?")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_KEYS = (
    "between",
    "documents",
    "follows",
    "lacks",
    "model",
    "outer_whitespace",
    "package",
    "read_gate",
    "released",
    "summary",
    "tools",
    "version",
)
_RECORDED = ("package", "version", "model", "read_gate", "tools", "summary")


class ContractsError(SuiteError):
    """`contracts.yaml` is not in its format."""


class UnknownContractError(ReadfirstError, LookupError):
    """No contract of this suite has that name; the message says which one to write instead."""


@dataclass(frozen=True, slots=True)
class Contract:
    """One behaviour to conform to: a published version with the model it ran with, or `documented`.

    `package`, `version`, `model` and `read_gate` are None for `documented` only. `tools` are those that the
    version offers; `documents` the texts that `documented` rests on. `released` is a date, YYYY-MM-DD.
    `lacks` are capabilities that later versions have (`during`: no hook can hold a call). `follows` is the last
    version before it that still has the tools and capabilities of the contract before. `ignores_outer_whitespace`: the
    product puts a reminder behind what this model is answered, which costs the answer the whitespace at both ends.
    `between` is the model that versions between it and the contract before were recorded with, if it was another,
    and whether outer whitespace is ignored there.
    """

    name: str
    package: str | None = None
    version: str | None = None
    model: str | None = None
    read_gate: ReadGate | None = None
    tools: tuple[str, ...] = TOOLS
    summary: str = ""
    released: str | None = None
    documents: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    follows: str | None = None
    ignores_outer_whitespace: bool = False
    between: tuple[str, bool] | None = None

    @property
    def capabilities(self) -> frozenset[str]:
        """What scenarios may need of it: its tools and SESSION_CAPABILITIES, without what it lacks."""
        return frozenset({*self.tools, *SESSION_CAPABILITIES}) - frozenset(self.lacks)

    @property
    def asked_model(self) -> str | None:
        """The model that the product is told to use; None: it uses its own default."""
        return None if self.model == DEFAULT_MODEL else self.model

    @property
    def recorded(self) -> bool:
        """Whether it has a real product; False for `documented`."""
        return self.version is not None


@dataclass(frozen=True, slots=True)
class Contracts:
    """All contracts: `documented`, then in release order; `default` is the name of the one a run uses unasked."""

    default: str
    all: tuple[Contract, ...]

    def __iter__(self) -> Iterator[Contract]:
        return iter(self.all)

    def __contains__(self, name: object) -> bool:
        return any(contract.name == name for contract in self.all)

    def __getitem__(self, name: str) -> Contract:
        """Return the contract of that name, or the newest for `latest`; UnknownContractError if there is none."""
        for contract in self.all:
            if contract.name == name:
                return contract
        if name == LATEST:
            return self.latest
        from readfirst.harness.suite.nearest import nearest  # here, because only who errs needs the reference

        raise UnknownContractError(f"there is no contract {name!r}. {nearest(name, self.all)}")

    @property
    def latest(self) -> Contract:
        """The newest recorded one, with the model of its version (not `+gated`)."""
        recorded = self.recorded
        return next((each for each in reversed(recorded) if "+" not in each.name), recorded[-1])

    @property
    def recorded(self) -> tuple[Contract, ...]:
        """Those that have a real product, in release order; of one version, the newer model first."""
        return tuple(each for each in self.all if each.recorded)

    def before(self, contract: Contract) -> Contract | None:
        """Return the recorded one before it, with the same class of models where its version has two; None: the first.

        The first version with two classes of models follows one that had one.
        """
        variant = contract.name.partition("+")[2]
        alike = [each for each in self.recorded if each.name.partition("+")[2] == variant]
        older = [each for each in alike if order(each.name) < order(contract.name)]
        if variant and not older:
            older = [each for each in self.recorded if order(each.name)[0] < order(contract.name)[0]]
        return max(older, key=lambda each: order(each.name), default=None)

    def find(self, name: str) -> Contract:
        """Return the contract of that name, or what an unlisted version is: like the next newer listed one.

        `2.1.200`, `2.1.240+gated`: model, tools and read gate come from the first listed contract with the same
        suffix that is not older, or from the newest; where that one `follows` the version or a newer one, from the
        contract before it. UnknownContractError: it is not a version.
        """
        if name in self:
            return self[name]
        if not _NAME.fullmatch(name):
            return self[name]
        version, _, variant = name.partition("+")
        alike = [each for each in self.recorded if each.name.partition("+")[2] == variant]
        if not alike:
            return self[name]
        place = next((at for at, each in enumerate(alike) if order(each.name) >= order(name)), -1)
        follows = alike[place].follows
        if place > 0 and follows is not None and Version(version) <= Version(follows):
            place -= 1
        like = alike[place]
        if like.between is not None and order(name) < order(like.name):
            like = replace(like, model=like.between[0], ignores_outer_whitespace=like.between[1])
        return replace(
            like, name=name, version=version, summary="", released=None, follows=None, between=None
        )


@cache
def order(name: str) -> tuple[Version, str]:
    """Return what contracts sort by: release order, of one version the newer model first; names without one before."""
    version, _, variant = name.partition("+")
    try:
        return Version(version), variant
    except InvalidVersion:
        return Version("0"), name


def clause_for(scenario: Scenario, expectation: Expectation, contract: Contract) -> Clause | None:
    """Return the clause that `contract` is judged by, None where nothing is stated.

    Raises ForeignContractError if the scenario was read for another recorded contract.
    """
    if not contract.recorded:
        return expectation.documented
    if expectation.recorded is not None and scenario.contract != contract.name:
        raise ForeignContractError(
            f"{scenario.id} was read for {scenario.contract or 'no contract'}, not for {contract.name}"
        )
    return expectation.recorded


def load_contracts(path: Path) -> Contracts:
    """Read `contracts.yaml`. Raises ContractsError (all problems) or StrictYamlError."""
    document = strict_yaml.load(strict_yaml.read(path, suite=path.parent), path)
    look = Inspection(document)
    top = look.mapping(
        document.value, (), "the file", ("default", "contracts"), required=("default", "contracts")
    )
    entries = look.mapping((top or {}).get("contracts", {}), ("contracts",), "contracts") or {}
    all_ = tuple(_contract(look, name, entry) for name, entry in entries.items())
    default = (top or {}).get("default", "")
    if top is not None and "default" in top:
        if not isinstance(default, str) or default not in entries:
            from readfirst.harness.suite.nearest import (
                nearest,  # here, because only who errs needs the reference
            )

            fix = nearest(str(default), sorted(all_, key=lambda contract: order(contract.name)))
            look.note(("default",), f"the default {default!r} is not among the contracts", fix)
        elif default == DOCUMENTED:
            look.note(
                ("default",), "the default must be a recorded contract", "Name a version of the product."
            )
    seen: dict[tuple[str | None, str | None], str] = {}
    for contract in all_:
        other = seen.setdefault((contract.version, contract.read_gate), contract.name)
        if contract.recorded and other != contract.name:
            message = f"{contract.name} and {other} have the same version and read_gate"
            look.note(
                ("contracts", contract.name),
                message,
                "Remove one, or correct version or read_gate.",
                key=True,
            )
    look.finish(ContractsError)
    return Contracts(cast(str, default), tuple(sorted(all_, key=lambda contract: order(contract.name))))


def _contract(look: Inspection, name: str, entry: object) -> Contract:
    path = ("contracts", name)
    what = f"contract {name}"
    required = ("summary",) if name == DOCUMENTED else _RECORDED
    fields = look.mapping(entry, path, what, _KEYS, required)
    if fields is None:
        return Contract(name)
    if name == DOCUMENTED:
        for key in _RECORDED:
            if key in fields and key not in ("summary", "tools"):
                look.note((*path, key), f"{key} does not belong to {DOCUMENTED}", "Remove it.", key=True)
    texts = {
        key: look.string(fields[key], (*path, key), f"{key} of {what}")
        for key in ("package", "version", "model", "summary", "released", "follows")
        if key in fields
    }
    for key in ("version", "follows"):
        if key in texts and not _VERSION.fullmatch(texts[key] or "0"):
            look.note(
                (*path, key),
                f"{texts[key]!r} is not a version",
                "Write it as published, for example 2.1.7.",
            )
    released = texts.get("released")
    if released is not None and not _DATE.fullmatch(released):
        look.note((*path, "released"), f"{released!r} is not a date", "Write it as YYYY-MM-DD.")
    gate = None
    if "read_gate" in fields:
        gate = look.choice(fields["read_gate"], (*path, "read_gate"), f"read_gate of {what}", READ_GATES)
    between = None
    if "between" in fields:
        keys = ("model", "outer_whitespace")
        found = (
            look.mapping(fields["between"], (*path, "between"), f"between of {what}", keys, keys[:1]) or {}
        )
        named = look.string(found.get("model", ""), (*path, "between", "model"), f"model between of {what}")
        between = (named or "", _ignores_outer_whitespace(look, found, (*path, "between"), what))
    tools: tuple[str, ...] = TOOLS
    if "tools" in fields:
        tools = look.strings(fields["tools"], (*path, "tools"), f"tools of {what}")
        for number, tool in enumerate(tools):
            if tool not in TOOLS:
                look.note((*path, "tools", number), f"there is no tool {tool!r}", did_you_mean(tool, TOOLS))
    lacks: tuple[str, ...] = ()
    if "lacks" in fields:
        lacks = look.strings(fields["lacks"], (*path, "lacks"), f"lacks of {what}")
        for number, lack in enumerate(lacks):
            if lack not in SESSION_CAPABILITIES:
                look.note(
                    (*path, "lacks", number),
                    f"there is no capability {lack!r}",
                    did_you_mean(lack, SESSION_CAPABILITIES),
                )
    documents: tuple[str, ...] = ()
    if "documents" in fields:
        documents = look.strings(fields["documents"], (*path, "documents"), f"documents of {what}")
    return Contract(
        name=name,
        package=texts.get("package"),
        version=None if name == DOCUMENTED else texts.get("version"),
        model=texts.get("model"),
        read_gate=cast("ReadGate | None", gate),
        tools=tools,
        summary=texts.get("summary") or "",
        released=released,
        documents=documents,
        lacks=lacks,
        follows=texts.get("follows"),
        ignores_outer_whitespace=_ignores_outer_whitespace(look, fields, path, what),
        between=between,
    )


def _ignores_outer_whitespace(
    look: Inspection, fields: Mapping[str, object], path: Sequence[str], what: str
) -> bool:
    stated = fields.get("outer_whitespace", OUTER_WHITESPACE[0])
    return (
        look.choice(stated, (*path, "outer_whitespace"), f"outer_whitespace of {what}", OUTER_WHITESPACE)
        == "ignored"
    )
