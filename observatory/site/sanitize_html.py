"""Remove all parts of the HTML of a page that could execute code or load files from other hosts."""

import re
from html import escape, unescape

_ALLOWED_ELEMENTS = """
a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li
ol p picture pre q s samp small source span strong sub summary sup table tbody td tfoot th thead tr ul var
"""
_REMOVED_ELEMENTS = "script style template textarea title noscript iframe object svg math"
"""Elements that `sanitize_html` removes together with their contents."""
_ALLOWED_ATTRIBUTES = (
    "align alt class colspan height href id media open role rowspan scope src srcset start title width"
)
_ALLOWED_CLASS = re.compile(
    r"highlight|headerlink|language-[\w+-]+|[a-z][a-z0-9]{0,2}"
    r"|(?:harm|rule)-map|(?:harm|wording)-[1-5]|none|product|sessions|aside|hidden|card|steps?|harmed"
)
"""The CSS classes that highlighted code and maps use. Other classes are removed: they could activate a script."""
_SCHEME_PATTERN = re.compile(r"[^/?#]*?:")
_PLAIN_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)


def sanitize_html(html: str) -> str:
    """Return the HTML without executable parts and files of other hosts, and with labels for table cells."""
    import nh3  # of the extra `observatory`

    clean = nh3.clean(
        html,
        tags={*_ALLOWED_ELEMENTS.split()},
        clean_content_tags={*_REMOVED_ELEMENTS.split()},
        attributes={"*": {*_ALLOWED_ATTRIBUTES.split()}},
        attribute_filter=_keep_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )
    return _PLAIN_TABLE.sub(_label_cells, clean)


def is_safe_link(address: str) -> bool:
    """Whether a page may link to this address: a web or mail address, or a path in the same site."""
    scheme = _SCHEME_PATTERN.match(_as_browser_reads(address))
    return scheme is None or scheme[0].lower() in ("https:", "http:", "mailto:")


def _is_site_file(address: str) -> bool:
    """Whether an address is the path of a file in the same site. Images with other addresses are removed."""
    plain = _as_browser_reads(address)
    return _SCHEME_PATTERN.match(plain) is None and not plain.replace("\\", "/").startswith("//")


def _as_browser_reads(address: str) -> str:
    return "".join(each for each in address if each > " ")


def _keep_attribute(_: str, name: str, value: str) -> str | None:
    """Return the sanitized value of an HTML attribute. None if the attribute must be removed."""
    match name:
        case "class":
            return " ".join(each for each in value.split() if _ALLOWED_CLASS.fullmatch(each)) or None
        case "id":
            return None if value.startswith("__") else value  # the theme's own
        case "href":
            return value if is_safe_link(value) else None
        case "src":
            return value if _is_site_file(value) else None
        case "srcset":
            return value if all(map(_is_site_file, value.split(","))) else None
    return value


def _label_cells(table: re.Match[str]) -> str:
    """Add the column's name to each cell as `data-label`, which the style sheet uses on narrow screens."""
    head, body, rows = table[0].partition("<tbody>")
    heads = [
        re.sub(r"<[^>]*>", "", each).strip() for each in re.findall(r"<th\b[^>]*>(.*?)</th>", head, re.DOTALL)
    ]

    def labelled(row: re.Match[str]) -> str:
        columns = iter(heads)
        return re.sub(
            r"<td\b", lambda cell: f'{cell[0]} data-label="{escape(unescape(next(columns, "")))}"', row[0]
        )

    return head + body + re.sub(r"<tr\b.*?</tr>", labelled, rows, flags=re.DOTALL)
