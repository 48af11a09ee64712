"""A new look for ways around: commands and paths that were thought of after the language and the readings were made."""

from readfirst.harness.suite.commands import CommandError, parse_command
from readfirst.harness.suite.spelling import spelling_problem

from .listed import cases

COMMANDS = r"""
$'cat' f.txt ¦ $"cat" f.txt ¦ c\at f.txt ¦ cat f.txt& ¦ cat f.txt &! ¦ cat f.txt |& sh ¦ cat f.txt &> g.txt
cat f.txt >& g.txt ¦ cat f.txt >| g.txt ¦ cat f.txt 2> g.txt ¦ cat f.txt 2>&1 ¦ cat f.txt <> g.txt
cat <<< x ¦ cat << EOF ¦ cat <<-EOF ¦ cat <(id) ¦ tee >(sh) ¦ echo {a,b} ¦ cat {f,../g}.txt ¦ cat f{1..3}
cat ~/x ¦ cat ~root/x ¦ cat ~+/x ¦ echo ~- ¦ !! ¦ !cat ¦ echo "!cat" ¦ ^a^b ¦ cat f.txt # comment ¦ #
: > f.txt ¦ . ./f.txt ¦ source f.txt ¦ exec cat f.txt ¦ eval cat f.txt ¦ command cat f.txt ¦ builtin echo x
env cat f.txt ¦ env -S 'sh -c id' ¦ nice cat f.txt ¦ timeout 1 cat f.txt ¦ nohup cat f.txt ¦ time cat f.txt
xargs cat ¦ find . -exec id ; ¦ awk 'BEGIN{system("id")}' ¦ perl -e 1 ¦ python3 -c 1
git -c core.pager=id log ¦ tar --to-command=id -xf a ¦ tar -I id -cf a b ¦ zip a b -TT id
sort --compress-program=id f.txt ¦ sort -T / f.txt ¦ sort -o g.txt f.txt ¦ sort -og.txt f.txt
sort --files0-from=f.txt ¦ sort -S1 f.txt ¦ wc --files0-from=f.txt ¦ wc --files0-from f.txt
grep -f f.txt x ¦ grep --file=f.txt x ¦ grep -P '(?{system "id"})' f.txt ¦ grep --include=../x -r a
grep -R a . ¦ rg --pre id x ¦ rg --pre=id x ¦ rg -f f.txt x ¦ rg --hostname-bin id x ¦ rg -z x
rg --search-zip x ¦ rg -L x ¦ rg --no-config x ¦ head --bytes=1 f.txt ¦ head -c1 /etc/passwd ¦ tail -f f.txt
tail -F f.txt ¦ tail --pid=1 -f f.txt ¦ tail --retry f.txt ¦ cat -- /etc/passwd ¦ cat -/etc/passwd
cat --help/../x ¦ cat - < /etc/passwd ¦ cat </etc/passwd ¦ cat < ../f.txt ¦ cat f.txt > /tmp/x
cat f.txt > ~/x ¦ cat f.txt > $HOME ¦ cat f.txt > "$HOME/x" ¦ cat f.txt > $WS/../x ¦ cat f.txt > $WS
cat f.txt > $WSx ¦ cat f.txt > ${WS}/x ¦ cat ${WS} ¦ cat $WS/$WS/x ¦ cat "$WS/$(id)" ¦ cat "$WS/`id`"
cp -t sub f.txt ¦ cp --target-directory=/ f.txt ¦ cp -r sub sub2 ¦ cp -a f.txt g.txt ¦ cp -P f.txt g.txt
cp -d f.txt g.txt ¦ cp -l f.txt g.txt ¦ cp -s f.txt g.txt ¦ cp --backup=simple -S /x f.txt g.txt
cp -S/../x -b f.txt g.txt ¦ cp f.txt -t sub ¦ mv -t sub f.txt ¦ mv --suffix=/x -b f.txt g.txt
mv f.txt g.txt sub ¦ mv . sub ¦ rm -rf . ¦ rm -rf .. ¦ rm -rf $WS/.. ¦ rm -rf /
rm -rf --no-preserve-root / ¦ rm -- -rf ¦ touch -r /etc/passwd f.txt ¦ touch -d x f.txt ¦ touch -t 1 f.txt
ls -R ¦ ls -L ¦ ls --hyperlink ¦ ls .. ¦ ls / ¦ ls * ¦ ls */.. ¦ ls .* ¦ ls [.]* ¦ ls ? ¦ cat * ¦ cat *.txt
cat sub/* ¦ cat */f.txt ¦ cat -* ¦ cat .* ¦ cat ..* ¦ sed -f f.txt g.txt ¦ sed -s -n p f.txt
sed 'w g.txt' f.txt ¦ sed 's/a/b/w g.txt' f.txt ¦ sed 's/a/id/e' f.txt ¦ sed e f.txt ¦ sed 1e f.txt
sed '1!e' f.txt ¦ sed 'r /etc/passwd' f.txt ¦ sed 'R x' f.txt ¦ sed 'W x' f.txt ¦ sed 's/a/b/;e' f.txt
sed 's/a/b/gw x' f.txt ¦ sed 's,a,b,e' f.txt ¦ sed 's/[/]w x/b/' f.txt ¦ sed 's/a\/b/w x' f.txt
sed -i.bak s/a/b/ f.txt ¦ sed -ies/../../g p f.txt ¦ sed -Eie's/../../g' p f.txt ¦ sed -in p f.txt
sed -i/../x s/a/b/ f.txt ¦ sed --in-place=../x s/a/b/ f.txt
sed -e s/a/b/ -e e f.txt ¦ sed --expression=e f.txt ¦ sed --debug p f.txt ¦ sed 'y/a/b/' f.txt
sed '1{e}' f.txt ¦ sed ':a;ba' f.txt ¦ sed 's/a/b/;\ne' f.txt ¦ printf -v x y ¦ printf '%(x)T' 1
printf '%n' ¦ printf '%*d' 9999999999 1 ¦ printf '%99999999s' x ¦ printf '\x2f' ¦ printf '\057'
printf "%b" '\057' ¦ tee -a f.txt ¦ tee --output-error f.txt ¦ tee /dev/tcp/x/1 ¦ cat /dev/tcp/127.0.0.1/22
cat dev/../../x ¦ cat f.txt/ ¦ cat f.txt//g ¦ cat ./f.txt ¦ cat ./../f.txt ¦ cat sub/../../f.txt
cat "sub/..//../f" ¦ cat 'a"b' ¦ cat f.txt;id ¦ cat f.txt;;id ¦ cat f.txt||id ¦ cat f.txt&&id ¦ cat f.txt|id
cat|id ¦ |cat ¦ cat f.txt| ¦ cat f.txt & ¦ (cat f.txt) ¦ { cat f.txt; } ¦ if true; then id; fi
while true; do echo; done ¦ for i in a; do id; done ¦ case a in a) id;; esac ¦ function cat { id; }
cat() { id; } ¦ cat () { id; } ¦ alias cat=id ¦ A=1 cat f.txt ¦ PATH=. cat f.txt ¦ a[1]=x ¦ cat=id ¦ set -x
trap id EXIT ¦ cd - ¦ cd .. ¦ cd ~ ¦ cd ¦ cd / && cat etc/passwd ¦ cd sub && rm -rf .. ¦ cd $WS && cd ..
pushd sub ¦ umask 0 ¦ ulimit -f 1 ¦ export A=1 ¦ unset PATH ¦ hash -p /bin/sh cat ¦ enable -f x y
test -f x ¦ [ -f x ] ¦ [[ -f x ]] ¦ ((1)) ¦ $((1)) ¦ let a=1 ¦ read x ¦ wait ¦ exit ¦ kill -9 1 ¦ ln -s / x
ln f.txt g.txt ¦ install f.txt g.txt ¦ dd if=/dev/zero of=f.txt ¦ chmod 4755 f.txt ¦ mkdir x ¦ mkfifo x
cat C:\x ¦ cat C:/x ¦ cat \\host\x ¦ cat %HOME% ¦ /bin/cat f.txt ¦ ./cat f.txt ¦ ../cat f.txt
sub/cat f.txt ¦ CAT f.txt ¦ cat\tf.txt
"""
"""In each line a broken bar is between two."""
CONTROLS = cases(
    "cat f.txt\nid ¦ cat f.txt\rid ¦ cat f.txt\x0bid ¦ cat f.txt\x0cid ¦ cat f.txt\x00id ¦ "
    "cat f.txt\u2028id ¦ cat\xa0f.txt ¦ cat\u3000f.txt ¦ cat f.txt\u037e id ¦ cat f.txt \uff1b id ¦ "
    "cat f.txt \uff5c id ¦ c\u200bat f.txt ¦ \ufeffcat f.txt ¦ cat \\\nid ¦ cat \"a\nb\" ¦ cat 'a\nb' ¦ "
    'cat "\x1b]8;;x" ¦ cat $\'\\x2f\' ¦ cat "\ud800" ¦ cat f.txt\x85id ¦ cat \u202ef.txt ¦ '
    'echo \u2018x\u2019;id ¦ cat "$WS\u0301/x" ¦ cat $WS\u0301 ¦ cat $WS\xb7x/..'
)
PATHS = cases(
    "/etc/passwd ¦ //etc/passwd ¦ /./etc ¦ ///x ¦ \\etc\\passwd ¦ C:\\x ¦ C:/x ¦ c:x ¦ \\\\?\\C:\\x ¦ "
    "\\\\host\\share ¦ file:///etc ¦ FILE:/etc ¦ file:etc/passwd ¦ vscode://file/x ¦ ~root/x ¦ ~+/x ¦ "
    "~-/x ¦ ~/../x ¦ ~/../../x ¦ ~//../x ¦ ~/./../x ¦ ~/.././x ¦ ~\\..\\x ¦ $HOME/x ¦ ${HOME}/x ¦ "
    "$(pwd)/x ¦ %HOME%/x ¦ %USERPROFILE%\\x ¦ $env:HOME/x ¦ !HOME!/x ¦ $WS/../x ¦ $WS/./../x ¦ $WS//../x ¦ "
    "$WS/a/../../x ¦ $WS/a/b/../../../x ¦ $WS\\..\\x ¦ $WS/.. ¦ $WS/../ ¦ $WS/.. /x ¦ $WS/..\t/x ¦ "
    "$WS/..\xa0/x ¦ $WS/..\u200b/x ¦ $WS/.\u200b./x ¦ $WS/\u2024\u2024/x ¦ $WS/\u2025/x ¦ "
    "$WS/\uff0e\uff0e/x ¦ $WS/..\u2215x ¦ $WS/..\uff0fx ¦ $WS/..\u2044x ¦ $WS/%2e%2e/x ¦ "
    "$WS/%252e%252e/x ¦ $WS/%2e./x ¦ $WS/..%2fx ¦ $WS/..%5cx ¦ $WS/%c0%ae%c0%ae/x ¦ $WS/&#46;&#46;/x ¦ "
    "$WS/&period;&period;/x ¦ $WS/..&sol;x ¦ $WS/\\x2e\\x2e/x ¦ $WS/\\u002e\\u002e/x ¦ $WS/\\056\\056/x ¦ "
    "$WS/\"../\"x ¦ $WS/'..'/x ¦ $WS/`..`/x ¦ $WS/.{.,}/x ¦ $WS/{..,a}/x ¦ $WS/[.][.]/x ¦ $WS/.[.]/x ¦ "
    "$WS/?./x ¦ $WS/.?/x ¦ $WS/.*/x ¦ $WS/*/../../x ¦ $WS/.@(.)/x ¦ $WSX/x ¦ $WS.. ¦ $WS ../x ¦ "
    "$WS\n/../x ¦ ${WS}/../x ¦ $WS/$WS/../x ¦ $WS/a$WS ¦ x/$WS/../.. ¦ ../x ¦ ./../x ¦ a/../../x ¦ .. ¦ "
    "../ ¦ ..  ¦ ..\\x ¦ ..;/x ¦ ..\x00/x ¦ \x00/etc/passwd ¦ a\x00/../../etc ¦  /etc/passwd ¦ "
    "\t/etc/passwd ¦ \n/etc/passwd ¦ \r/etc ¦ \x0b/etc ¦ \x1f/etc ¦ \u2028/etc ¦ \ufeff/etc/passwd ¦ "
    "\u200b/etc/passwd ¦ \u202e/etc ¦ \xad/etc ¦ \U000e0020/etc ¦ \u3164/etc ¦ \u115f/etc ¦ \u2800/etc ¦ "
    "\"/etc/passwd\" ¦ '/etc/passwd' ¦ `/etc/passwd` ¦ </etc/passwd> ¦ (/etc) ¦ [/etc] ¦ {/etc} ¦ "
    "@/etc/passwd ¦ =/etc/passwd ¦ ,/etc ¦ |/etc ¦ -/etc ¦ --file=/etc/passwd ¦ #/etc ¦ ?/etc ¦ &/etc ¦ "
    "*/etc ¦ ^/etc ¦ +/etc ¦ .//etc/../../x ¦ a:/etc ¦ ssh:x ¦ git@h:/x ¦ data:x ¦ \uff0fetc/passwd ¦ "
    "\u2215etc ¦ \u29f8etc ¦ \uff3cetc ¦ \u2571etc ¦ \uff5e/../x ¦ \u02dc/../x ¦ \u223c/../x ¦ "
    "\uff04WS/../x ¦ \uff04HOME/x ¦ .../x ¦ ..../x ¦ a/.../x ¦ a/..../../../x ¦ a/..\u0301/../../x ¦ "
    "a/\u0301../../x ¦ caf\xe9/../../x ¦ cafe\u0301/../../x ¦ a/\ud800/../../x ¦ \ud800/../x ¦ %2fetc ¦ "
    "%00/etc ¦ &sol;etc ¦ &#x2f;etc ¦ &#47;etc ¦ \\x2fetc ¦ \\u002fetc ¦ \\057etc ¦ \\/etc ¦ \\\\/etc ¦ "
    '"\\x2fetc" ¦ $WS/\\\\..\\\\..\\\\x ¦ $WS/a\\../../x ¦ ~%2f..%2fx ¦ %7e/../x ¦ %24HOME/x ¦ '
    "$WS/a%00/../../x ¦ https://x/../../y ¦ //?/x ¦ /proc/self/root ¦ /dev/stdin ¦ ~user ¦ ~user/../x ¦ "
    "$ ¦ $1/x ¦ $@/x ¦ $$/x ¦ $? ¦ ${x:-/etc}/x ¦ $((1)) ¦ `pwd`/../x ¦ $WS/`id` ¦ $WS/.\x00./x ¦ "
    "$WS/a/.%00./../../x ¦ fi\tle:///etc ¦ f\nile:/etc ¦ $WS/\\u{2e}\\u{2e}/x ¦ \\u{2f}etc ¦ "
    "$WS/\ufe30/x ¦ $WS/.\ufe52/x ¦ $WS/%PATH:~0,1% ¦ -C/etc ¦ -I../x ¦ -a../x ¦ $WS/a,/etc/x ¦ "
    "$WS/a;/etc/x ¦ $WS/a\n/etc/x ¦ $WS/a\x00/etc/x ¦ $WS/a /etc/x ¦ a ../x ¦ a /../b ¦ a ~/../x ¦ "
    "a>/etc/x ¦ x'/etc/x ¦ a C:\\x ¦ a|file:///x ¦ &amp;#47;etc ¦ %%32%65%%32%65/x ¦ C|/x ¦ \\\\.\\C:\\x ¦ "
    "1:/x ¦ .//etc/passwd ¦ ././/etc/passwd ¦ $WS//etc/passwd ¦ $WS/.//etc/passwd ¦ ~//etc/passwd ¦ "
    "~/.//etc/passwd ¦ $WS/\\/etc/passwd ¦ $WS/~root/x ¦ $WS//~root/x ¦ $WS/./~root/x ¦ $WS/~+/x ¦ "
    "./~root/x ¦ a/../~root/x ¦ a/b/.././../~root/x ¦ $WS/a/../~root/x ¦ x/..//etc/passwd ¦ "
    "$WS/x/..//etc/passwd ¦ ~/x/.././/etc/passwd ¦ a/../file:etc/passwd ¦ $WS/%2Fmade ¦ $WS/\\x2fmade ¦ "
    "$WS/&sol;made ¦ $WS/\uff0fmade ¦ $WS/\xe9/etc/passwd ¦ $WS/\\\\etc\\passwd ¦ $WS/a/../%2Fmade ¦ "
    "[.]//etc/passwd ¦ $WS/[.]//etc/passwd ¦ $WS/%7eroot/x ¦ $WS/\uff5eroot/x ¦ $WS/\u200b~root/x ¦ "
    "$WS/file:etc/passwd ¦ $WS/FILE:etc/passwd ¦ $WS/f\nile:etc/passwd ¦ $WS/@/etc/passwd ¦ $WS/!!/x ¦ "
    ".\\\\etc\\passwd ¦ $WS/%2fetc/passwd ¦ $WS///etc//x ¦ $WS/a:/etc/x ¦ ?./x ¦ ?. ¦ ?\u2024/x ¦ "
    "{.,}./x ¦ {,.}./x ¦ @(.)./x ¦ +(.)/x ¦ $WS/@(.)./x"
)
LONG = ["a" * 5000 + "/../..", "a/" * 500 + "../" * 501 + "x", "/".join(["a", ".."] * 300) + "/../x"]
HARMLESS_COMMANDS = cases(
    "c''at f.txt ¦ cat '$WS' ¦ nl -b p../x f.txt ¦ nl -b'pa' f.txt ¦ sed -n -i s/a/b/ f.txt ¦ "
    "echo -e '\\057' > f.txt ¦ cat f.txt > CON ¦ cat f.txt:stream"
)
"""Those tried that a shell takes for what they seem: each names or prints something of the workspace."""
HARMLESS_PATHS = cases(
    "+AC8-etc ¦ =2Fetc ¦ {{HOME}}/x ¦ $WS/$$ ¦ $WS/=ls ¦ My Notes/a b.txt ¦ - ¦ -- ¦ <(id) ¦ >(id) ¦ "
    "a/. ./../x ¦ a/.\u0307/x ¦ a;id ¦ a|id ¦ dev/fd/3 ¦ ~ ¦ $WS//notes.txt ¦ sub//notes.txt ¦ what?.txt ¦ "
    "f(x).py ¦ *./x"
)


def accepted(commands: list[str]) -> list[str]:
    found = []
    for command in commands:
        try:
            parse_command(command)
        except CommandError:
            continue
        found.append(command)
    return found


def test_a_command_that_does_more_is_refused() -> None:
    commands = [each for line in COMMANDS.strip("\n").split("\n") for each in cases(line)]
    assert len(commands) + len(CONTROLS) > 250
    assert accepted([*commands, *CONTROLS]) == []
    assert accepted(HARMLESS_COMMANDS) == HARMLESS_COMMANDS


def test_a_path_that_leads_out_is_refused() -> None:
    assert len(PATHS) > 170
    assert [path for path in [*PATHS, *LONG] if spelling_problem(path) is None] == []
    assert [path for path in HARMLESS_PATHS if spelling_problem(path) is not None] == []
