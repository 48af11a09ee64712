"""Read one scenario file into a Scenario, or report all errors in its form."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from readfirst.harness.pluralize import pluralize
from readfirst.harness.suite import scenario_checks
from readfirst.harness.suite.answer_shorthand import (
    DONE,
    SHOWN,
    apply_step,
    clause_from_shorthand,
    error_message,
)
from readfirst.harness.suite.case_table import SCENARIO_KEYS
from readfirst.harness.suite.contracts import Contracts, read_stated_contract
from readfirst.harness.suite.event_kinds import INTERRUPTIONS, SESSION_EVENTS, WORLD_EVENTS
from readfirst.harness.suite.events import WRITTEN_SESSION_EVENTS, read_event, read_session_event
from readfirst.harness.suite.expectations import CALL_KEYS, GROUP_KEYS, GROUPED_CALL_KEYS, read_expectation
from readfirst.harness.suite.file_content import MAX_CONTENT_BYTES, read_given_entry
from readfirst.harness.suite.file_entry import Entry
from readfirst.harness.suite.hooks import read_hooks
from readfirst.harness.suite.path_rules import CheckCall, check_call, is_safe
from readfirst.harness.suite.permissions import PERMISSION_KEYS, read_patterns, read_permissions
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
from readfirst.harness.suite.scenario_inputs import inputs_of
from readfirst.harness.suite.scenario_metadata import REQUIREMENTS
from readfirst.harness.suite.tool_schemas import find_unknown_argument
from readfirst.harness.yaml_io.strict_yaml import Document
from readfirst.harness.yaml_io.yaml_validation import (
    FormError,
    Inspection,
    Node,
    did_you_mean,
    json_type_name,
)

_ACTIONS = (*CALLS, *WORLD_EVENTS, *WRITTEN_SESSION_EVENTS, "parallel", "at_once")
_SHORTHAND_USES = {SHOWN: "a Read of lines of a text file", DONE: "a change of a text file"}
"""The kind of call that each short form is for. Used in messages about calls that do not permit the short form."""
_ERROR_NAME_PATTERN = re.compile(r"[a-z]+(_[a-z]+)*")
_UNCLEAR_RULE = "unclear-word"
_MAX_REPETITIONS = 1000
"""Maximum of the key `times` of `at_once`: how often two sessions repeat their simultaneous calls."""
_DISK_SIZES = range(2 * DISK_PAGE, (1 << 20) + 1, DISK_PAGE)


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
    """Create a scenario from a parsed file. If `require_expect`, each call must have an expectation. If `trusted`,
    paths and programs are not checked. `composed` means that a program composed the scenario, so its expectations are
    only in its recording. `words` returns the messages of named errors. Raises SuiteError with all problems of the
    file.
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
    """Reads a scenario file. Each method reads some keys, adds findings for errors, and continues."""

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
        """The calls that lack a required expectation, with their tools."""
        self.files: dict[str, Entry | None] = {}
        """The given files, after the changes of the steps read so far."""

    def scenario(self, scenario_id: str, *, composed: bool) -> Scenario:
        top = self.top.mapping(SCENARIO_KEYS, ("title", "requirement", "steps"))
        # Repeated texts are expanded only after their total size was checked.
        repeated = {key: repeated_characters(top.values.get(key)) for key in ("given", "steps")}
        if sum(repeated.values()) > MAX_CONTENT_BYTES:
            message = (
                f"the repeated texts of all files and steps have more than {MAX_CONTENT_BYTES:,} characters"
            )
            longest = max(repeated, key=lambda key: repeated[key])
            self.note((longest,), message, "Use a lower number of `times`.", key=True)
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
            more = f", nor have {pluralize(len(others), 'later call')}" if others else ""
            fix = "Write it, or let `readfirst product record` fill it in."
            node.note(f"the call of {tool} has no expect{more}", fix, rule="missing-expect")
        scenario_checks.check_rewinds(self, steps)
        scenario_checks.check_hooks(self, given, steps)
        parts = [part for step in steps for part in parts_of(step)]
        if not given.reminders:
            scenario_checks.check_no_expectations(
                self,
                (part for part in parts if any(clause.reminders for clause in part.expect.clauses())),
                "reminders are expected in line {line}, but not compared",
                "Write `reminders: true` below given.",
            )
        contract = read_stated_contract(top, self.contracts, steps)
        if composed:
            scenario_checks.check_no_expectations(
                self,
                (part for part in parts if part.expect.clauses()),
                "line {line} contains an expectation, but expectations in the corpus are only in recordings",
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
                files[path] = read_given_entry(content)
        if "repositories" in fields:
            folders = fields["repositories"].listed(empty=False)
            safe = [each.value for each in folders if each.value == "." or is_safe(each, each.value)]
            files |= repository_files(safe, files)
        scenario_checks.check_given_paths(self, files)
        self.files = {**files}
        deny = read_patterns(fields, "deny")
        reminders, memory_files = (
            key in fields and fields[key].one_of((True,)) for key in ("reminders", "memory_files")
        )
        hooks, permissions = read_hooks(self.check_call, fields), read_permissions(fields)
        disk = fields.read("disk", lambda size: size.one_of(_DISK_SIZES))
        return Given(files, deny, reminders, hooks, permissions, disk, memory_files)

    def step(self, node: Node) -> Sequence[Step]:
        action = self.action(node.called("a step"), _ACTIONS)
        steps = self.steps_of(node, action) if action is not None else ()
        if (
            action not in SESSION_EVENTS
        ):  # `read_session_event` has already passed its inner steps to this method
            for each in steps:
                apply_step(each, self.files)
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
        """Return the key that names the tool or event of a step, such as `Edit`. Adds a finding if it is missing."""
        begin = f"Begin it with one of: {', '.join(actions)}."
        if not isinstance(node.value, dict):
            node.note(f"{node.what} must be a mapping, not {json_type_name(node.value)}", begin)
            return None
        keys: list[str] = [key for key in node.value if key in actions]
        if len(keys) == 1:
            return keys[0]
        if keys:
            fix = "Write separate steps, or write the calls of one message below parallel:."
            node.below(keys[1]).note(f"{node.what} has both {keys[0]} and {keys[1]}", fix, key=True)
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
        """Yield each call in a list. Calls with errors are reported and skipped. `others` are further keys of calls."""
        for node in nodes:
            action = self.action(node.called("a call"), CALLS)
            if action:
                yield self.call(node, action, others)

    def call(self, node: Node, tool: str, others: tuple[str, ...]) -> ToolCall:
        """Read one call of `tool`. `others` are further keys that the call may have, such as `during`."""
        is_grouped = "during" not in others
        fields = node.mapping((tool, *others))
        stated = fields[tool].mapping()
        arguments = {name: read_arguments(value) for name, value in stated}
        self.check_call(stated.node.path, tool, arguments)
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
            keys = GROUPED_CALL_KEYS if is_grouped else CALL_KEYS
            read_shorthand = partial(self.read_shorthand, tool=tool, arguments=arguments)
            expect = read_expectation(fields["expect"], keys, read_shorthand)
        elif self.require_expect and not self.invariant:
            self.unexpected.append((node, tool))
        return ToolCall(tool, arguments, tuple(events), expect, node.position, interrupted)

    def read_shorthand(
        self,
        node: Node,
        shorthand: str,
        files: Mapping[str, Entry | None],
        *,
        tool: str,
        arguments: Mapping[str, Any],
    ) -> Clause:
        """Return the expected result for a short form: `shown`, `done`, or the name of an error. For `done`, `files`
        contains the file changes that the scenario states. If `files` is empty, the tool's usual changes are expected.
        """
        position = node.position
        rule = _UNCLEAR_RULE if _ERROR_NAME_PATTERN.fullmatch(shorthand) else "schema"
        if files and shorthand != DONE:
            fix = f"Write `answer: {DONE}`, or `error:` and `text:`."
            node.note(f"{shorthand!r} does not describe changed files", fix, rule=rule)
            return Clause(position=position)
        if shorthand not in (SHOWN, DONE):
            words = self.words().get(shorthand)
            if words is None:
                fix = did_you_mean(shorthand, [SHOWN, DONE, *self.words()])
                node.note(f"{shorthand!r} is not the short form of an expectation", fix, rule=rule)
                return Clause(error=shorthand, position=position)
            text = error_message(words, arguments)
            if text is None:
                fix = "Write `error:` and `text:`, or add the arguments in its message to the call."
                message = f"the message of {shorthand} contains an argument that this {tool} lacks"
                node.note(message, fix, rule=_UNCLEAR_RULE)
            return Clause(error=shorthand, text=text, position=position)
        clause = clause_from_shorthand(shorthand, tool, arguments, self.files, files)
        if clause is None:
            use = _SHORTHAND_USES[shorthand]
            fix = f"Write `text:` and the text. `{shorthand}` is for {use} whose content the scenario states."
            unclear = f"the result of this {tool} cannot be derived from the scenario", fix
            unknown = find_unknown_argument(tool, arguments)
            node.note(*(unknown or unclear), rule="unknown-argument" if unknown else _UNCLEAR_RULE)
            return Clause(position=position)
        return replace(clause, position=position)

    def interruption(
        self, node: Node, events: Sequence[WorldEvent], arguments: Mapping[str, Any]
    ) -> Interruption:
        """Read the key `interrupted`. Adds a finding if the call's events or arguments exclude this interruption."""
        kind: Interruption = node.one_of(get_args(Interruption))
        if events and not INTERRUPTIONS[kind].waits:
            node.note(
                f"`during` cannot be used with `interrupted: {kind}`", "Write the events before the call."
            )
        last = list(arguments.values())[-1] if arguments else None
        if kind in ("cut", "limit") and not (isinstance(last, str) and len(last) > 1):
            node.note("the last argument is not a text of several characters", "Put a longer text last.")
        return kind

    def parallel(self, node: Node) -> ParallelCalls:
        fields = node.mapping(("parallel", "expect"))
        listed = fields["parallel"].listed()
        if len(listed) < 2:
            raise FormError(fields["parallel"])
        calls = tuple(self.calls(listed, ("expect",)))
        expect = read_expectation(fields["expect"], GROUP_KEYS) if "expect" in fields else Expectation()
        return ParallelCalls(calls, expect, node.position)

    def at_once(self, node: Node) -> Sequence[ParallelCalls]:
        """Read `at_once`: calls that two sessions make at the same time. Return a group for each repetition."""
        if not self.invariant:
            fix = "Write `invariant: true`: the outcome depends on the faster session."
            node.note("`at_once` is allowed only in an invariant", fix, key=True)
        keys = ("sessions", "times")
        fields = node.mapping(keys, required=keys)
        times, sessions = fields["times"].number(1, _MAX_REPETITIONS), fields["sessions"].listed()
        if len(sessions) != 2:
            raise FormError(fields["sessions"])
        calls_by_side = [tuple(self.calls(session.listed(empty=False), ())) for session in sessions]
        calls = (*calls_by_side[0], *calls_by_side[1])
        sides = tuple(side for side, own_calls in enumerate(calls_by_side) for _ in own_calls)
        return [
            ParallelCalls(
                tuple(_number_call(call, number) for call in calls), position=node.position, sides=sides
            )
            for number in range(1, times + 1)
        ]


def _number_call(call: ToolCall, number: int) -> ToolCall:
    texts = {
        name: value.replace("{n}", str(number)) if type(value) is str else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=texts)
