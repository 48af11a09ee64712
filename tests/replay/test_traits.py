"""AdapterTraits: an adapter declares its properties in one value or in single attributes."""

from typing import Any

from readfirst import AdapterTraits
from readfirst.harness.adapter_api import BASIC_CAPABILITIES, Session, Workspace
from readfirst.harness.adapter_traits import close_session, traits_of
from tests.judging import assert_unsupported
from tests.replay import answering


class Plain:
    """An adapter with only the required members of the protocol."""

    def open(self, workspace: Workspace) -> Session:
        raise NotImplementedError


class Attributes(Plain):
    """Declares its properties in single attributes."""

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
    """Declares its properties in `traits`. The single attributes are then ignored."""

    traits = AdapterTraits(frozenset({"Write"}))


def test_an_adapter_that_declares_nothing_has_the_basic_tools_and_nothing_to_end() -> None:
    traits = traits_of(Plain())
    assert traits.capabilities == BASIC_CAPABILITIES
    assert not any(
        (
            traits.reuses_paths,
            traits.in_memory,
            traits.was_contaminated(),
            traits.unsupported_reason("Read", {}),
        )
    )
    traits.reset()
    traits.close()


def test_single_attributes_say_the_same_as_traits() -> None:
    adapter = Attributes()
    traits = traits_of(adapter)
    assert traits.capabilities == {"Read", "hooks"}
    assert traits.reuses_paths
    assert traits.in_memory
    assert traits.unsupported_reason("Read", {"pages": "1"}) == "Read with pages"
    traits.reset()
    traits.close()
    assert adapter.calls == ["reset", "close"]


def test_declared_traits_count_alone() -> None:
    assert traits_of(Declaring()) == Declaring.traits


def test_a_session_without_close_needs_none() -> None:
    close_session(object())  # type: ignore[arg-type]


def test_what_an_adapter_does_not_declare_is_unsupported_which_is_no_pass() -> None:
    lacking = {
        "hooks/exit-two-before-edit": "hooks",
        "permission-modes/default-edit": "permission_modes",
        "reminders/own-edit-alone": "reminders",
        "full-disk/edit-that-grows": "full_disk",
    }
    assert_unsupported(f"python:{answering.__file__}:Silent", lacking)
