"""Contracts: the behaviours an implementation can be compared with, read from `fixtures/contracts.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from readfirst.harness.adapter_api import BASH, SESSION_CAPABILITIES
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.scenario import (
    TOOLS,
    Clause,
    Expectation,
    ForeignContractError,
    ReadGate,
    Scenario,
    Step,
    calls_of,
)
from readfirst.harness.suite.schema import read_checked
from readfirst.harness.yaml_io.yaml_validation import Fields

DOCUMENTED = "documented"
DEFAULT_MODEL = "default"
"""The value of `model` if the product was started without a model, and used its default."""
LATEST = "latest"
"""The name that stands for the newest recorded contract with the current model (not `+gated`)."""

_NAME = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:\+gated)?")


class UnknownContractError(ReadfirstError, LookupError):
    """The suite has no contract with this name. The message suggests a contract."""


@cache
def _capabilities(tools: tuple[str, ...], lacks: tuple[str, ...]) -> frozenset[str]:
    return frozenset({*tools, *SESSION_CAPABILITIES}) - frozenset(lacks)


@dataclass(frozen=True, slots=True)
class Contract:
    """The expected behaviour: that of a published version with a certain model, or `documented`.

    `package`, `version`, `model` and `read_gate` are None for a contract without a product. `tools` are the tools of
    the version, `documents` the documents that `documented` is based on. `released` is a date, YYYY-MM-DD. `lacks` are
    capabilities that only later versions have (`during`: no hook can delay a call). `follows` is the last version
    before this one that still has the tools and capabilities of the previous contract.

    `ignores_outer_whitespace`: the product appends a reminder to each answer for this model, which removes the
    whitespace at both ends of the answer. `between` is set if the versions between this contract and the previous one
    were recorded with a different model: that model, and whether outer whitespace is ignored there. `extends` is a
    contract with a product. It judges the scenarios that state nothing for this contract, which has no product.
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
    extends: Contract | None = None

    def for_scenario(self, scenario: Scenario) -> Contract:
        """Return the contract that judges a scenario: the extended one if the scenario states nothing for this one."""
        return self if self.extends is None or scenario.contract == self.name else self.extends

    def is_documented_by(self, clause: Clause) -> bool:
        """Whether a clause names one of the documents of this contract."""
        return (clause.documented or "").partition(", ")[0] in self.documents

    @property
    def capabilities(self) -> frozenset[str]:
        """The capabilities for scenarios of this contract: its tools and SESSION_CAPABILITIES, without `lacks`."""
        return _capabilities(self.tools, self.lacks)

    @property
    def asked_model(self) -> str | None:
        """The model that is requested from the product. None if the product uses its default."""
        return None if self.model == DEFAULT_MODEL else self.model

    @property
    def recorded(self) -> bool:
        """Whether a real product was recorded. False for `documented`, and for a contract that a suite defines."""
        return self.version is not None


