"""Contracts: the behaviours that an implementation can be compared with. They are defined in `contracts.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from readfirst.harness.yaml_io.yaml_validation import Fields, did_you_mean

DOCUMENTED = "documented"
DEFAULT_MODEL = "default"
"""Value of `model` for a contract that was recorded with the product's default model."""
LATEST = "latest"
"""A name for the newest recorded contract with the current model (without `+gated`), which users may write."""

_VERSION_PATTERN = re.compile(r"\d+\.\d+\.\d+(?:\+gated)?")
_NAME_PATTERN = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:\+gated)?")


class UnknownContractError(ReadfirstError, LookupError):
    """The suite has no contract with the requested name. The message suggests another contract."""


@cache
def _capabilities(tools: tuple[str, ...], lacks: tuple[str, ...]) -> frozenset[str]:
    return frozenset({*tools, *SESSION_CAPABILITIES}) - frozenset(lacks)


@dataclass(frozen=True, slots=True)
class Contract:
    """The behaviour that an implementation is compared with: of one version of the product with one model, or
    `documented`.
    """

    name: str
    package: str | None = None
    """Like `version`, `model` and `read_gate`, None for a contract without a product."""
    version: str | None = None
    model: str | None = None
    read_gate: ReadGate | None = None
    tools: tuple[str, ...] = TOOLS
    summary: str = ""
    released: str | None = None
    """A date, YYYY-MM-DD."""
    documents: tuple[str, ...] = ()
    """The documents that `documented` is based on."""
    lacks: tuple[str, ...] = ()
    """Capabilities that only later versions have, such as `during` (a hook can delay a call)."""
    follows: str | None = None
    """The last version before tools or capabilities changed, if they have changed since the previous contract."""
    ignores_outer_whitespace: bool = False
    """Whether whitespace at the ends of answers is not compared, because the product may remove it."""
    between: tuple[str, bool] | None = None
    """The model and the `ignores_outer_whitespace` of the versions since the previous contract, or None."""
    extends: Contract | None = None
    """A contract that judges the scenarios that state no result for this contract."""

    def for_scenario(self, scenario: Scenario) -> Contract:
        """Return this contract. If the scenario states no result for this contract, return the contract `extends`."""
        return self if self.extends is None or scenario.contract == self.name else self.extends

    @property
    def capabilities(self) -> frozenset[str]:
        """The capabilities that scenarios may use: the tools and SESSION_CAPABILITIES, without `lacks`."""
        return _capabilities(self.tools, self.lacks)

    @property
    def requested_model(self) -> str | None:
        """The model to use when the product is started. None if the product uses its default model."""
        return None if self.model == DEFAULT_MODEL else self.model

    @property
    def recorded(self) -> bool:
        """Whether the contract was recorded from the product. False for `documented` and a suite's own contracts."""
        return self.version is not None


@dataclass(frozen=True, slots=True)
class Contracts:
    """The contracts of a suite: `documented`, then all others in release order. `default` is the default contract."""

    default: str
    all: tuple[Contract, ...]

    def __iter__(self) -> Iterator[Contract]:
        return iter(self.all)

    def __contains__(self, name: object) -> bool:
        return any(contract.name == name for contract in self.all)

    def __getitem__(self, name: str) -> Contract:
        """Return the contract with this name, or the newest contract for `latest`. Raises UnknownContractError."""
        for contract in self.all:
            if contract.name == name:
                return contract
        if name == LATEST:
            return self.latest
        raise UnknownContractError(f"there is no contract {name!r}. {suggest_contract(name, self.all)}")

    @property
    def latest(self) -> Contract:
        """The newest recorded contract with the current model (not `+gated`). Otherwise the last contract."""
        recorded = self.recorded or self.all
        return next((each for each in reversed(recorded) if "+" not in each.name), recorded[-1])

    @property
    def recorded(self) -> tuple[Contract, ...]:
        """The contracts recorded from the product, in release order. `2.1.330+gated` comes after `2.1.330`."""
        return tuple(each for each in self.all if each.recorded)

    def before(self, contract: Contract) -> Contract | None:
        """Return the previous recorded contract with the same suffix (`+gated` or none), for the oldest contract with
        `+gated` the previous contract without a suffix. None for the first contract.
        """
        key, same_suffix = contract_sort_key(contract.name), _with_suffix_of(contract.name, self.all)
        older = [each for each in same_suffix if contract_sort_key(each.name) < key]
        if "+" in contract.name and not older:
            older = [each for each in self.recorded if contract_sort_key(each.name)[0] < key[0]]
        return max(older, key=lambda each: contract_sort_key(each.name), default=None)

    def find(self, name: str) -> Contract:
        """Return the contract with this name. For a version that was not recorded, return a copy of a similar contract,
        named `name`: of the next newer contract, of the previous contract if the version has the tools of that contract
        (`Contract.follows`), or of the newest contract. Raises UnknownContractError if `name` is not a version.
        """
        same_suffix = _with_suffix_of(name, self.all)
        if name in self or not is_version(name) or not same_suffix:
            return self[name]
        version = name.partition("+")[0]
        key = contract_sort_key(name)
        newer = (at for at, each in enumerate(same_suffix) if contract_sort_key(each.name) >= key)
        index = next(newer, -1)
        follows = same_suffix[index].follows
        if index > 0 and follows is not None and Version(version) <= Version(follows):
            index -= 1
        like = same_suffix[index]
        if like.between is not None and key < contract_sort_key(like.name):
            like = replace(like, model=like.between[0], ignores_outer_whitespace=like.between[1])
        return replace(
            like, name=name, version=version, summary="", released=None, follows=None, between=None
        )


