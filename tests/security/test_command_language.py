"""What a Bash step may hold: everybody who replays a scenario runs its commands, so the language is closed."""

import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapters.shell import Confines, Shell
from readfirst.harness.processes.scratch import Scratch, ScratchError
from readfirst.harness.session import BASH
from readfirst.harness.suite.commands import (
    CommandError,
    SimpleCommand,
    Word,
    parse_command,
)
from readfirst.harness.suite.programs import PROGRAMS
from readfirst.harness.suite.suite import load_suite
from tests.rows import rows

from .listed import cases


@rows("name", ["a b", "a$(id)", "a'b", "a;b", "a*", "a\tb", 'a"b'])
def test_no_workspace_has_a_path_that_a_shell_takes_apart(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / name))
    with pytest.raises(ScratchError, match="Set TMPDIR to another one"):
        Scratch()
    assert list((tmp_path / name).iterdir()) == []


def test_what_a_command_writes_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 700_000)
    assert is_accepted("cat f f f f | tee g h")
    Shell(Confines(tmp_path, tmp_path, seconds=20, confined=False)).run("cat f f f f | tee g h")
    assert all(700_000 < (tmp_path / name).stat().st_size <= 1 << 20 for name in "gh")


ALLOWED = [
    "cat $WS/notes.txt",
    'cat "$WS/a b.txt"',
    "cat -n notes.txt | head -n 1",
    "cd sub && cat notes.txt; echo done",
    "sed -i s/beta/BETA/ $WS/notes.txt",
    "sed -i s/a/A/ notes.txt other.txt; echo done",
    "sed -n 1,2p notes.txt",
    "sed -n -e '1p; $p' -e '/b[a-z]/p' notes.txt",
    "sed -E 's/(a)b/\\1{2}/gi' notes.txt",
    "grep -e 'f() {' -e '\\.{x}' notes.txt",
    "echo omega >> $WS/notes.txt",
    "printf '%s\\n' a b > list.txt",
    "echo '$HOME `id` $(id) ; | & # ~ *'",
    "cat $WS/notes.*",
    "cat < notes.txt",
    "grep -in -e 'a.*b' -- notes.txt",
    "grep -A1 alpha notes.txt | wc -l",
    "head -5 notes.txt; tail -n +2 notes.txt",
    "cp -p a.txt b.txt && mv b.txt sub/c.txt",
    "sort -rn a.txt > b.txt",
    "ls -1 || true",
    "cat a.txt | tee b.txt",
    "rm -rf sub; touch new.txt",
    "cat .env",
    *cases(
        "c''at f.txt ¦ cat '$WS' ¦ nl -b p../x f.txt ¦ nl -b'pa' f.txt ¦ sed -n -i s/a/b/ f.txt ¦ "
        "echo -e '\\057' > f.txt ¦ cat f.txt > CON ¦ cat f.txt:stream"
    ),
]


def test_a_simple_command_on_files_of_the_workspace_may_run() -> None:
    assert [command for command in ALLOWED if not is_accepted(command)] == []


def test_a_command_is_read_into_values_once() -> None:
    assert parse_command("cat 'a b' <c.txt | tee \"$WS/\"d.txt") == (
        SimpleCommand("", "cat", (Word("a b"),), (("<", "c.txt"),)),
        SimpleCommand("|", "tee", (Word("$WS/d.txt"),), ()),
    )


def test_every_command_of_the_bundled_suite_is_in_the_language() -> None:
    suite = load_suite()
    having = [each for each in suite.ids() if "Bash:" in suite.path(each).read_text("utf-8")]
    calls = [call for each in having for call in suite.scenario(each).calls() if call.tool == BASH]
    assert len(having) > 30
    assert all(parse_command(call.arguments["command"]) for call in calls)


def test_the_page_lists_the_programs_with_their_options() -> None:
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text("utf-8")
    listed = {
        name: set(re.findall(r"(?<= |`)-(\w)\b", options))
        for names, options in re.findall(
            r"^\| (`\w+`(?:, `\w+`)*) \| ((?:`-.*?)?) ?\| .*files? \|$", page, re.MULTILINE
        )
        for name in re.findall(r"\w+", names)
    }
    for name, program in PROGRAMS.items():
        if program.files != (0, 0) and not program.says and name != "cd":
            assert listed[name] == {*program.flags, *program.values}, name