@dataclass(frozen=True, slots=True)
class Contracts:
    """The contracts: `documented`, then the others in release order. `default`: the name of that of a run."""

    default: str
    all: tuple[Contract, ...]

    def __iter__(self) -> Iterator[Contract]:
        return iter(self.all)

    def __contains__(self, name: object) -> bool:
        return any(contract.name == name for contract in self.all)

    def __getitem__(self, name: str) -> Contract:
        """Return the contract with this name, or the newest for `latest`. Raises UnknownContractError."""
        for contract in self.all:
            if contract.name == name:
                return contract
        if name == LATEST:
            return self.latest
        raise UnknownContractError(f"there is no contract {name!r}. {_advice_for(name, self.all)}")

    @property
    def latest(self) -> Contract:
        """The newest recorded contract with the current model (not `+gated`). Default: the last contract."""
        recorded = self.recorded or self.all
        return next((each for each in reversed(recorded) if "+" not in each.name), recorded[-1])

    @property
    def recorded(self) -> tuple[Contract, ...]:
        """The contracts with a real product, in release order. The current model precedes `+gated`."""
        return tuple(each for each in self.all if each.recorded)

    def before(self, contract: Contract) -> Contract | None:
        """Return the recorded contract before this one, with the same class of models. None for the first one.

        The oldest contract with an older model (`+gated`) follows the contract of the version before it, which has only
        one class of models.
        """
        variant = contract.name.partition("+")[2]
        alike = [each for each in self.recorded if each.name.partition("+")[2] == variant]
        older = [each for each in alike if order(each.name) < order(contract.name)]
        if variant and not older:
            older = [each for each in self.recorded if order(each.name)[0] < order(contract.name)[0]]
        return max(older, key=lambda each: order(each.name), default=None)

    def find(self, name: str) -> Contract:
        """Return the contract with this name. For a version that is not a contract, return a contract with the
        properties of a listed one.

        This is the first listed contract that has the same suffix as `2.1.200` or `2.1.240+gated` and is not older,
        otherwise the newest. If its `follows` is the requested version or a newer one, the contract before it is used.
        Raises UnknownContractError if the name is not a version.
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


def is_version(name: str) -> bool:
    """Whether a name is that of a version, with or without `+gated`."""
    return _NAME.fullmatch(name) is not None


@cache
def order(name: str) -> tuple[Version, str]:
    """Return a key that sorts contracts by version, `+gated` after the current model. Other names come first."""
    version, _, variant = name.partition("+")
    try:
        return Version(version), variant
    except InvalidVersion:
        return Version("0"), name


def clause_for(scenario: Scenario, expectation: Expectation, contract: Contract) -> Clause | None:
    """Return the clause that judges a call for `contract`. None if nothing is stated.

    For a contract without a product, this is the clause that the scenario states for it; for `documented`, first a
    clause that names a document. Raises ForeignContractError if the scenario was read for a different recorded
    contract.
    """
    if not contract.recorded:
        stated = expectation.recorded if scenario.contract == contract.name else None
        return (expectation.documented if contract.name == DOCUMENTED else None) or stated
    if expectation.recorded is not None and scenario.contract != contract.name:
        raise ForeignContractError(
            f"{scenario.id} was read for {scenario.contract or 'no contract'}, not for {contract.name}"
        )
    return expectation.recorded


def effects_clause_for(scenario: Scenario, expectation: Expectation, contract: Contract) -> Clause | None:
    """Return `clause_for`, or for a set-up call of `documented` the recorded clause, which judges only effects."""
    clause = clause_for(scenario, expectation, contract)
    return expectation.recorded if clause is None and not contract.recorded else clause


def load_contracts(path: Path, below: Contracts | None = None) -> Contracts:
    """Read `contracts.yaml`, and add its contracts to those `below`. A contract with the same name replaces the one
    below.

    Raises SuiteError with all problems.
    """
    with read_checked(path, "contracts") as look:
        default: str = look.document.value["default"]
        said = look.document.value.get("contracts", {})
        lower = {contract.name: contract for contract in below or ()}
        read = {name: _contract(name, fields, lower) for name, fields in said.items()}
        for name, contract in read.items():
            if (base := said[name].get("extends")) is not None and contract.extends is None:
                message = (
                    f"{name} extends {base!r}, which is not a contract of a version in the suites before"
                )
                versions = tuple(each for each in lower.values() if each.recorded)
                look.note(("contracts", name, "extends"), message, _advice_for(base, versions))
        read = {**lower, **read}
        all_ = tuple(sorted(read.values(), key=lambda contract: order(contract.name)))
        if default not in read:
            message = f"the default {default!r} is not among the contracts"
            look.note(("default",), message, _advice_for(default, all_))
        seen: dict[tuple[str | None, str | None], str] = {}
        for contract in (read[name] for name in said):
            other = seen.setdefault((contract.version, contract.read_gate), contract.name)
            if contract.recorded and other != contract.name:
                message = f"{contract.name} and {other} have the same version and read_gate"
                fix = "Remove one, or correct version or read_gate."
                look.note(("contracts", contract.name), message, fix, key=True)
    return Contracts(default, all_)


def _advice_for(name: str, contracts: Sequence[Contract]) -> str:
    from readfirst.harness.suite.nearest_contract import nearest  # here, because it imports this module

    return nearest(name, contracts)


def _contract(name: str, said: Mapping[str, Any], lower: Mapping[str, Contract]) -> Contract:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in said.items()
    }
    ignores, between = _ignores(said), fields.pop("between", None)
    fields.pop("outer_whitespace", None)
    base = lower.get(fields.pop("extends", ""))
    if base is not None and base.recorded:
        fields = {"extends": base, "tools": base.tools, **fields}
    return Contract(
        name=name,
        ignores_outer_whitespace=ignores,
        between=None if between is None else (between["model"], _ignores(between)),
        **fields,
    )


def _ignores(said: Mapping[str, Any]) -> bool:
    return said.get("outer_whitespace") == "ignored"


def read_stated_contract(top: Fields, contracts: Contracts, steps: Sequence[Step]) -> str:
    """Return the name of the contract whose expectations a scenario file states: the value of its key `contract`,
    otherwise the default contract. Adds a finding if this contract lacks a tool.
    """
    default = contracts[contracts.default]
    tools = {call.tool for step in steps for call in calls_of(step)} - {BASH}
    lacking = sorted(tools - set(default.tools))
    if top.values.get("contract") is None:
        if lacking:
            having = ", ".join(each.name for each in contracts.recorded if tools <= set(each.tools))
            fix = f"Write contract: with one that has it: {having}." if having else "Use another tool."
            message = f"{default.name} has no {', '.join(lacking)}"
            top.node.note(message, fix, rule="contract-lacks-tool")
        return default.name
    node, name = top["contract"], top.text("contract")
    known = {each.name: each for each in contracts if each.name != DOCUMENTED}
    if name not in known:
        node.note(f"there is no contract {name!r} with answers", _advice_for(name, tuple(known.values())))
        return default.name
    if absent := sorted(tools - set(known[name].tools)):
        message = f"{name} has no {', '.join(absent)}"
        node.note(message, "Name a contract that has it.", rule="contract-lacks-tool")
    elif not lacking and known[name].recorded:
        message = f"the default contract, {default.name}, has all tools of this scenario"
        fix = "Remove contract: `readfirst product record --missing` asks the other contracts."
        node.note(message, fix, rule="contract-not-needed", key=True)
    return name
