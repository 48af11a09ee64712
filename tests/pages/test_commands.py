"""Every command on the pages of the documentation is run unchanged, in the working directory of a user."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import typer.main

from readfirst.harness.cli import main as cli
from tests.command_line import GROUPS
from tests.pages.page import CHECKOUT, PAGES, Block, blocks, code, name_of
from tests.pages.stage import Stage, copy_of_checkout, users_folder

GUIDES = ("adapters", "isolation", "running", "private-suites", "diagnosis", "fuzzing")
USERS_PAGES = ("README.md", *(f"docs/{name}.md" for name in GUIDES))
"""Pages whose users work in the directory of their implementation; all other users work in the checkout."""
MARKS = ("slow", "node", "live", "agents", "browser")


@dataclass(frozen=True)
class Plan:
    """How to run a command. `before`: shell commands that run first. `contracts`: those of the small suite."""

    mark: str = "slow"
    codes: tuple[int, ...] = (0,)
    before: str = ""
    bundled: bool = False
    contracts: tuple[str, ...] = ()
    seconds: float = 120


DIFFERS = Plan(codes=(0, 1))
LIVE = Plan("live", (0, 1), seconds=900)
BUNDLED = Plan(bundled=True)
UNEQUAL = Plan(codes=(1,), bundled=True)
TOOLS = "python:readfirst_adapter:Tools"
GATED = "2.1.228 2.1.228+gated"
STREAM = "readfirst run reference --format jsonl --output"
RESULTS = f"mkdir results && {STREAM} results/reference.jsonl"
(NEW,) = re.findall(r"\$ readfirst new (\S+)", (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8"))
WRITTEN = f"readfirst new {NEW} && cp page.yaml fixtures/scenarios/{NEW}.yaml"
RECORDED = " && ".join(
    f"cp {shlex.quote(str(CHECKOUT))}/fixtures/{folder}/{NEW}.* fixtures/{folder}/{NEW.partition('/')[0]}/"
    for folder in ("scenarios", "recordings")
)
SHARD = "readfirst product record --contract all --shard {0}/4 --takes takes-{0}"
OTHER_SHARDS = " && ".join(map(SHARD.format, (2, 3, 4)))
"""A shell command that records the other three of four parts of the suite."""

NEW_MAPPING = "readfirst targets new-mapping 'mcp:node renamed.mjs' --output mine.yaml"

HAS_SERVER = f"cp {shlex.quote(str(CHECKOUT / 'tests' / 'pages' / 'renamed.mjs'))} ."
HAS_MAPPING = f"{HAS_SERVER} && (test -f mine.yaml || {NEW_MAPPING})"
HAS_BASELINE = f"{HAS_MAPPING} && {{ readfirst run target:mine.yaml --update-baseline; test $? -le 1; }}"
EXPLAIN = (
    "sed -i.bak 's/not explained yet/Write does not ask for a Read. Planned for the next release./' "
    "baselines/mine@dev.yaml"
)

PRIVATE = "ours/scenarios/drafts/keep-the-save.yaml"
HAS_PRIVATE_SUITE = (
    "test -d ours || readfirst new drafts/keep-the-save --fixtures ours; "
    f"printf %s {shlex.quote(code('docs/private-suites.md', 'yaml')[0])} > {PRIVATE}"
)
"""Writes the scenario of the page over the one from `readfirst new`."""

OWN_CACHE = 'export XDG_CACHE_HOME="$PWD/cache" && mkdir -p cache/readfirst/claude-code/2.1.330'
"""No test may clear the user's cache."""

