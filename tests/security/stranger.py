"""Writes a hostile project, with one hostile text in every place that allows text."""

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from readfirst.harness.suite.harm_kinds import KINDS
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.observatory.site.site_data import SiteData
from tests.small_suites import small_suite

RUNS = "window.owned = 1"
"""A test can detect that this script has run."""
SEEN = f"<script>{RUNS}</script>"
MARKUP = (
    f"""findme </title></script></textarea>{SEEN}<img src="docs/map.svg" onload="{RUNS}"><img src="http://seen.invalid/pixel">"""
    f"""<svg onload="{RUNS}"><iframe srcdoc="<script>parent.{RUNS}</script>"></iframe><base href="http://seen.invalid/">"""
    f"""<link rel=stylesheet href="http://seen.invalid/c.css"><style>@import "http://seen.invalid/d.css";</style>"""
    f"""<a id="__config">{{"search": "http://seen.invalid/worker.js"}}</a><pre class="mermaid">graph TD</pre>"""
    f"""<a href="javascript:{RUNS}">go</a> "'>{{: onclick="{RUNS}" }}"""
    f""" ![i](http://seen.invalid/i) [a](javascript:{RUNS})"""
    f""" [b](data:text/html,{SEEN}) --8<-- "/etc/passwd" {{{{ 7*7 }}}} {{% raw %}} [[wiki]] :smile: `</code>` | </td>"""
)
BLOCKS = (
    f"\n```\n~~~~\n\n{SEEN}\n\n# big {{ onclick={RUNS} }}\n\n| a |\n|---|\n| b |\n\n    code\n\n--8<-- 'x'\n\n---\n"
    + MARKUP
)
SCENARIO = """\
title: {text}
about: {text}
requirement: must
rule: {rule}
tags: [gate]
sources: [{text}, {address}]
given: {{files: {{notes.txt: {text}}}}}
steps:
  - Edit: {{file_path: $WS/notes.txt, old_string: {text}, new_string: gamma}}
    expect:
      error: not_read
      text: File has not been read yet. Read it first before writing to it.
"""
ADDRESSES = (
    f"javascript:{RUNS}",
    f"java\tscript:{RUNS}",
    f"data:text/html,{SEEN}",
    f"https://example.invalid/)\n\n{MARKUP}",
    "//seen.invalid/x",
)
IDS = ("gate/one", "lines/two")


def as_yaml(value: object) -> str:
    """Return a value as YAML, with each text quoted and on one line."""
    return yaml.safe_dump(value, default_style='"', width=1_000_000).strip()


def project(folder: Path, text: str) -> SiteData:
    """Write a project with `text` as every text. Return the data of its web site."""
    root, docs = folder / "fixtures", folder / "docs"
    said = as_yaml(text)
    for rule, scenario_id in zip(("first", "second"), IDS, strict=True):
        file = root / "scenarios" / f"{scenario_id}.yaml"
        file.parent.mkdir(parents=True)
        file.write_text(SCENARIO.format(text=said, rule=rule, address=json.dumps(ADDRESSES[0])), "utf-8")
    small_suite(root, shared=("contracts.yaml", "errors.yaml", "tags.yaml"))
    shutil.copytree(default_root() / "schema", root / "schema")
    rules = {
        rule: {
            "title": f"{number} {text}",
            "class": "safety",
            "guards": ["lost"],
            "requirement": "must",
            "tools": ["Edit"],
            "sources": [text, *ADDRESSES],
            "why": text,
            "always_refused": text,
        }
        for number, rule in enumerate(("first", "second"))
    }
    classes = dict.fromkeys(CLASSES, text)
    (root / "rules.yaml").write_text(as_yaml({"classes": classes, "rules": rules}), "utf-8")
    docs.mkdir()
    name, counts = "it@1.0", {"yes": 1, "partly": 1, "no": 1, "not claimed": 0, "unknown": 0}
    totals = dict.fromkeys(CLASSES, counts)
    cell = {"holds": "no", "scenarios": 1, "judged": 1, "holding": 0, "shortest": IDS[0], "since": text}
    shown = {"scenario": IDS[0], "title": text, "steps": 1, "step": 1, "line": f"lost: {text}"}
    harm = {"sessions": 1, "counts": {**dict.fromkeys(KINDS, 0), "lost": 1}, "shortest": {"lost": shown}}
    harmed = {**harm, "any": 1, "shortest": {"lost": IDS[0]}}
    table: dict[str, Any] = {
        "format": 1,
        "contract": text,
        "date": text,
        "classes": {class_: {"means": text, "level": "effects", "rules": 1} for class_ in CLASSES},
        "kinds": dict.fromkeys(KINDS, text),
        "likeness": [text],
        "implementations": {
            name: {
                **dict.fromkeys(("title", "kind", "level", "date"), text),
                **{"home": ADDRESSES[0], "harm": harmed, "classes": {text: totals}},
            }
        },
        "versions": {
            each: {"recorded": True, "summary": text, "harm": harmed, "classes": totals}
            for each in ("1.0", "2.0", "2.1.7")
        },
        "rules": {
            rule: {
                **{key: value for key, value in facts.items() if key not in ("sources", "always_refused")},
                "scenarios": 1,
                "implementations": {text: {name: cell}},
                "behaviours": [],
                "versions": {"1.0": cell, "2.0": {**cell, "holds": "yes", "holding": 1}, "2.1.7": cell},
            }
            for rule, facts in rules.items()
        },
    }
    result = {
        **dict.fromkeys(("title", "about", "released", "date"), text),
        **{"target": name, "home": ADDRESSES[0], "packages": [text], "lacks": {text: 1}, "harm": harm},
    }
    cause = {"reason": text, "contracts": {"2.1.7": 1}, "example": text}
    found = {"behaviour": text, "value": False, "meaning": text, "explains": [text]}
    diagnosis = {
        "target": f"target:{name}",
        "nearest": text,
        "compared": 1,
        "failures": [text],
        "explained": [text],
        "differences": [found],
    }
    for file_name, data in (
        ("compatibility.json", table),
        ("implementations.json", {"targets": [result]}),
        ("diagnosis.json", {"diagnoses": [diagnosis]}),
        ("harm.json", {"contracts": {"2.1.7": {**harm, "harmed": harm["counts"]}}, "causes": [cause]}),
    ):
        (docs / file_name).write_text(json.dumps(data), "utf-8")
    for page in ("README", "diagnosis", "behaviour", "harm", "history", "reference"):
        (docs / f"{page}.md").write_text("# Page\n", "utf-8")
    (docs / "compatibility.md").write_text("# Page\n\n## Versions\n", "utf-8")
    for picture in ("map.svg", "map-narrow.svg"):
        shutil.copyfile(default_root().parent / "docs" / picture, docs / picture)
    front = f"---\ntitle: {said}\ndescription: {json.dumps(chr(34) + '>' + text)}\ntemplate: x.html\n---\n"
    (folder / "README.md").write_text(f"{front}# Home {text}\n\n{text}\n{BLOCKS}\n", "utf-8")
    return SiteData(Suite(root), docs)
