"""A path argument stays in workspace and home, however an implementation may read it."""

import itertools

from readfirst.harness.suite.spelling import spelling_problem

from .listed import cases

INSIDE = cases(
    "$WS/a ¦ $WS ¦ $WS/a/../b ¦ $WS//a ¦ $WS/./a ¦ a.txt ¦ ./a ¦ ~/a ¦ ~ ¦ ~/a/../b ¦ .env ¦ $WS/My Notes.TXT ¦ "
    "$WS/a\\b ¦ $WS/docs/x/../notes.txt~ ¦ $WS/a\0b ¦ $WS/..a ¦ $WS/a.. ¦ $WS/ä/→.txt ¦ $WS/100%.txt ¦ $WS/a$.txt ¦ "
    "$WS/{a,b}.txt ¦ $WS/*.md ¦ $WS/[slug]/a ¦ replace ¦ 1 ¦ true ¦ cell-1 ¦ x y z ¦ $WS/a/ ¦ $WS/~/a ¦ $WS/-rf ¦ "
    "$WS/a:b ¦ *.md ¦   $WS/a  "
)
OUTSIDE = cases(
    "/outside/x ¦ //outside/x ¦ / ¦ /$WS/x ¦ \\outside ¦ \\\\host\\share ¦ C:\\x ¦ C:/x ¦ c:x ¦ /proc/self ¦ ../x ¦ "
    "$WS/.. ¦ $WS/../x ¦ $WS/a/../../x ¦ $WS/a/b/../../../x ¦ a/../../x ¦ ./../x ¦ $WS/./../x ¦ $WS//../x ¦ .. ¦ ../ ¦ "
    "$WS/a/./../../x ¦ $WS/../$WS/x ¦ $WSX/x ¦ $WS.bak/x ¦ $WS\\..\\x ¦ $WS x/a ¦ ~/../x ¦ ~/../../../X ¦ "
    "~/a/../../x ¦ ~root/x ¦ ~nobody ¦ ~+/x ¦ ~-/x ¦ ~0 ¦ ~\\..\\x ¦ ~//../x ¦ $HOME/x ¦ ${HOME}/x ¦ $WS/$HOME/x ¦ "
    "$WS/${X} ¦ $TMPDIR ¦ %TEMP%/x ¦ $WS/%UP%/x ¦ !UP!/x/!A! ¦ $(pwd)/x ¦ $env:TEMP/x ¦ $WS/$(x) ¦ $WS/$X ¦ "
    "$WS$WS/a ¦ a/$WS/b ¦ ..$WS/x ¦ $WS/..$WS ¦ file:///etc/x ¦ file:/etc/x ¦ FILE:///x ¦ http://a/b ¦ "
    "vscode-remote://x ¦ git+ssh://x ¦ data:x ¦ @/etc/x ¦ '/etc/x' ¦ \"/etc/x\" ¦ `/etc/x` ¦ </etc/x> ¦ (/etc/x) ¦ "
    "[/etc/x] ¦ {/etc/x} ¦ ,/etc/x ¦ =/etc ¦ -/etc/x ¦ */etc/x ¦ ?/etc ¦ @$HOME/x ¦ '~root/x' ¦ '../x' ¦ \"../x\" ¦ "
    "@../x ¦ #/etc/x ¦ +/etc/x ¦ %2fetc/x ¦ %2e%2e/x ¦ $WS/%2e%2e/x ¦ $WS/.%2e/x ¦ $WS/%252e%252e/x ¦ "
    "$WS%2f..%2fx ¦ $WS/a%2f..%2f..%2fx ¦ $WS/%2E%2E%5Cx ¦ %24HOME/x ¦ %7E/../x ¦ %7eroot/x ¦ "
    "$WS/%c0%ae%c0%ae/../../x ¦ ．．/x ¦ $WS/．．/x ¦ $WS／..／x ¦ ／etc/x ¦ ‥/x ¦ $WS/‥/x ¦ $WS/.․/x ¦ "
    "∕etc/x ¦ $WS∕..∕x ¦ ⧵..⧵x ¦ $WS/..∖x ¦ ＄HOME/x ¦ ～/../x ¦ ％TEMP％/x ¦ $WS/﹒﹒/x ¦ ⁄etc ¦ "
    "$WS/.\u200b./x ¦ $WS/\u200b../x ¦ $WS/..\u00ad/x ¦ \u200b/etc/x ¦ \ufeff/etc/x ¦ $WS/.\u034f./x ¦ \u2066../x ¦ "
    "$WS/..\0/x ¦ $WS/../x\0a ¦ $WS/..\0.txt ¦ /etc/x\0 ¦ $WS/a/..\n/../x ¦ $WS/..\x7f/x ¦ $WS/..\x85/x ¦ "
    "$WS/.. /x ¦ $WS/ ../x ¦ $WS/\t../x ¦ $WS/..;/x ¦ $WS/..;a=b/x ¦ $WS/ /../x ¦ $WS/\u3000/../x ¦ $WS/{..,a}/x ¦ "
    "$WS/{a,..}/x ¦ $WS/.*/x ¦ $WS/.?/x ¦ $WS/??/x ¦ $WS/[.][.]/x ¦ $WS/.[.]/x ¦ $WS/[.]. ¦ .* ¦ $WS/@(..)/x ¦ "
    "$WS/?(..)/x ¦ $WS/(..)/x ¦ $WS/a|../x ¦ $WS/..:/x ¦ a:.. ¦ ..:a ¦ $WS/.../..../x ¦ $WS/'..'/x ¦ "
    '$WS/".."/x ¦ $WS/\\../x ¦ $WS/..\\..\\x ¦ $WS/a\\..\\..\\x ¦ $WS/x\\y/../../z ¦ '
    "$WS/\\.\\./x ¦ $WS/\\x2e\\x2e/x ¦ $WS/\\u002e./x ¦ $WS/\\56\\56/x ¦ $WS/'.'./x ¦ $WS/.\"\"./x ¦ $WS/`..`/x ¦ "
    "$WS/&#46;&#46;/x ¦ &sol;etc ¦ &#x2f;etc ¦ $WS/.{.,a}/x ¦ $WS/{.,a}./x ¦ $WS/{.,a}{.,b}/x ¦ \\$HOME/x ¦ "
    "\\x2fetc ¦ \\~root/x ¦ "
    " $WS/\u2024\u2024/x ¦ "
    "é/etc/x ¦ \u2024/etc/x ¦ \uff0e\\etc ¦ $WS/.%u002e/x ¦ %u002e%uff0e/x ¦ [.]./x ¦ .[.]# ¦ ..é/x"
)
SILENT = (*" \t\n\r\x0b\x0c\x1c\x85\xa0\u2003\u2028\u3000\0\u200b\ufeff", "")
"""What an implementation may take off a path."""


def test_a_path_that_stays_inside_is_accepted() -> None:
    assert [path for path in [*INSIDE, "", " ", "a" * 5000] if spelling_problem(path)] == []


def test_a_path_that_may_lead_out_is_refused() -> None:
    deep = ("$WS/" + "a/" * 200 + "../" * 201, "%25" * 40 + "2e", "$WS/" + "[" * 200_000, "-=" * 4000 + "/x")
    long = ("-=" * 200_000, "\ufdfa" * 100_000, " " * 10_000 + "/x")
    assert [path for path in (*OUTSIDE, *deep, *long) if not spelling_problem(path)] == []


def test_nothing_before_or_after_a_path_hides_where_it_leads() -> None:
    plain = (
        "/outside/x",
        "../x",
        "~/../x",
        "~root/x",
        "$WS/../x",
        "$HOME/x",
        "C:\\x",
        "file:///x",
        "\\\\host\\x",
    )
    for path, before, after in itertools.product(plain, SILENT, SILENT):
        assert spelling_problem(before + path + after), (before, path, after)