PLANS = {
    "readfirst lint --fixtures ours": Plan(before=HAS_PRIVATE_SUITE),
    **dict.fromkeys(
        (
            f"readfirst run {TOOLS} --fixtures bundled --fixtures ours --trust --level effects "
            "--baseline accepted.yaml --update-baseline",
            "readfirst new gate/edit-unread --from bundled --fixtures ours",
        ),
        Plan(before=HAS_PRIVATE_SUITE),
    ),
    "readfirst run 'mcp:node server.mjs' --level effects": Plan("node", (1,)),
    "readfirst run 'mcp:node server.mjs' --level safe": Plan("node", (1,)),
    "readfirst run 'mcp:python3 server.py' --level effects": Plan(codes=(1,)),
    "readfirst run 'mcp:node server.mjs' --confine": Plan("node", (1,)),
    f"readfirst run {TOOLS} --confine": Plan(codes=(1,)),
    f"readfirst run {TOOLS} --level effects --last-failed --keep kept": Plan(codes=(5,)),
    f"readfirst fuzz {TOOLS} --level effects --minutes 0.1": DIFFERS,
    f"readfirst fuzz {TOOLS} --level safe --minutes 1": DIFFERS,
    f"readfirst fuzz {TOOLS} --against reference --level effects --seed 7 --steps 300": DIFFERS,
    **{f"readfirst diff {sides}": DIFFERS for sides in ("2.1.7 2.1.228", GATED, "documented 2.1.7")},
    **{f"readfirst product behaviours --diff {sides}": DIFFERS for sides in ("2.1.7 2.1.40", GATED)},
    "readfirst diff 2.1.7 run.jsonl": Plan(codes=(0, 1), before=f"{STREAM} run.jsonl"),
    "readfirst report results/*.jsonl --format html --output implementations.html": Plan(before=RESULTS),
    "python3 -m venv .venv && . .venv/bin/activate": Plan(seconds=900),
    f"readfirst product record {NEW}": Plan("live", before=WRITTEN, seconds=600),
    f"readfirst lint {NEW}": Plan(before=RECORDED),
    "readfirst run reference --shard 2/40": BUNDLED,
    "readfirst lint": BUNDLED,  # a part of the suite leaves rules without scenarios
    f"pytest --adapter {TOOLS} --readfirst-baseline accepted.yaml": Plan(
        before=f"readfirst run {TOOLS} --baseline accepted.yaml --update-baseline"
    ),
    "readfirst product record --check gate/edit-unread": Plan("live", seconds=600),
    "readfirst product record --contract all --shard 1/4 --takes takes-1 -j 2": Plan(
        "live", before=OTHER_SHARDS, contracts=("2.1.7", "2.1.40"), seconds=900
    ),
    "readfirst product merge takes-1 takes-2 takes-3 takes-4 --contract all": Plan("live"),
    **dict.fromkeys(
        (f"readfirst product {words}" for words in ("snapshot latest", "adopt latest", "snapshot --quick")),
        Plan("live", (0, 1), contracts=("2.1.7", "2.1.40"), seconds=900),
    ),
    "readfirst product cache": Plan(before=OWN_CACHE),
    "readfirst product cache --clear --older-than 30 --yes": Plan(),
    "readfirst product cache --clear 2.1.330 --yes": Plan(),
    "readfirst product bisect gate/edit-after-read --from 2.1.7 --to 2.1.40": LIVE,
    NEW_MAPPING: Plan("node", before=HAS_SERVER),
    "readfirst check-adapter target:mine.yaml": Plan("node", before=HAS_SERVER),
    "readfirst run target:mine.yaml": Plan("node", (1,)),
    "readfirst run target:mine.yaml --level safe --format jsonl --output results.jsonl": Plan(
        "node", (1,), before=HAS_MAPPING
    ),
    "readfirst report results.jsonl --format table --failures all": Plan("node"),
    "readfirst run target:mine.yaml --update-baseline": Plan("node", (1,), before=HAS_MAPPING),
    EXPLAIN: Plan("node", before=HAS_BASELINE),
    "readfirst run target:mine.yaml --format junit --output readfirst.xml": Plan("node"),
    "readfirst targets compatibility --check": Plan(bundled=True, seconds=300),
    "readfirst list --family unsaved-buffers": Plan(bundled=True),
    "readfirst product tools --contract 2.1.7 --check": Plan("live", seconds=600),
    "readfirst product tools --results --contract 2.1.7 --check": Plan("live", seconds=600),
    "readfirst targets site --output site": Plan("browser", bundled=True, seconds=300),
    "readfirst run target:agno@3.1.10": Plan("agents", bundled=True, seconds=1800),
    "readfirst run target:agno-gated --family staleness": Plan("agents", bundled=True, seconds=600),
    "readfirst run target:agno@3.1.10 --update-baseline": Plan("agents", bundled=True, seconds=1800),
    "readfirst run target:opencode@1.18.33 --family unsaved-buffers --level safe": Plan(
        "agents", (1,), bundled=True, seconds=900
    ),
    "readfirst targets list --outdated": Plan("agents", (0, 1)),
    "readfirst targets compatibility --compare opencode@1.3.2 opencode@1.18.33": UNEQUAL,
    "readfirst targets compatibility --compare deepagents@0.6.12 deepagents@0.7.32": UNEQUAL,
    "readfirst targets list --pin agno@3.1.10": Plan("agents", seconds=300),
    "readfirst targets implementations --write --update-baselines agno@3.1.9": Plan(
        "agents", before="readfirst targets list --pin agno@3.1.9", seconds=900
    ),
    "readfirst targets implementations --issue server-filesystem edit-refuses-changed-file": BUNDLED,
    "readfirst targets implementations --evidence agno@3.1.10": Plan("agents", bundled=True, seconds=600),
    **dict.fromkeys(
        (
            f"readfirst targets implementations {word}"
            for word in ("--write", "--write --update-baselines", "--streams results")
        ),
        Plan("agents", seconds=3600),
    ),
}