LATER = r"""
$'cat' f.txt ¦ $"cat" f.txt ¦ c\at f.txt ¦ cat f.txt& ¦ cat f.txt &! ¦ cat f.txt |& sh ¦ cat f.txt &> g.txt
cat f.txt >& g.txt ¦ cat f.txt >| g.txt ¦ cat f.txt 2> g.txt ¦ cat f.txt 2>&1 ¦ cat f.txt <> g.txt ¦ cat << EOF
cat <<-EOF ¦ tee >(sh) ¦ echo {a,b} ¦ cat {f,../g}.txt ¦ cat f{1..3} ¦ cat ~/x ¦ cat ~+/x ¦ echo ~- ¦ !! ¦ !cat
echo "!cat" ¦ ^a^b ¦ cat f.txt # comment ¦ # ¦ : > f.txt ¦ . ./f.txt ¦ source f.txt ¦ exec cat f.txt ¦ eval cat f.txt
command cat f.txt ¦ builtin echo x ¦ env cat f.txt ¦ env -S 'sh -c id' ¦ nice cat f.txt ¦ timeout 1 cat f.txt
nohup cat f.txt ¦ time cat f.txt ¦ xargs cat ¦ find . -exec id ; ¦ awk 'BEGIN{system("id")}' ¦ perl -e 1
python3 -c 1 ¦ git -c core.pager=id log ¦ tar --to-command=id -xf a ¦ tar -I id -cf a b ¦ zip a b -TT id
sort --compress-program=id f.txt ¦ sort -T / f.txt ¦ sort -o g.txt f.txt ¦ sort -og.txt f.txt
sort --files0-from=f.txt ¦ sort -S1 f.txt ¦ wc --files0-from=f.txt ¦ wc --files0-from f.txt ¦ grep -f f.txt x
grep --file=f.txt x ¦ grep -P '(?{system "id"})' f.txt ¦ grep --include=../x -r a ¦ grep -R a . ¦ rg --pre id x
rg -f f.txt x ¦ rg --hostname-bin id x ¦ rg -z x ¦ rg --search-zip x ¦ rg --no-config x ¦ head --bytes=1 f.txt
head -c1 /etc/passwd ¦ tail -f f.txt ¦ tail -F f.txt ¦ tail --pid=1 -f f.txt ¦ tail --retry f.txt ¦ cat -- /etc/passwd
cat -/etc/passwd ¦ cat --help/../x ¦ cat - < /etc/passwd ¦ cat </etc/passwd ¦ cat < ../f.txt ¦ cat f.txt > /tmp/x
cat f.txt > ~/x ¦ cat f.txt > $HOME ¦ cat f.txt > "$HOME/x" ¦ cat f.txt > $WS/../x ¦ cat f.txt > $WS
cat f.txt > $WSx ¦ cat f.txt > ${WS}/x ¦ cat ${WS} ¦ cat $WS/$WS/x ¦ cat "$WS/$(id)" ¦ cat "$WS/`id`"
cp -t sub f.txt ¦ cp --target-directory=/ f.txt ¦ cp -r sub sub2 ¦ cp -a f.txt g.txt ¦ cp -P f.txt g.txt
cp -d f.txt g.txt ¦ cp -l f.txt g.txt ¦ cp -s f.txt g.txt ¦ cp --backup=simple -S /x f.txt g.txt
cp -S/../x -b f.txt g.txt ¦ cp f.txt -t sub ¦ mv -t sub f.txt ¦ mv --suffix=/x -b f.txt g.txt ¦ mv f.txt g.txt sub
mv . sub ¦ rm -rf . ¦ rm -rf .. ¦ rm -rf $WS/.. ¦ rm -rf / ¦ rm -rf --no-preserve-root / ¦ rm -- -rf
touch -r /etc/passwd f.txt ¦ touch -d x f.txt ¦ touch -t 1 f.txt ¦ ls -L ¦ ls --hyperlink ¦ ls .. ¦ ls / ¦ ls *
ls */.. ¦ ls .* ¦ ls [.]* ¦ ls ? ¦ cat *.txt ¦ cat sub/* ¦ cat */f.txt ¦ cat ..* ¦ sed -f f.txt g.txt
sed -s -n p f.txt ¦ sed 'w g.txt' f.txt ¦ sed 's/a/b/w g.txt' f.txt ¦ sed 's/a/id/e' f.txt ¦ sed e f.txt
sed 1e f.txt ¦ sed '1!e' f.txt ¦ sed 'r /etc/passwd' f.txt ¦ sed 'R x' f.txt ¦ sed 'W x' f.txt ¦ sed 's/a/b/;e' f.txt
sed 's/a/b/gw x' f.txt ¦ sed 's,a,b,e' f.txt ¦ sed 's/[/]w x/b/' f.txt ¦ sed 's/a\/b/w x' f.txt
sed -i.bak s/a/b/ f.txt ¦ sed -ies/../../g p f.txt ¦ sed -Eie's/../../g' p f.txt ¦ sed -in p f.txt
sed -i/../x s/a/b/ f.txt ¦ sed --in-place=../x s/a/b/ f.txt ¦ sed -e s/a/b/ -e e f.txt ¦ sed --expression=e f.txt
sed --debug p f.txt ¦ sed 'y/a/b/' f.txt ¦ sed '1{e}' f.txt ¦ sed ':a;ba' f.txt ¦ sed 's/a/b/;\ne' f.txt
printf -v x y ¦ printf '%(x)T' 1 ¦ printf '%n' ¦ printf '%*d' 9999999999 1 ¦ printf '%99999999s' x ¦ printf '\x2f'
printf '\057' ¦ printf "%b" '\057' ¦ tee -a f.txt ¦ tee --output-error f.txt ¦ tee /dev/tcp/x/1
cat /dev/tcp/127.0.0.1/22 ¦ cat dev/../../x ¦ cat f.txt/ ¦ cat f.txt//g ¦ cat ./f.txt ¦ cat ./../f.txt
cat sub/../../f.txt ¦ cat "sub/..//../f" ¦ cat 'a"b' ¦ cat f.txt;id ¦ cat f.txt;;id ¦ cat f.txt||id ¦ cat f.txt&&id
cat f.txt|id ¦ cat|id ¦ |cat ¦ cat f.txt| ¦ cat f.txt & ¦ (cat f.txt) ¦ { cat f.txt; } ¦ if true; then id; fi
while true; do echo; done ¦ for i in a; do id; done ¦ case a in a) id;; esac ¦ function cat { id; } ¦ cat() { id; }
cat () { id; } ¦ A=1 cat f.txt ¦ PATH=. cat f.txt ¦ a[1]=x ¦ cat=id ¦ set -x ¦ cd ~ ¦ cd / && cat etc/passwd
cd sub && rm -rf .. ¦ cd $WS && cd .. ¦ pushd sub ¦ umask 0 ¦ ulimit -f 1 ¦ export A=1 ¦ hash -p /bin/sh cat
enable -f x y ¦ test -f x ¦ [ -f x ] ¦ [[ -f x ]] ¦ ((1)) ¦ $((1)) ¦ let a=1 ¦ read x ¦ wait ¦ exit ¦ kill -9 1
ln f.txt g.txt ¦ install f.txt g.txt ¦ dd if=/dev/zero of=f.txt ¦ chmod 4755 f.txt ¦ mkdir x ¦ mkfifo x ¦ cat C:\x
cat C:/x ¦ cat \\host\x ¦ cat %HOME% ¦ /bin/cat f.txt ¦ ./cat f.txt ¦ ../cat f.txt ¦ sub/cat f.txt ¦ CAT f.txt
cat\tf.txt
"""
"""Commands that were thought of after the language was made; in each line a broken bar is between two."""

