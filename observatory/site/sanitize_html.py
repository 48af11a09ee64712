"""Remove everything from the HTML of a page that could run or fetch something.

Only listed elements and attributes are kept. An address is a link for the reader, or a file of the site.
"""

import re
from html import escape, unescape

_ELEMENTS = """
a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li
ol p picture pre q s samp small source span strong sub summary sup table tbody td tfoot th thead tr ul var
"""
_SILENT = "script style template textarea title noscript iframe object svg math"
"""Elements that are removed together with their contents."""
_ATTRIBUTES = (
    "align alt class colspan height href id media open role rowspan scope src srcset start title width"
)
_CLASS = re.compile(
    r"highlight|headerlink|language-[\w+-]+|[a-z][a-z0-9]{0,2}"
    r"|(?:harm|rule)-map|(?:harm|wording)-[1-5]|none|product|sessions|aside|hidden|card|steps?|harmed"
)
"""CSS classes that are kept: those of highlighted code, of the link of a heading, and of maps. Other classes would
activate the theme's script.
"""
_SCHEME = re.compile(r"[^/?#]*?:")
_PLAIN_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)


def sanitize_html(html: str) -> str:
    """Return the HTML without elements and attributes that could execute or load something. Cells of tables also get
    the name of their column (`data-label`).
    """
    import nh3  # of the extra `observatory`

    clean = nh3.clean(
        html,
        tags={*_ELEMENTS.split()},
        clean_content_tags={*_SILENT.split()},
        attributes={"*": {*_ATTRIBUTES.split()}},
        attribute_filter=_keep_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )
    return _PLAIN_TABLE.sub(_with_heads, clean)


def is_followed(address: str) -> bool:
    """Whether an address may be the target of a link: a web or mail address, or a path in the same site."""
    scheme = _SCHEME.match(_as_read(address))
    return scheme is None or scheme[0].lower() in ("https:", "http:", "mailto:")


def _is_own(address: str) -> bool:
    """Whether an address is a file of the same site. Images with other addresses are not loaded."""
    plain = _as_read(address)
    return _SCHEME.match(plain) is None and not plain.replace("\\", "/").startswith("//")


def _as_read(address: str) -> str:
    """Return the address as a browser interprets it: without spaces and control characters."""
    return "".join(each for each in address if each > " ")


def _keep_attribute(_: str, name: str, value: str) -> str | None:
    """Return the sanitized value of an attribute. None if the attribute is removed."""
    match name:
        case "class":
            return " ".join(each for each in value.split() if _CLASS.fullmatch(each)) or None
        case "id":
            return None if value.startswith("__") else value  # the theme's own
        case "href":
            return value if is_followed(value) else None
        case "src":
            return value if _is_own(value) else None
        case "srcset":
            return value if all(map(_is_own, value.split(","))) else None
    return value


def _with_heads(table: re.Match[str]) -> str:
    """Return a table where each cell has the name of its column as an attribute, for narrow screens."""
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