RUN_BY_CI = {
    "python3 -m pip install . && readfirst run",
    "python3 -m pip install -e '.[test,lint]'",
    "pip install -e '.[mutation]'",
    "python3 -m pip install .",
    "python3 -m pip install '.[test]' && pytest",
    "pytest",
    *(f"pytest -m {mark}" for mark in (*MARKS, "mutation", "go", "release", "runners")),
    "ruff check . && ruff format --check . && mypy && lint-imports",
}
"""Commands that install packages or run all checks. `.ci/run` runs them instead."""

TAKES_LONG = {
    "python3 observatory/tools/mutation/run.py --exceptions",
    "python observatory/tools/mutation/run.py",
    "python3 tools/faults/run.py --write docs/reliability.md",
    "python3 tools/verdicts.py before",
    "readfirst renew",
}
"""Commands that take minutes or hours. A test runs them only with `--help`."""

IS_INSTALLED = any(entry.name == "readfirst" for entry in entry_points(group="pytest11"))
PLUGIN = "" if IS_INSTALLED else "-p readfirst.harness.pytest_plugin"
BLOCKS = blocks()
SHOWN = {command for block in BLOCKS for command in block.commands}


def items() -> Iterator[object]:
    """Yield a parameter for each console block and mark, with the commands of the block that use the mark."""
    for block in BLOCKS:
        marked: dict[str, list[str]] = {}
        for command in block.commands:
            if command not in RUN_BY_CI | TAKES_LONG:
                marked.setdefault(PLANS.get(command, Plan()).mark, []).append(command)
        for mark, commands in marked.items():
            part = Block(block.page, block.line, tuple(commands))
            yield pytest.param(part, id=f"{part}-{mark}", marks=getattr(pytest.mark, mark))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout with a small suite, which tests must not change."""
    return copy_of_checkout(tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize("block", list(items()))
def test_a_command_of_a_page_works_unchanged(block: Block, small: Path, tmp_path: Path) -> None:
    plans = [PLANS.get(command, Plan()) for command in block.commands]
    stage = Stage(users_folder(tmp_path, block.page), small, PLUGIN)
    bundled = any(plan.bundled for plan in plans)
    if bundled or block.page not in USERS_PAGES:
        contracts = tuple(name for plan in plans for name in plan.contracts)
        checkout = copy_of_checkout(tmp_path, bundled=bundled, contracts=contracts)
        stage = Stage(checkout, checkout, PLUGIN)
    (stage.folder / "page.yaml").write_text(code("CONTRIBUTING.md", "yaml")[0])
    before = " && ".join(plan.before for plan in plans if plan.before)
    ran = stage.run(block.commands, before=before, seconds=sum(plan.seconds for plan in plans))
    for command, plan, (exit_code, output) in zip(block.commands, plans, ran, strict=True):
        assert exit_code in plan.codes, f"$ {command}\n{output}"
        assert "Traceback" not in output


@pytest.mark.node
def test_targets_md_shows_the_mapping_that_the_command_writes(small: Path, tmp_path: Path) -> None:
    ((exit_code, output),) = Stage(tmp_path, small).run([NEW_MAPPING], before=PLANS[NEW_MAPPING].before)
    assert exit_code == 0, output
    assert [(tmp_path / "mine.yaml").read_text()] == code("docs/targets.md", "yaml own mapping")


def test_every_plan_belongs_to_a_command_on_a_page() -> None:
    assert sorted({*PLANS, *RUN_BY_CI, *TAKES_LONG} - SHOWN) == []
    assert {plan.mark for plan in PLANS.values()} <= {*MARKS}


def test_the_commands_that_only_ci_runs_are_in_its_script() -> None:
    script = {line.strip() for line in (CHECKOUT / ".ci" / "run").read_text("utf-8").splitlines()}
    parts = {part for line in script for part in line.split(" && ")}
    missing = RUN_BY_CI - script
    assert {command for command in missing if not {*command.split(" && ")} <= parts} == set()


LISTED = re.findall(r"^\| `([\w/]+\.py)` \|", (CHECKOUT / "tools/README.md").read_text("utf-8"), re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted({*TAKES_LONG, *(f"python3 tools/{name}" for name in LISTED)}))
def test_a_command_that_takes_long_prints_its_help(command: str, small: Path) -> None:
    ((exit_code, output),) = Stage(small, small).run([f"{command} --help"])
    assert exit_code == 0, output
    assert "usage:" in output.lower()


@pytest.mark.slow
def test_a_command_that_fails_on_a_page_is_detected(small: Path, tmp_path: Path) -> None:
    commands = ["readfirst run mcp:nothing", "cd .. && false", "pwd", "readfirst list gate/edit-unread"]
    ran = Stage(users_folder(tmp_path, "README.md"), small).run(commands)
    assert [exit_code for exit_code, _ in ran] == [2, 1, 0, 0]
    assert "there is no program 'nothing'" in ran[0][1]
    assert ran[2][1] == f"{tmp_path}\n"


def inline_commands() -> list[tuple[str, str]]:
    """Return the commands in the sentences of all pages, each after its page."""
    texts = {name_of(page): re.sub(r"(?s)```.*?```", "", page.read_text("utf-8")) for page in PAGES}
    pattern = re.compile(r"`(readfirst [^`]*)`")
    return [(page, found) for page, text in texts.items() for found in pattern.findall(text)]


def test_every_command_in_a_sentence_of_a_page_exists_with_its_options() -> None:
    for page, command in dict.fromkeys(inline_commands()):
        shown = f"{page}: {command}"
        _, name, *words = shlex.split(command.replace("\n", " "))
        if name.startswith("-"):
            assert name in {"--help", "--version"}, shown
            continue
        known = typer.main.get_command(cli._build_app([name, *words]))
        assert name in known.commands, shown  # type: ignore[attr-defined]
        called = known.commands[name]  # type: ignore[attr-defined]
        if name in GROUPS and words:
            assert words[0] in called.commands, shown
            called = called.commands[words.pop(0)]
        options = {option for each in called.params for option in (*each.opts, *each.secondary_opts)}
        given = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert given <= {*options, "--help"}, shown
