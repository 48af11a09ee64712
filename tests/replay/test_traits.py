from typing import Any

import pytest

import readfirst
from readfirst import AdapterTraits
from readfirst.harness.adapter_api import BASIC_CAPABILITIES, Session, Workspace
from readfirst.harness.adapter_traits import _FORMER_TRAITS, traits_of
from tests.judging import assert_unsupported
from tests.replay import answering


class Plain:
    def open(self, workspace: Workspace) -> Session:
        raise NotImplementedError


class Attributes(Plain):
    capabilities = ("Read", "hooks")
    reuses_paths = True
    in_memory = True

    def __init__(self) -> None:
        self.calls: list[str] = []

    def unsupported_reason(self, tool: str, arguments: Any) -> str:
        return f"{tool} with {', '.join(arguments)}"

    def reset(self) -> None:
        self.calls.append("reset")

    def close(self) -> None:
        self.calls.append("close")


class Declaring(Attributes):
    """Its single attributes are ignored."""

    traits = AdapterTraits(frozenset({"Write"}))


def test_an_adapter_without_declarations_counts_as_supporting_the_basic_tools() -> None:
    traits = traits_of(Plain())
    assert traits.capabilities == BASIC_CAPABILITIES
    assert not traits.reuses_paths
    assert not traits.in_memory
    assert not traits.was_contaminated()
    assert not traits.unsupported_reason("Read", {})
    traits.reset()
    traits.close()


def test_the_properties_of_an_adapter_can_be_single_attributes() -> None:
    adapter = Attributes()
    traits = traits_of(adapter)
    assert traits.capabilities == {"Read", "hooks"}
    assert traits.reuses_paths
    assert traits.in_memory
    assert traits.unsupported_reason("Read", {"pages": "1"}) == "Read with pages"
    traits.reset()
    traits.close()
    assert adapter.calls == ["reset", "close"]


def test_the_single_attributes_of_an_adapter_are_ignored_if_it_declares_traits() -> None:
    assert traits_of(Declaring()) == Declaring.traits


def test_a_scenario_that_needs_an_undeclared_capability_is_unsupported() -> None:
    lacking = {
        "hooks/exit-two-before-edit": "hooks",
        "permission-modes/default-edit": "permission_modes",
        "reminders/own-edit-alone": "reminders",
        "full-disk/edit-that-grows": "full_disk",
        "sessions/edit-after-resume": "resume",
        "sessions/edit-after-compaction": "compact",
        "sessions/agent-edits-what-was-read": "agents",
        "rewind/edited-and-created": "rewind",
        "bash-and-mentions/mention-then-edit": "mentions",
        "bash-and-mentions/memory-file-then-edit": "memory_files",
    }
    assert_unsupported(f"python:{answering.__file__}:Silent", lacking)


@pytest.mark.parametrize(("former", "name"), _FORMER_TRAITS.items())
def test_the_former_name_of_a_property_is_accepted_with_a_warning(former: str, name: str) -> None:
    value = object()
    fields: dict[str, Any] = {former: value}
    now = f"AdapterTraits.{former} is now AdapterTraits.{name}"
    with pytest.warns(DeprecationWarning, match=now) as given:
        traits = AdapterTraits(**fields)
    assert given[0].filename == __file__
    assert getattr(traits, name) is value
    with pytest.warns(DeprecationWarning, match=name):
        assert getattr(traits, former) is value


def test_an_unknown_name_of_a_property_is_refused() -> None:
    fields: dict[str, Any] = {"repeats": True}
    with pytest.raises(TypeError, match="repeats"):
        AdapterTraits(**fields)


def test_the_attributes_of_an_adapter_may_have_former_names() -> None:
    class Former:
        repeats_paths = True

        def lacks(self, tool: str, _arguments: object) -> str:
            return f"{tool} with pages"

        def open(self, workspace: object) -> Any: ...

    with pytest.warns(DeprecationWarning, match="is now AdapterTraits") as given:
        traits = traits_of(Former())
    assert [str(each.message).split(";")[0] for each in given] == [
        "AdapterTraits.repeats_paths is now AdapterTraits.reuses_paths",
        "AdapterTraits.lacks is now AdapterTraits.unsupported_reason",
    ]
    assert traits.reuses_paths
    assert traits.unsupported_reason("Read", {}) == "Read with pages"


def test_a_former_name_in_the_package_is_accepted_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match=r"readfirst\.BrokenAdapter is now readfirst\.AdapterError"):
        assert readfirst.BrokenAdapter is readfirst.AdapterError
