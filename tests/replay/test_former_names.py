"""Former public names still work for one release, with a warning that states the present names."""

from typing import Any

import pytest

import readfirst
from readfirst import AdapterTraits
from readfirst.harness.adapter_traits import _FORMER_TRAITS, traits_of


@pytest.mark.parametrize(("former", "name"), _FORMER_TRAITS.items())
def test_a_former_name_is_accepted_with_a_warning(former: str, name: str) -> None:
    value = object()
    fields: dict[str, Any] = {former: value}
    with pytest.warns(
        DeprecationWarning, match=f"AdapterTraits.{former} is now AdapterTraits.{name}"
    ) as given:
        traits = AdapterTraits(**fields)
    assert given[0].filename == __file__
    assert getattr(traits, name) is value
    with pytest.warns(DeprecationWarning, match=name):
        assert getattr(traits, former) is value


def test_an_unknown_name_is_refused() -> None:
    fields: dict[str, Any] = {"repeats": True}
    with pytest.raises(TypeError, match="repeats"):
        AdapterTraits(**fields)


def test_an_adapter_without_traits_may_have_attributes_of_former_names() -> None:
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


def test_a_former_name_of_the_package_is_accepted_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match=r"readfirst\.BrokenAdapter is now readfirst\.AdapterError"):
        assert readfirst.BrokenAdapter is readfirst.AdapterError