REFUSED = {
    "glued punctuation": cases(
        "(echo id)|sh ¦ (echo a);id ¦ (true)&&id ¦ true;(id) ¦ true;id ¦ true&&id ¦ true||id ¦ true|id ¦ "
        "echo a;;id ¦ echo a|&id ¦ echo a& ¦ echo a&id ¦ &id ¦ true & id ¦ { id; } ¦ ! true ¦ true; ¦ "
        ";true ¦ | cat ¦ cat | ¦ true &&"
    ),
    "programs that are not listed": cases(
        "id ¦ sh x ¦ bash ¦ env ¦ eval id ¦ exec id ¦ . x ¦ source x ¦ command id ¦ builtin id ¦ "
        "ln -s / x ¦ find . ¦ xargs id ¦ awk 1 ¦ perl x ¦ python3 x ¦ tar xf x ¦ dd if=a of=b ¦ ./x ¦ "
        "sub/x ¦ $WS/x ¦ /bin/cat a ¦ A=b cat a ¦ PATH=. cat a ¦ trap id EXIT ¦ alias cat=id ¦ if true ¦ "
        "while true ¦ time id ¦ nohup id ¦ set -e ¦ export A=b ¦ unset PATH ¦ cat() id ¦ chmod 777 a ¦ "
        "install a b ¦ rsync a b ¦ mkfifo a ¦ mknod a p ¦ mkdir a ¦ curl example.com ¦ 'i'd ¦ \"id\" ¦ "
        "c''url a ¦ less a ¦ more a ¦ vi a ¦ xxd a ¦ split a ¦ csplit a ¦ truncate a"
    ),
    "expansions": cases(
        'cat $(id) ¦ cat `id` ¦ cat $HOME/x ¦ cat ${HOME} ¦ cat "$HOME/x" ¦ cat "`id`" ¦ cat "$(id)" ¦ '
        "cat ~ ¦ cat ~root/x ¦ cat $WSX/a ¦ cat $WS_/a ¦ cat {a,b} ¦ cat a? ¦ cat [a]b ¦ cat a\\ b ¦ "
        'echo $1 ¦ echo $$ ¦ echo $? ¦ echo !x ¦ echo "!x" ¦ cat $\'a\' ¦ cat $"a" ¦ echo #a ¦ echo a^b ¦ '
        "cat $WS$HOME ¦ cat <(id) ¦ cat >(id) ¦ echo $((1)) ¦ echo a\nid ¦ echo a\rid ¦ echo 'a\nid' ¦ "
        "echo 'a ¦ echo \"a ¦ echo a' ¦ echo \x00 ¦ echo 'a\x00' ¦ echo 'a\x1b' ¦ echo \xe9 ¦ cat =id ¦ "
        "cat '$W'S/../x ¦ cat \"$WS\"x ¦ cat \"$WS\"/.. ¦ cat $W'S'/../x ¦ cat '..'$WS"
    ),
    "globs": cases(
        "cat .[.]/.[.]/etc/hostname ¦ cat * ¦ cat .* ¦ cat */x ¦ cat ../* ¦ cat $WS/* ¦ cat sub/*/x ¦ "
        "cat -* ¦ cat a*/../x ¦ rm a* ¦ touch a* ¦ cp a* b ¦ sed -n 1p a* ¦ echo a* ¦ grep a* b ¦ "
        "cat < a* ¦ echo x > a* ¦ cat a? ¦ cat a[b] ¦ tee a* ¦ mv a* b ¦ head -n a* b ¦ grep -e a* b ¦ "
        "rg -e * b ¦ nl -b a* b ¦ head -- -5 ¦ head -n -5 ../b"
    ),
    "paths": cases(
        "cat /etc/passwd ¦ cat ../x ¦ cat a/../../x ¦ cat .. ¦ cat . ¦ cat ./a ¦ cat a/.. ¦ cat a//b ¦ "
        "cat $WS/../x ¦ cat $WS/.. ¦ cat $WS/a/.. ¦ cat '..'/x ¦ cat .'.'/x ¦ cat \".\"./x ¦ "
        "cat '/etc/x' ¦ cat '' ¦ cat - ¦ cd ¦ cd - ¦ cd .. ¦ cd / ¦ cd ''  ¦ cd $WS/.. ¦ cat '~/x' ¦ "
        "cat 'a\\b' ¦ cat /dev/stdin ¦ cat < /dev/tcp/a/1 ¦ cat //etc/x ¦ cat 'file:///etc/x' '/x' ¦ "
        "cat ' /etc/x'"
    ),
    "redirections": cases(
        "echo x > /tmp/x ¦ echo x > ../x ¦ echo x >> $WS/../x ¦ cat < /etc/passwd ¦ echo x > '' ¦ "
        "echo x > ¦ > x ¦ < x cat ¦ cat << x ¦ cat <<< x ¦ echo a >| b ¦ echo a >& b ¦ echo a &> b ¦ "
        "cat <> a ¦ echo a 2> b ¦ echo a 2>&1 ¦ cat 0< a ¦ echo a 1>b ¦ echo a >b >c ¦ cat <a <b ¦ "
        "echo a >>> b ¦ cat a >> b ¦ nl a >> a ¦ cat <& 3 ¦ echo a > -x ¦ echo a > $WS ¦ echo a > ~/x ¦ "
        "echo a > a*"
    ),
    "what never ends": cases(
        "tail -f a ¦ tail -F a ¦ tail --follow a ¦ tail -n1f a ¦ tail --retry -f a ¦ tail --pid=1 a ¦ "
        "cat a | tee a ¦ cat a | nl > a ¦ nl a > a ¦ cat < a > a ¦ cat ./a > a ¦ nl $WS/a | tee sub/a ¦ "
        "cat A | nl > a ¦ cat a* | nl > ab ¦ grep -r x > a ¦ rg x > a ¦ cp a b | nl b > a ¦ "
        "cat a | tee -a a ¦ sed p a > a ¦ sort a | nl > a ¦ head a | tee b a ¦ "
        "grep -E '((a{255}){255}){255}' f ¦ grep '\\(a\\{255\\}\\)\\{255\\}' f ¦ grep -e a -ie 'a{,9}' f ¦ "
        "egrep '(a|aa)+\\1' f ¦ sed -E 's/((a{255}){255}){9}/x/' f ¦ sed -E '/(a*)*\\1b/d' f ¦ "
        "sed 's/a\\{9\\}/b/' f ¦ nl -b 'pa\\{9\\}' f ¦ rg 'a{9}' f"
    ),
    "options": cases(
        "cp --target-directory=/outside f ¦ cp -t /outside f ¦ cp -t sub f ¦ cp -P a b ¦ cp -a a b ¦ "
        "cp -d a b ¦ cp -R a b ¦ cp -r a b ¦ cp -s a b ¦ cp -l a b ¦ cp --symbolic-link a b ¦ "
        "cp --parents a b ¦ cp --backup=t a b ¦ cp -S x a b ¦ mv -t /outside a ¦ "
        "mv --target-directory=sub a ¦ mv -b a b ¦ mv --suffix=x a b ¦ mv a ¦ mv a b c ¦ "
        "sort --output=/outside/x f ¦ sort -o x f ¦ sort -ox f ¦ sort --compress-program=id f ¦ "
        "sort -T /tmp f ¦ sort -T. f ¦ sort -S 1 f ¦ sort --files0-from=x ¦ sort --random-source=x f ¦ "
        "sort -m f ¦ sort --parallel=9 f ¦ rg --pre=id x ¦ rg --pre id x a ¦ rg -f x a ¦ "
        "rg --pre-glob x a ¦ rg -z x a ¦ rg -L x ¦ rg --files ¦ rg -u x ¦ grep -f x a ¦ grep -fx a ¦ "
        "grep --file=x a ¦ grep -R x ¦ grep --include=x a b ¦ grep -P x a ¦ grep -d read x a ¦ "
        "grep -D read x a ¦ grep -ce x -f y a ¦ egrep -f x a ¦ fgrep --file x a ¦ cat --help ¦ cat --x ¦ "
        "head --lines=2 a ¦ head -n ¦ head -n a b ¦ head -c -x a ¦ head -n1x a ¦ tee -a x ¦ "
        "tee --append x ¦ touch -r /etc/passwd a ¦ touch -d now a ¦ touch -t 1 a ¦ touch --reference=x a ¦ "
        "wc --files0-from=x ¦ ls -R ¦ ls --color=x ¦ nl --x a ¦ rm -i a ¦ rm --no-preserve-root -rf x ¦ "
        "rm ¦ ls -Z ¦ pwd x ¦ true x ¦ false -x ¦ cd a b ¦ cd -P a ¦ pwd -P ¦ touch ¦ tee"
    ),
    "what sed and printf do": cases(
        "sed s/a/ls/e a ¦ sed 1e a ¦ sed '1e id' a ¦ sed 'e' a ¦ sed '1w out' a ¦ sed 'w/tmp/x' a ¦ "
        "sed s/a/b/w/tmp/x a ¦ sed 's/a/b/w x' a ¦ sed 's/a/b/gw x' a ¦ sed 'r /etc/passwd' a ¦ "
        "sed 'R x' a ¦ sed 'W x' a ¦ sed s/a/b/m a ¦ sed -i.bak s/a/b/ a ¦ sed -i* s/a/b/ a ¦ "
        "sed --in-place=x 1d a ¦ sed -f x a ¦ sed --file=x a ¦ sed -s 1p a ¦ sed --expression=1e a ¦ "
        "sed -ie s/a/b/e a ¦ sed 1d;id a ¦ sed 's/[/a/w x]/b/' a ¦ sed 's/[/]w x/b/e' a ¦ "
        "sed 's,a,b,w x' a ¦ sed 's|a|b|' a ¦ sed '1p;w x' a ¦ sed 's/a/b/;e id' a ¦ sed '{p}' a ¦ "
        "sed '1{e id' a ¦ sed '1!e' a ¦ sed '1~2p' a ¦ sed a\\\\x a ¦ sed 'y/a/b/' a ¦ sed '1i x' a ¦ "
        "sed 's/a/$WS/' a ¦ sed s/a/$WS/ a ¦ sed 's/a\\/b/c' a ¦ sed ¦ sed -i s/a/b/ suaubuw/etc/x ¦ "
        "sed -i s/a/b/ w/etc/x ¦ sed -ni p r/etc/x a ¦ sed -i -e p w/tmp/x ¦ printf ¦ printf -v a b ¦ "
        "printf '%n' a ¦ printf '%999999999s' a ¦ printf '%*s' 9 a ¦ printf '%d' 'a[b]' ¦ printf '%b' a ¦ "
        "printf '\\x2f' a ¦ printf $WS ¦ printf '%' ¦ printf -- a ¦ printf '%q' a"
    ),
    "thought of later": [
        *(each for line in LATER.strip("\n").split("\n") for each in cases(line)),
        *cases(
            "cat f.txt\nid ¦ cat f.txt\rid ¦ cat f.txt\x0bid ¦ cat f.txt\x0cid ¦ cat f.txt\x00id ¦ "
            "cat f.txt\u2028id ¦ cat\xa0f.txt ¦ cat\u3000f.txt ¦ cat f.txt\u037e id ¦ cat f.txt \uff1b id ¦ "
            "cat f.txt \uff5c id ¦ c\u200bat f.txt ¦ \ufeffcat f.txt ¦ cat \\\nid ¦ cat \"a\nb\" ¦ cat 'a\nb' ¦ "
            'cat "\x1b]8;;x" ¦ cat $\'\\x2f\' ¦ cat "\ud800" ¦ cat f.txt\x85id ¦ cat \u202ef.txt ¦ '
            'echo \u2018x\u2019;id ¦ cat "$WS\u0301/x" ¦ cat $WS\u0301 ¦ cat $WS\xb7x/..'
        ),
    ],
    "size": ["echo " + "a" * 1000, "; ".join(["true"] * 21)],
    "nothing": ["", " "],
}