def _with_suffix_of(name: str, contracts: Iterable[Contract]) -> list[Contract]:
    suffix = name.partition("+")[2]
    return [each for each in contracts if each.recorded and each.name.partition("+")[2] == suffix]


def is_version(name: str) -> bool:
    """Whether the name of a contract is a version number, with or without `+gated`."""
    return _NAME_PATTERN.fullmatch(name) is not None


@cache
def contract_sort_key(name: str) -> tuple[Version, str]:
    """Return a sort key for names of contracts: by version, `+gated` last. Names without a version come first."""
    version, _, variant = name.partition("+")
    try:
        return Version(version), variant
    except InvalidVersion:
        return Version("0"), name


def clause_for(scenario: Scenario, expectation: Expectation, contract: Contract) -> Clause | None:
    """Return the expected result of a call on `contract`. None if the scenario states no result for this contract.
    Raises ForeignContractError if the expectations of `scenario` are those of a different recorded contract.
    """
    if not contract.recorded:
        stated = expectation.recorded if scenario.contract == contract.name else None
        return (expectation.documented if contract.name == DOCUMENTED else None) or stated
    if expectation.recorded is not None and scenario.contract != contract.name:
        raise ForeignContractError(
            f"{scenario.id} was loaded for {scenario.contract or 'no contract'}, not for {contract.name}"
        )
    return expectation.recorded


def effects_clause_for(scenario: Scenario, expectation: Expectation, contract: Contract) -> Clause | None:
    """Return the result of `clause_for`, or else the recorded result. Used to compare a call's effects."""
    clause = clause_for(scenario, expectation, contract)
    return expectation.recorded if clause is None and not contract.recorded else clause


def load_contracts(path: Path, below: Contracts | None = None) -> Contracts:
    """Read `contracts.yaml`. Return its contracts together with `below`, the contracts of the suite that this suite
    extends. A contract replaces a contract in `below` with the same name. Raises SuiteError with all problems.
    """
    with read_checked(path, "contracts") as look:
        default: str = look.document.value["default"]
        entries = look.document.value.get("contracts", {})
        lower = {contract.name: contract for contract in below or ()}
        read = {name: _contract(name, fields, lower) for name, fields in entries.items()}
        for name, contract in read.items():
            if (base := entries[name].get("extends")) is not None and contract.extends is None:
                message = (
                    f"{name} extends {base!r}, which is not a contract of a version in the suites before"
                )
                versions = tuple(each for each in lower.values() if each.recorded)
                look.note(("contracts", name, "extends"), message, suggest_contract(base, versions))
        read = {**lower, **read}
        all_ = tuple(sorted(read.values(), key=lambda contract: contract_sort_key(contract.name)))
        if default not in read:
            message = f"the default {default!r} is not among the contracts"
            look.note(("default",), message, suggest_contract(default, all_))
        seen: dict[tuple[str | None, str | None], str] = {}
        for contract in (read[name] for name in entries):
            other = seen.setdefault((contract.version, contract.read_gate), contract.name)
            if contract.recorded and other != contract.name:
                message = f"{contract.name} and {other} have the same version and read_gate"
                fix = "Remove one, or correct version or read_gate."
                look.note(("contracts", contract.name), message, fix, key=True)
    return Contracts(default, all_)


