"""Everything that every contract expects, one line of JSON per contract and scenario, on standard output.

Two trees that print the same expect the same: run it before a change to the format of the fixtures and after it.

    python3 tests/contracts/expectations.py > before.jsonl

Stated are, for every call, whether it is refused, the error's name and number, the text, and the files afterwards, as
`readfirst export` gives them. Long texts and files are stated by digest, wherever they stand; lines of files are not.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # the checkout, not an installed copy

from readfirst.harness.suite.contracts import order
from readfirst.harness.suite.export import export
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.suite import Suite

_LONG = 4096
_SHOWN = 200


def expectations(suite: Suite) -> Iterator[str]:
    """Yield one line per contract, or other version that was recorded, and scenario that it specifies."""
    needs = {scenario.id: scenario.needs for scenario in suite.scenarios()}
    recordings = Recordings(suite.recordings_root)
    recorded: dict[str, list[str]] = {}
    for scenario_id in suite.ids():
        for name in recordings.recording(scenario_id).transcripts:
            recorded.setdefault(name, []).append(scenario_id)
    documented = [contract.name for contract in suite.contracts if not contract.recorded]
    for name in (*documented, *sorted(recorded, key=order)):
        contract = suite.contracts.find(name)
        ids = recorded.get(name, list(needs))
        usable = [each for each in ids if not contract.recorded or needs[each] <= contract.capabilities]
        for scenario in export(suite, contract, usable):
            yield json.dumps(_plain(scenario), ensure_ascii=True, sort_keys=True)


def _plain(value: Any) -> Any:
    match value:
        case {"judge": _, "text": str() as text} if len(text) > _LONG:
            return _plain({**value, "text": _digest(text)})
        case {"type": "file", "base64": str() as encoded} if len(data := base64.b64decode(encoded)) > _LONG:
            rest = {key: item for key, item in value.items() if key not in ("base64", "utf8")}
            return {**rest, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        case Mapping():
            return {key: _plain(item) for key, item in value.items() if key != "line"}
        case list():
            return [_plain(item) for item in value]
        case _:
            return value


def _digest(text: str) -> dict[str, Any]:
    return {
        "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "lines": text.count("\n") + 1,
        "starts": text[:_SHOWN],
        "ends": text[-_SHOWN:],
    }


if __name__ == "__main__":
    for line in expectations(Suite()):
        print(line)
