"""Read one scenario file into a Scenario, or report everything that is wrong with its form."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from readfirst.harness.pluralize import pluralize
from readfirst.harness.suite.answer_shorthand import DONE, SHOWN, in_words, make, plain_answer
from readfirst.harness.suite.case_table import SCENARIO_KEYS
from readfirst.harness.suite.contracts import Contracts, read_stated_contract
from readfirst.harness.suite.event_kinds import INTERRUPTIONS, SESSION_EVENTS, WORLD_EVENTS
from readfirst.harness.suite.events import STATED_SESSION_EVENTS, read_event, read_session_event
from readfirst.harness.suite.expectations import CALL_KEYS, GROUP_KEYS, GROUPED_CALL_KEYS, read_expectation
from readfirst.harness.suite.file_content import MAX_CONTENT_BYTES, given_entry
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.hooks import read_hooks
from readfirst.harness.suite.path_rules import CheckCall, check_call, is_safe
from readfirst.harness.suite.permissions import PERMISSION_KEYS, read_permissions, read_rules
from readfirst.harness.suite.repeated_text import read_arguments, repeated_characters
from readfirst.harness.suite.repository import repository_files
from readfirst.harness.suite.scenario import (
    CALLS,
    DISK_PAGE,
    PLATFORMS,
    Clause,
    Expectation,
    Given,
    Interruption,
    ParallelCalls,
    Scenario,
    Step,
    ToolCall,
    WorldEvent,
    parts_of,
)
from readfirst.harness.suite.scenario_checks import (
    check_given_paths,
    check_hooks,
    check_rewinds,
    check_stated,
)
from readfirst.harness.suite.scenario_inputs import inputs_of
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS
from readfirst.harness.suite.tool_schemas import find_unknown_argument
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.strict_yaml import Document
from readfirst.harness.yaml_io.yaml_validation import (
    FormError,
    Inspection,
    Node,
    did_you_mean,
    json_type_name,
)

_ACTIONS = (*CALLS, *WORLD_EVENTS, *STATED_SESSION_EVENTS, "parallel", "at_once")
_PLAIN = {
    SHOWN: "a Read of lines of a text file",
    DONE: "a change of a text file",
}
"""The answer that each short form may stand for. An error message names this answer if the call is a different one."""
_WORD = re.compile(r"[a-z]+(_[a-z]+)*")
_UNCLEAR = "unclear-word"
_ROUNDS = 1000
"""Maximum number of repetitions of calls that two sessions make at the same time."""
_LARGEST_DISK = 1 << 20


def load_scenario(path: Path, root: Path, contracts: Contracts, *, require_expect: bool = True) -> Scenario:
    """Read one scenario file. `root` is the directory `scenarios`; ids are relative to it.

    Without `require_expect`, calls may lack an expectation, because a recorder adds it. Raises SuiteError with all
    problems, or StrictYamlError with the first.
    """
    document = strict_yaml.load(strict_yaml.read(path, suite=root.parent), path)
    scenario_id = path.relative_to(root).with_suffix("").as_posix()
    return scenario_from(document, scenario_id, contracts, require_expect)


def scenario_from(
    document: Document,
    scenario_id: str,
    contracts: Contracts,
    require_expect: bool = True,
    *,
    trusted: bool = False,
    composed: bool = False,
    words: Callable[[], Mapping[str, str]] = dict,
) -> Scenario:
    """Build a scenario from a parsed document, as `load_scenario` does. Raises SuiteError.

    `trusted`: paths and programs are not checked. `composed`: the expectations are only in the recording. `words`
    returns the messages of the errors that an expectation may state by name only.
    """
    reader = _Reader(document, contracts, require_expect, trusted=trusted, words=words)
    try:
        scenario = reader.scenario(scenario_id, composed=composed)
    except FormError as error:
        from readfirst.harness.suite.schema import explain_error  # here, because few files need it

        raise explain_error(
            error, reader, "scenario", without=() if require_expect else ("missing-expect",)
        ) from None
    reader.finish()
    return scenario


class _Reader(Inspection):
    """Reads a scenario, with a method for each part of the format. The methods add findings for errors and continue."""

    def __init__(
        self,
        document: Document,
        contracts: Contracts,
        require_expect: bool,
        *,
        trusted: bool,
        words: Callable[[], Mapping[str, str]],
    ) -> None:
        super().__init__(document)
        self.words = words
        self.contracts = contracts
        self.require_expect = require_expect
        self.invariant = False
        self.check_call: CheckCall = (lambda *_: None) if trusted else partial(check_call, self)
        self.unexpected: list[tuple[Node, str]] = []
        """The calls that have no expectation and need one, with their tools."""
        self.files: dict[str, Entry | None] = {}
        """The given files, after the changes of the steps read so far."""

    def scenario(self, scenario_id: str, *, composed: bool) -> Scenario:
        top = self.top.mapping(SCENARIO_KEYS, ("title", "requirement", "steps"))
        # Nothing is expanded before that is known.
        repeated = {key: repeated_characters(top.values.get(key)) for key in ("given", "steps")}
        if sum(repeated.values()) > MAX_CONTENT_BYTES:
            message = (
                f"the repeated texts of all files and steps have more than {MAX_CONTENT_BYTES:,} characters"
            )
            longest = max(repeated, key=lambda key: repeated[key])
            self.note((longest,), message, "Lower times: no rule of the tools needs more.", key=True)
            self.finish()
        title, about, rule, disputed = map(top.text, ("title", "about", "rule", "disputed"))
        tags, sources = top.texts("tags"), top.texts("sources")
        self.invariant = any(key in top and top[key].one_of((True,)) for key in ("invariant", "law"))
        platform = top["platform"].one_of(PLATFORMS) if "platform" in top else ""
        if "platform" in top and not self.invariant and platform != "linux":
            fix = "Write `invariant: true`, and remove each expect."
            top["platform"].note("the product was recorded only on Linux", fix, key=True)
        requirement = top["requirement"].one_of(REQUIREMENTS)
        given = top.read("given", self.given) or Given()
        steps: list[Step] = []
        for each in top["steps"].listed(empty=False):
            steps.extend(self.step(each))
        if self.unexpected:
            (node, tool), *others = self.unexpected
            beside = f", nor have {pluralize(len(others), 'later call')}" if others else ""
            fix = "Write it, or let `readfirst product record` fill it in."
            node.note(f"the call of {tool} has no expect{beside}", fix, rule="missing-expect")
        check_rewinds(self, steps)
        check_hooks(self, given, steps)
        parts = [part for step in steps for part in parts_of(step)]
        if not given.reminders:
            check_stated(
                self,
                (part for part in parts if any(each.reminders for each in part.expect.clauses())),
                "reminders are expected in line {line}, but not judged",
                "Write `reminders: true` below given.",
            )
        contract = read_stated_contract(top, self.contracts, steps)
        if composed:
            check_stated(
                self,
                (part for part in parts if part.expect.clauses()),
                "something is expected in line {line}, which here the recording alone says",
                "Remove `expect`.",
                rule="expect-in-corpus",
            )
        return Scenario(
            id=scenario_id,
            title=title,
            requirement=requirement,
            given=given,
            steps=tuple(steps),
            contract=contract,
            inputs=inputs_of(top.values),
            about=about,
            tags=tags,
            sources=sources,
            path=self.document.file,
            rule=rule,
            disputed=disputed,
            platform=platform,
            invariant=self.invariant,
            composed=composed,
        )

    def given(self, node: Node) -> Given:
        known = (
            "files",
            "repositories",
            "deny",
            "reminders",
            "hooks",
            "memory_files",
            "disk",
            *PERMISSION_KEYS,
        )
        fields = node.mapping(known)
        files: dict[str, Entry] = {}
        for path, content in fields["files"].mapping() if "files" in fields else ():
            if is_safe(content, path, key=True):
                files[path] = given_entry(content)
        if "repositories" in fields:
            folders = fields["repositories"].listed(empty=False)
            safe = [each.value for each in folders if each.value == "." or is_safe(each, each.value)]
            files |= repository_files(safe, files)
        check_given_paths(self, files)
        self.files = {**files}
        deny = read_rules(fields, "deny")
        reminders, memory_files = (
            key in fields and fields[key].one_of((True,)) for key in ("reminders", "memory_files")
        )
        hooks, permissions = read_hooks(self.check_call, fields), read_permissions(fields)
        disk = fields.read("disk", self.disk)
        return Given(files, deny, reminders, hooks, permissions, disk, memory_files)

    def disk(self, node: Node) -> int:
        return node.one_of(range(2 * DISK_PAGE, _LARGEST_DISK + 1, DISK_PAGE))

    def step(self, node: Node) -> Sequence[Step]:
        action = self.action(node.called("a step"), _ACTIONS)
        steps = self.steps_of(node, action) if action is not None else ()
        if action not in SESSION_EVENTS:  # whose own steps come here one by one
            for each in steps:
                make(each, self.files)
        return steps

    def steps_of(self, node: Node, action: str) -> Sequence[Step]:
        if action in CALLS:
            return (self.call(node, action, ("during", "interrupted", "expect")),)
        if action == "parallel":
            return (self.parallel(node),)
        if action == "at_once":
            return self.at_once(node.mapping((action,))[action])
        if action in SESSION_EVENTS:
            node.mapping((action,))
            return read_session_event(node, action, self.step)
        return read_event(node, action)

    def action(self, node: Node, actions: Sequence[str]) -> str | None:
        """Return the only key of a step that names an action. Otherwise add a finding and return None."""
        begin = f"Begin it with one of: {', '.join(actions)}."
        if not isinstance(node.value, dict):
            node.note(f"{node.what} must be a mapping, not {json_type_name(node.value)}", begin)
            return None
        found: list[str] = [key for key in node.value if key in actions]
        if len(found) == 1:
            return found[0]
        if found:
            fix = "Make each its own step; calls of one message go under parallel:."
            node.below(found[1]).note(f"{node.what} has both {found[0]} and {found[1]}", fix, key=True)
            return None
        others = [key for key in node.value if key not in ("during", "interrupted", "expect")]
        if not others:
            node.note(f"{node.what} does nothing", begin)
        elif others[0][:1].isupper():
            fix = did_you_mean(others[0], [action for action in actions if action in CALLS] or actions)
            message = f"there is no tool {others[0]!r}"
            node.below(others[0]).note(message, fix, rule="unknown-tool", key=True)
        else:
            fix, message = did_you_mean(others[0], actions), f"{others[0]!r} is not a step here"
            node.below(others[0]).note(message, fix, rule="unknown-event", key=True)
        return None

    def calls(self, nodes: Sequence[Node], others: tuple[str, ...]) -> Iterator[ToolCall]:
        """Yield the calls in a list. Calls with errors are skipped and reported."""
        for node in nodes:
            action = self.action(node.called("a call"), CALLS)
            if action:
                yield self.call(node, action, others)

    def call(self, node: Node, tool: str, others: tuple[str, ...]) -> ToolCall:
        grouped = "during" not in others
        fields = node.mapping((tool, *others))
        asked = fields[tool].mapping()
        arguments = {name: read_arguments(value) for name, value in asked}
        self.check_call(asked.node.path, tool, arguments)
        events: list[WorldEvent] = []
        for each in fields["during"].listed(empty=False) if "during" in fields else ():
            if action := self.action(each.called("a world event"), tuple(WORLD_EVENTS)):
                events.extend(read_event(each, action))
        interrupted = None
        if "interrupted" in fields:
            interrupted = self.interruption(fields["interrupted"], events, arguments)
        expect = Expectation()
        if "expect" in fields and self.invariant:
            fix = "Remove it: an invariant only checks that no harm occurs."
            fields["expect"].note("a call of an invariant has no expect", fix, key=True)
        elif "expect" in fields:
            keys = GROUPED_CALL_KEYS if grouped else CALL_KEYS
            in_a_word = partial(self.in_a_word, tool=tool, arguments=arguments)
            expect = read_expectation(fields["expect"], keys, in_a_word)
        elif self.require_expect and not self.invariant:
            self.unexpected.append((node, tool))
        return ToolCall(tool, arguments, tuple(events), expect, node.position, interrupted)

    def in_a_word(
        self,
        node: Node,
        word: str,
        files: Mapping[str, Entry | None],
        *,
        tool: str,
        arguments: Mapping[str, Any],
    ) -> Clause:
        """Return the clause that a short form stands for: the usual result of a call, or a refusal.

        If `files` are stated, the clause contains the answer that reports these changes.
        """
        position = node.position
        rule = _UNCLEAR if _WORD.fullmatch(word) else "schema"
        if files and word != DONE:
            fix = f"Write `answer: {DONE}`, or `error:` and `text:`."
            node.note(f"{word!r} says nothing of changed files", fix, rule=rule)
            return Clause(position=position)
        if word not in (SHOWN, DONE):
            words = self.words().get(word)
            if words is None:
                fix = did_you_mean(word, [SHOWN, DONE, *self.words()])
                node.note(f"{word!r} alone says nothing that is expected", fix, rule=rule)
                return Clause(error=word, position=position)
            text = in_words(words, arguments)
            if text is None:
                fix = "Write `error:` and `text:`, or give the call the arguments that its message names."
                message = f"the message of {word} names an argument that this {tool} lacks"
                node.note(message, fix, rule=_UNCLEAR)
            return Clause(error=word, text=text, position=position)
        clause = plain_answer(word, tool, arguments, self.files, files)
        if clause is None:
            fix = f"Write `text:` and the text; `{word}` is for {_PLAIN[word]} that the scenario states."
            unclear = f"what this {tool} gives is not known here", fix
            unknown = find_unknown_argument(tool, arguments)
            node.note(*(unknown or unclear), rule="unknown-argument" if unknown else _UNCLEAR)
            return Clause(position=position)
        return replace(clause, position=position)

    def interruption(
        self, node: Node, events: Sequence[WorldEvent], arguments: Mapping[str, Any]
    ) -> Interruption:
        """Read the interruption of a call. Adds a finding if it does not fit the events or arguments of the call."""
        how: Interruption = node.one_of(get_args(Interruption))
        if events and not INTERRUPTIONS[how].waits:
            node.note(f"a call that is {how} has no moment for `during`", "Make them steps before it.")
        last = list(arguments.values())[-1] if arguments else None
        if how in ("cut", "limit") and not (isinstance(last, str) and len(last) > 1):
            node.note("the last argument is no text that can be cut", "Put a longer text last.")
        return how

    def parallel(self, node: Node) -> ParallelCalls:
        fields = node.mapping(("parallel", "expect"))
        listed = fields["parallel"].listed()
        if len(listed) < 2:
            raise FormError(fields["parallel"])
        calls = tuple(self.calls(listed, ("expect",)))
        expect = read_expectation(fields["expect"], GROUP_KEYS) if "expect" in fields else Expectation()
        return ParallelCalls(calls, expect, node.position)

    def at_once(self, node: Node) -> Sequence[ParallelCalls]:
        """Read the calls that two sessions make at the same time. Returns one group for each repetition."""
        if not self.invariant:
            fix = "Write `invariant: true`: the outcome depends on the faster session."
            node.note("`at_once` is allowed only in an invariant", fix, key=True)
        keys = ("sessions", "times")
        fields = node.mapping(keys, required=keys)
        times, sessions = fields["times"].number(1, _ROUNDS), fields["sessions"].listed()
        if len(sessions) != 2:
            raise FormError(fields["sessions"])
        acting = [
            (side, call)
            for side, session in enumerate(sessions)
            for call in self.calls(session.listed(empty=False), ())
        ]
        sides = tuple(side for side, _ in acting)
        return [
            ParallelCalls(
                tuple(_number_call(each, number) for _, each in acting), position=node.position, sides=sides
            )
            for number in range(1, times + 1)
        ]


def _number_call(call: ToolCall, number: int) -> ToolCall:
    """Return a call with `number` in place of `{n}` in its texts."""
    texts = {
        name: value.replace("{n}", str(number)) if type(value) is str else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=texts)
