import json
from html.parser import HTMLParser
from typing import Any


class ParsedPage(HTMLParser):
    """The elements of a page, with attributes and text, and the JSON data of its scripts, by id or family."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.json: dict[str, Any] = {}
        self.scripts: list[str] = []
        self._open: dict[str, str | None] | None = None
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        self._open = dict(attrs)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script" and self._open is not None:
            if self._open.get("type") == "application/json":
                name = self._open.get("id") or self._open.get("data-details") or ""
                self.json[name] = json.loads(data)
            else:
                self.scripts.append(data)
        elif self._inside != "style":
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]
