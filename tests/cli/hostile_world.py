"""The data of a report. Tests replace any of its texts by a hostile text, to check that reports escape it."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.report import RunFacts
from readfirst.harness.report.results import ReportSources, Results, Run
from readfirst.harness.run.run_command import RunRequest
from readfirst.harness.suite.contracts import Contracts
from readfirst.harness.suite.file_entry import RegularFile, Symlink
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rule, Rules
from readfirst.harness.suite.scenario import Clause, Expectation, Given, Scenario, ToolCall, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.finding import Position

PLAIN = "plain words"


@dataclass(frozen=True)
class World:
    answer: str = PLAIN
    expected: str = "other words"
    file_beside: str = PLAIN
    error_name: str = PLAIN
    breakage: str = PLAIN
    unsupported: str = PLAIN
    accepted: str = PLAIN
    stale: str = PLAIN
    scenario_id: str = PLAIN
    title: str = PLAIN
    about: str = PLAIN
    source: str = PLAIN
    given_name: str = PLAIN
    given_content: str = PLAIN
    link_target: str = PLAIN
    deny_rule: str = PLAIN
    argument_name: str = PLAIN
    argument: str = PLAIN
    event_path: str = PLAIN
    expected_text: str = PLAIN
    expected_file: str = PLAIN
    documented: str = PLAIN
    rule_title: str = PLAIN
    target: str = PLAIN
    name: str = PLAIN
    contract: str = PLAIN
    version: str = PLAIN
    fixtures: str = PLAIN

    def scenario(self, scenario_id: str) -> Scenario:
        clause = Clause(
            documented=self.documented,
            text=self.expected_text,
            files={self.expected_file: RegularFile(self.expected_text.encode("utf-8", "surrogatepass"))},
            position=self.place,
        )
        call = ToolCall(
            "Edit",
            {"file_path": "$WS/a", self.argument_name: self.argument},
            expect=Expectation(clause, clause),
            position=self.place,
        )
        given = {
            self.given_name: RegularFile(self.given_content.encode("utf-8", "surrogatepass")),
            "link": Symlink(self.link_target),
        }
        return Scenario(
            scenario_id,
            self.title,
            "must",
            Given(given, (self.deny_rule,)),
            (WorldEvent("touch", self.event_path), call),
            about=self.about,
            sources=(self.source,),
            rule="the-rule",
            contract="2.1.7",
        )

    @property
    def place(self) -> Position:
        return Position(Path(f"/suite/{self.fixtures}/scenarios/family/x.yaml"), 3, 5)

    @property
    def rules(self) -> Rules:
        rule = Rule("the-rule", self.rule_title, "safety", "must", ("Edit",), (), "", self.place)
        return Rules(dict.fromkeys(CLASSES, "harm"), {rule.id: rule})

    def make_verdicts(self) -> list[tuple[Verdict, BaselineResult]]:
        make_difference = partial(Difference, 1, 0, position=self.place)
        differences = (
            make_difference("effects", f"path ../{self.file_beside}", "nothing there", "a file"),
            make_difference("reason", "error", "not_read", self.error_name),
            make_difference("text", "text", self.expected, self.answer),
        )
        fails = dict.fromkeys(("effects", "reason", "text", "verbatim"), False)
        holds = dict.fromkeys(fails, True)
        about = {"requirement": "must", "rule": "the-rule", "length": 3, "calls": 1, "steps": 1}
        make = partial(Verdict, contract=self.contract, level="text", **about)
        no, yes = BaselineResult(conformant=False), BaselineResult(conformant=True)
        return [
            (make(f"family/{self.scenario_id}", status="failed", levels=fails, differences=differences), no),
            (make("family/hangs", status="error", levels={}, blame="adapter", reason=self.breakage), no),
            (make("family/lacks", status="unsupported", levels={}, reason=self.unsupported), yes),
            (
                make("family/known", status="failed", levels=fails, differences=differences),
                replace(yes, accepted=self.accepted),
            ),
            (make("family/holds", status="passed", levels=holds), yes),
            (make("family/late", status="passed", levels=holds), replace(no, stale=self.stale)),
        ]

    def commands(self, contract: str) -> Any:
        return RunRequest(Suite(), self.target, fixtures=[self.fixtures]).commands(contract)

    def facts(self) -> RunFacts:
        return RunFacts(
            target=self.target,
            name=self.name,
            contracts=(self.contract,),
            level="text",
            scenarios=len(self.make_verdicts()),
            commands=self.commands,
            find=self.scenario,
            rules=self.rules,
        )

    def results(self) -> Results:
        run = Run(
            self.target, self.contract, "text", self.version, tuple(self.make_verdicts()), name=self.name
        )
        return Results((run, replace(run, series=1)))

    def sources(self) -> ReportSources:
        return ReportSources(
            find=self.scenario,
            contracts=Contracts("", ()),
            with_expectations_of=lambda scenario, contract: scenario,
            commands=lambda run: self.commands(run.contract),
            version=self.version,
            rules=self.rules,
            of_class=lambda class_: [],
        )