def suggest_contract(name: str, contracts: Sequence[Contract]) -> str:
    """Return a sentence for an error message that suggests a contract instead of the unknown contract `name`: for a
    version between two contracts, the contract that behaves like this version.
    """
    if name == LATEST:
        return f"Write {contracts[-1].name.partition('+')[0]}: `latest` will be another contract later."
    if not _VERSION_PATTERN.fullmatch(name):
        names = [LATEST, *(contract.name for contract in contracts)]
        return did_you_mean(name, names, "`readfirst contracts` lists them, with the same --fixtures.")
    same_suffix = [contract.name for contract in _with_suffix_of(name, contracts)]
    older = [each for each in same_suffix if contract_sort_key(each) < contract_sort_key(name)]
    newer = [each for each in same_suffix if contract_sort_key(each) > contract_sort_key(name)]
    if not same_suffix:
        return "`readfirst contracts` lists them."
    if not newer:
        command = f"readfirst product snapshot {name.partition('+')[0]}"
        return f"{name} is newer than {same_suffix[-1]}, the newest of its kind. Record it: {command}."
    if not older:
        return f"{name} is older than {same_suffix[0]}, the oldest of its kind. Write {same_suffix[0]}."
    before, after = older[-1], newer[0]
    return f"{name} is between {before} and {after}: {_compare_behaviours(before, name, after)}"


def _compare_behaviours(older: str, name: str, newer: str) -> str:
    from readfirst.reference_impl.behaviours_by_version import behaviours_of  # slow to import, rarely needed

    try:
        behaviours = behaviours_of(name)
        same = [each for each in (older, newer) if behaviours_of(each) == behaviours]
    except ValueError:  # a user's suite may contain versions that the reference does not know
        return "write one of the two."
    if same:
        return f"the tools behave as those of {same[0]}. Write {same[0]}."
    return f"the tools changed before it and after it. Write {older} or {newer}."


def _contract(name: str, values: Mapping[str, Any], lower: Mapping[str, Contract]) -> Contract:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }
    ignores, between = _ignores_outer_whitespace(values), fields.pop("between", None)
    fields.pop("outer_whitespace", None)
    base = lower.get(fields.pop("extends", ""))
    if base is not None and base.recorded:
        fields = {"extends": base, "tools": base.tools, **fields}
    return Contract(
        name=name,
        ignores_outer_whitespace=ignores,
        between=None if between is None else (between["model"], _ignores_outer_whitespace(between)),
        **fields,
    )


def _ignores_outer_whitespace(values: Mapping[str, Any]) -> bool:
    return values.get("outer_whitespace") == "ignored"


def read_stated_contract(top: Fields, contracts: Contracts, steps: Sequence[Step]) -> str:
    """Return the contract that a scenario file names, or the default. Adds a finding if it lacks a called tool."""
    default = contracts[contracts.default]
    tools = {call.tool for step in steps for call in calls_of(step)} - {BASH}
    missing_tools = sorted(tools - set(default.tools))
    if top.values.get("contract") is None:
        if missing_tools:
            capable = ", ".join(each.name for each in contracts.recorded if tools <= set(each.tools))
            fix = f"Write contract: with one that has it: {capable}." if capable else "Use another tool."
            message = f"{default.name} has no {', '.join(missing_tools)}"
            top.node.note(message, fix, rule="contract-lacks-tool")
        return default.name
    node, name = top["contract"], top.text("contract")
    known = {each.name: each for each in contracts if each.name != DOCUMENTED}
    if name not in known:
        node.note(
            f"there is no contract {name!r} with answers", suggest_contract(name, tuple(known.values()))
        )
        return default.name
    if absent := sorted(tools - set(known[name].tools)):
        message = f"{name} has no {', '.join(absent)}"
        node.note(message, "Name a contract that has it.", rule="contract-lacks-tool")
    elif not missing_tools and known[name].recorded:
        message = f"the default contract, {default.name}, has all tools of this scenario"
        fix = "Remove contract: `readfirst product record --missing` records the other contracts."
        node.note(message, fix, rule="contract-not-needed", key=True)
    return name
