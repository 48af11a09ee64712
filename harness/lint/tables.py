"""Tables: files of several scenarios, looked at as files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from readfirst.harness.lint.source_text import check_source_text
from readfirst.harness.lint.wording import check_schema_comment
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import Finding, SuiteError
from readfirst.harness.suite.cases import read_cases, unused_values
from readfirst.harness.suite.suite import Suite

_SCHEMA_COMMENT = "# yaml-language-server: $schema=../../schema/cases.schema.json"


def check_table(suite: Suite, file: Path) -> Iterator[Finding]:
    """Yield findings about a file of several scenarios."""
    try:
        document = read_cases(strict_yaml.read(file, suite=suite.root), file)
    except SuiteError as error:
        yield from error.findings
        return
    yield from check_schema_comment(document, _SCHEMA_COMMENT)
    yield from check_source_text(document)
    for name, path in unused_values(document).items():
        fix = f"Write <{name}> where the value is to stand, or remove it."
        message = f"nothing above says <{name}>"
        yield Finding("unused-value", document.position(path, key=True), message, fix)
