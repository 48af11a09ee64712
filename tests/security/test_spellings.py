"""A path argument stays in workspace and home, however an implementation may read it."""

import itertools

import pytest

from readfirst.harness.suite import spelling
from readfirst.harness.suite.spelling import spelling_problem

from .listed import cases

INSIDE = cases(
    "$WS/a ¦ $WS ¦ $WS/a/../b ¦ $WS//a ¦ $WS/./a ¦ a.txt ¦ ./a ¦ ~/a ¦ ~ ¦ ~/a/../b ¦ .env ¦ $WS/My Notes.TXT ¦ "
    "$WS/a\\b ¦ $WS/docs/x/../notes.txt~ ¦ $WS/a\0b ¦ $WS/..a ¦ $WS/a.. ¦ $WS/ä/→.txt ¦ $WS/100%.txt ¦ $WS/a$.txt ¦ "
    "$WS/{a,b}.txt ¦ $WS/*.md ¦ $WS/[slug]/a ¦ replace ¦ 1 ¦ true ¦ cell-1 ¦ x y z ¦ $WS/a/ ¦ $WS/~/a ¦ $WS/-rf ¦ "
    "$WS/a:b ¦ *.md ¦   $WS/a   ¦ "
    "+AC8-etc ¦ =2Fetc ¦ {{HOME}}/x ¦ $WS/$$ ¦ $WS/=ls ¦ My Notes/a b.txt ¦ - ¦ -- ¦ <(id) ¦ >(id) ¦ a/. ./../x ¦ "
    "a/.\u0307/x ¦ a;id ¦ a|id ¦ dev/fd/3 ¦ $WS//notes.txt ¦ sub//notes.txt ¦ what?.txt ¦ f(x).py ¦ *./x"
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
    "é/etc/x ¦ \u2024/etc/x ¦ \uff0e\\etc ¦ $WS/.%u002e/x ¦ %u002e%uff0e/x ¦ [.]./x ¦ .[.]# ¦ ..é/x ¦ "
    "/etc/passwd ¦ //etc/passwd ¦ /./etc ¦ ///x ¦ \\etc\\passwd ¦ \\\\?\\C:\\x ¦ file:///etc ¦ FILE:/etc ¦ "
    "file:etc/passwd ¦ vscode://file/x ¦ ~/../../x ¦ ~/./../x ¦ ~/.././x ¦ %HOME%/x ¦ %USERPROFILE%\\x ¦ "
    "$env:HOME/x ¦ !HOME!/x ¦ $WS/../ ¦ $WS/..\t/x ¦ $WS/..\xa0/x ¦ $WS/..\u200b/x ¦ $WS/\u2024\u2024/x ¦ "
    "$WS/..\u2215x ¦ $WS/..\uff0fx ¦ $WS/..\u2044x ¦ $WS/%2e./x ¦ $WS/..%2fx ¦ $WS/..%5cx ¦ $WS/%c0%ae%c0%ae/x ¦ "
    '$WS/&period;&period;/x ¦ $WS/..&sol;x ¦ $WS/\\u002e\\u002e/x ¦ $WS/\\056\\056/x ¦ $WS/"../"x ¦ $WS/.{.,}/x ¦ '
    "$WS/?./x ¦ $WS/*/../../x ¦ $WS/.@(.)/x ¦ $WS.. ¦ $WS ../x ¦ $WS\n/../x ¦ ${WS}/../x ¦ $WS/$WS/../x ¦ "
    "$WS/a$WS ¦ x/$WS/../.. ¦ ..  ¦ ..\\x ¦ ..;/x ¦ ..\x00/x ¦ \x00/etc/passwd ¦ a\x00/../../etc ¦  /etc/passwd ¦ "
    "\t/etc/passwd ¦ \n/etc/passwd ¦ \r/etc ¦ \x0b/etc ¦ \x1f/etc ¦ \u2028/etc ¦ \ufeff/etc/passwd ¦ "
    "\u200b/etc/passwd ¦ \u202e/etc ¦ \xad/etc ¦ \U000e0020/etc ¦ \u3164/etc ¦ \u115f/etc ¦ \u2800/etc ¦ "
    "\"/etc/passwd\" ¦ '/etc/passwd' ¦ `/etc/passwd` ¦ </etc/passwd> ¦ (/etc) ¦ [/etc] ¦ {/etc} ¦ @/etc/passwd ¦ "
    "=/etc/passwd ¦ ,/etc ¦ |/etc ¦ -/etc ¦ --file=/etc/passwd ¦ #/etc ¦ &/etc ¦ */etc ¦ ^/etc ¦ +/etc ¦ "
    ".//etc/../../x ¦ a:/etc ¦ ssh:x ¦ git@h:/x ¦ \uff0fetc/passwd ¦ \u2215etc ¦ \u29f8etc ¦ \uff3cetc ¦ "
    "\u2571etc ¦ \u02dc/../x ¦ \u223c/../x ¦ \uff04WS/../x ¦ .../x ¦ ..../x ¦ a/.../x ¦ a/..../../../x ¦ "
    "a/..\u0301/../../x ¦ a/\u0301../../x ¦ caf\xe9/../../x ¦ cafe\u0301/../../x ¦ a/\ud800/../../x ¦ "
    '\ud800/../x ¦ %2fetc ¦ %00/etc ¦ &#47;etc ¦ \\u002fetc ¦ \\057etc ¦ \\/etc ¦ \\\\/etc ¦ "\\x2fetc" ¦ '
    "$WS/\\\\..\\\\..\\\\x ¦ $WS/a\\../../x ¦ ~%2f..%2fx ¦ %7e/../x ¦ $WS/a%00/../../x ¦ https://x/../../y ¦ "
    "//?/x ¦ /proc/self/root ¦ /dev/stdin ¦ ~user ¦ ~user/../x ¦ $ ¦ $1/x ¦ $@/x ¦ $$/x ¦ $? ¦ ${x:-/etc}/x ¦ "
    "$((1)) ¦ `pwd`/../x ¦ $WS/`id` ¦ $WS/.\x00./x ¦ $WS/a/.%00./../../x ¦ fi\tle:///etc ¦ f\nile:/etc ¦ "
    "$WS/\\u{2e}\\u{2e}/x ¦ \\u{2f}etc ¦ $WS/\ufe30/x ¦ $WS/.\ufe52/x ¦ $WS/%PATH:~0,1% ¦ -C/etc ¦ -I../x ¦ "
    "-a../x ¦ $WS/a,/etc/x ¦ $WS/a;/etc/x ¦ $WS/a\n/etc/x ¦ $WS/a\x00/etc/x ¦ $WS/a /etc/x ¦ a ../x ¦ a /../b ¦ "
    "a ~/../x ¦ a>/etc/x ¦ x'/etc/x ¦ a C:\\x ¦ a|file:///x ¦ &amp;#47;etc ¦ %%32%65%%32%65/x ¦ C|/x ¦ "
    "\\\\.\\C:\\x ¦ 1:/x ¦ .//etc/passwd ¦ ././/etc/passwd ¦ $WS//etc/passwd ¦ $WS/.//etc/passwd ¦ ~//etc/passwd ¦ "
    "~/.//etc/passwd ¦ $WS/\\/etc/passwd ¦ $WS/~root/x ¦ $WS//~root/x ¦ $WS/./~root/x ¦ $WS/~+/x ¦ ./~root/x ¦ "
    "a/../~root/x ¦ a/b/.././../~root/x ¦ $WS/a/../~root/x ¦ x/..//etc/passwd ¦ $WS/x/..//etc/passwd ¦ "
    "~/x/.././/etc/passwd ¦ a/../file:etc/passwd ¦ $WS/%2Fmade ¦ $WS/\\x2fmade ¦ $WS/&sol;made ¦ $WS/\uff0fmade ¦ "
    "$WS/\xe9/etc/passwd ¦ $WS/\\\\etc\\passwd ¦ $WS/a/../%2Fmade ¦ [.]//etc/passwd ¦ $WS/[.]//etc/passwd ¦ "
    "$WS/%7eroot/x ¦ $WS/\uff5eroot/x ¦ $WS/\u200b~root/x ¦ $WS/file:etc/passwd ¦ $WS/FILE:etc/passwd ¦ "
    "$WS/f\nile:etc/passwd ¦ $WS/@/etc/passwd ¦ $WS/!!/x ¦ .\\\\etc\\passwd ¦ $WS/%2fetc/passwd ¦ $WS///etc//x ¦ "
    "$WS/a:/etc/x ¦ ?./x ¦ ?. ¦ ?\u2024/x ¦ {.,}./x ¦ {,.}./x ¦ @(.)./x ¦ +(.)/x ¦ $WS/@(.)./x"
)
SILENT = (*" \t\n\r\x0b\x0c\x1c\x85\xa0\u2003\u2028\u3000\0\u200b\ufeff", "")
"""What an implementation may take off a path."""


def test_a_path_that_stays_inside_is_accepted() -> None:
    assert [path for path in [*INSIDE, "", " ", "a" * 5000] if spelling_problem(path)] == []


def test_a_path_that_may_lead_out_is_refused() -> None:
    deep = ("$WS/" + "a/" * 200 + "../" * 201, "%25" * 40 + "2e", "$WS/" + "[" * 200_000, "-=" * 4000 + "/x")
    far = ("a" * 5000 + "/../..", "a/" * 500 + "../" * 501 + "x", "a/../" * 300 + "../x")
    long = ("-=" * 200_000, "\ufdfa" * 100_000, " " * 10_000 + "/x")
    assert [path for path in (*OUTSIDE, *deep, *far, *long) if not spelling_problem(path)] == []


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


def test_of_several_problems_the_same_is_named_whatever_order_a_set_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readings = sorted(spelling._readings("../%2e%2e"))
    named = set()
    for order in (readings, readings[::-1]):
        monkeypatch.setattr(spelling, "_readings", lambda _, order=order: order)
        named.add(spelling.spelling_problem.__wrapped__("../%2e%2e"))
    assert len(named) == 1