@rows("kind", REFUSED)
def test_every_other_command_is_refused_with_what_to_write(kind: str) -> None:
    assert [command for command in REFUSED[kind] if is_accepted(command)] == []
    for command in REFUSED[kind]:
        with pytest.raises(CommandError) as caught:
            parse_command(command)
        assert str(caught.value), command
        assert caught.value.fix.endswith((".", "…")), command


FRAGMENTS = (
    cases(
        "a ¦ b ¦ sub ¦ sub/c ¦ up ¦ .. ¦ . ¦ / ¦ * ¦ $WS ¦ $WS/a ¦ $WS/.. ¦ ../ ¦ $HOME ¦ ~ ¦ ' ¦ \" ¦ - ¦ "
        "-e ¦ -f ¦ -n ¦ -i ¦ -o ¦ -t ¦ -r ¦ -a ¦ 1 ¦ +2 ¦ s/a/b/ ¦ s/a/id/e ¦ w ¦ 1w ¦ p ¦ %s ¦ \\ ¦ ; ¦ & ¦ "
        "&& ¦ | ¦ || ¦ < ¦ > ¦ >> ¦ ( ¦ ) ¦ ` ¦ $( ¦ \n ¦ \t ¦ = ¦ # ¦ { ¦ } ¦ ! ¦ [ ¦ ] ¦ ? ¦ id ¦ sh ¦ ln ¦ "
        "'a b' ¦ \"a\" ¦ x= ¦ 2> ¦ \xe9 ¦ \u2028 ¦ \xa0 ¦ 0"
    )
    + [" "] * 6
)


