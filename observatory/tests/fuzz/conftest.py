"""Makes the wrong implementations importable, and contains fixtures with small suites."""

import shutil
import sys
from pathlib import Path

import pytest

from readfirst.harness.suite.suite import Suite
from readfirst.observatory.fuzz.likely_rule import ExampleIndex, example_index
from tests.small_suites import small_suite

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "wrong_implementations"))


SHARED = ("contracts.yaml", "errors.yaml", "rules.yaml")


@pytest.fixture(scope="session")
def small(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of two scenarios. With the bundled suite, each new scenario would change the generated scenarios."""
    folder = tmp_path_factory.mktemp("small")
    names = ("gate/edit-unread", "read-output/numbered-lines")
    small_suite(folder, {name: suite.path(name).read_bytes() for name in names}, shared=SHARED)
    return folder


@pytest.fixture(scope="session")
def some(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """A suite with a few families of the bundled suite, for tests whose duration depends on the suite's size."""
    folder = tmp_path_factory.mktemp("some")
    small = small_suite(folder, shared=SHARED)
    for family in ("deletion", "gate", "line-endings", "matching", "replace-all", "staleness", "state"):
        shutil.copytree(suite.scenarios_root / family, folder / "scenarios" / family)
    return small


@pytest.fixture(scope="session")
def index(some: Suite) -> ExampleIndex:
    return example_index(some)