def commands_of(seed: int) -> Iterator[str]:
    """Yield commands of programs and fragments, many of them nearly right."""
    chance = random.Random(seed)
    programs = (*PROGRAMS, "id", "sh", "")
    while True:
        parts = [chance.choice(programs), " "]
        for _ in range(chance.randrange(1, 9)):
            parts.append(chance.choice(FRAGMENTS))
            if chance.random() < 0.15:
                parts += [chance.choice([";", "|", "&&", "("]), chance.choice(programs)]
            if chance.random() < 0.6:
                parts.append(" ")
        yield "".join(parts)


def is_accepted(command: str) -> bool:
    try:
        return bool(parse_command(command))
    except CommandError:
        return False


@pytest.fixture
def traps(tmp_path: Path) -> Path:
    """A folder of programs: those of the list as they are, and all others that leave a mark."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in PROGRAMS:
        if (real := shutil.which(name)) is not None:
            (folder / name).symlink_to(os.path.realpath(real))
    for name in ("id", "sh", "ln", "a", "b", "w", "x", "s"):
        (folder / name).write_text(f"#!/bin/sh\n: > '{tmp_path}/mark'\n")
        (folder / name).chmod(0o755)
    return folder


def outside(base: Path) -> dict[str, object]:
    """Return everything below `base` but the workspace, with contents and times."""
    found: dict[str, object] = {}
    for folder, names, files in os.walk(base):
        if folder == str(base / "s"):
            names.remove("w")
        for name in files:
            path = Path(folder, name)
            found[str(path)] = (path.read_bytes(), path.stat().st_mtime_ns)
        found[folder] = sorted(names + files)
    return found


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 60), *(pytest.param(seed, 400, marks=pytest.mark.slow) for seed in range(2, 5))]
)
def test_what_is_accepted_runs_nothing_else_and_stays_inside(
    tmp_path: Path, traps: Path, seed: int, count: int
) -> None:
    workspace = tmp_path / "s" / "w"
    for folder in (workspace, tmp_path / "home", tmp_path / "s" / "up"):
        folder.mkdir(parents=True)
    for place in (tmp_path, tmp_path / "s", tmp_path / "s" / "up"):
        (place / "a").write_text("a\nb\n")
    before = outside(tmp_path)
    accepted = (each for each in commands_of(seed) if is_accepted(each))
    for command in (next(accepted) for _ in range(count)):
        shutil.rmtree(workspace, ignore_errors=True)
        (workspace / "sub").mkdir(parents=True)
        for place in (workspace, workspace / "sub"):
            (place / "a").write_text("a\nb\n")
        subprocess.run(
            ["/bin/sh", "-c", command.replace("$WS", str(workspace))],
            cwd=workspace,
            env={"PATH": str(traps), "HOME": str(tmp_path / "home")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
        workspace.mkdir(exist_ok=True)
        assert outside(tmp_path) == before, command


def test_the_generated_test_sees_what_it_looks_for(tmp_path: Path, traps: Path) -> None:
    workspace = tmp_path / "s" / "w"
    workspace.mkdir(parents=True)
    before = outside(tmp_path)
    for command in ("(echo a)|sh", "echo a > ../a", "cat .[.]/a | tee ../../a"):
        subprocess.run(["/bin/sh", "-c", command], cwd=workspace, env={"PATH": str(traps)}, check=False)
        changed = outside(tmp_path)
        assert changed != before, command
        before = changed
