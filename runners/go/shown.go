package readfirst

import (
	"encoding/json"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// line is one line of a file: who put it there (given, other or session), and whether the session saw it in full.
type line struct {
	text, hand string
	seen       bool
}

// known is what a session knows of a file.
type known struct {
	data  string
	lines []line
}

func givenFile(data string) *known {
	file := &known{data: data}
	for _, text := range contentOf(data).lines() {
		file.lines = append(file.lines, line{text, "given", false})
	}
	return file
}

// put takes a change over; lines that stay keep what is known of them.
func (k *known) put(hand, data string) {
	texts := contentOf(data).lines()
	lines := make([]line, len(texts))
	for index, text := range texts {
		lines[index] = line{text, hand, hand == "session"}
	}
	carry(k.lines, lines)
	k.data, k.lines = data, lines
}

const mostCompared = 2000

// carry gives lines that were there before what was known of them.
func carry(old, fresh []line) {
	for len(old) > 0 && len(fresh) > 0 && old[0].text == fresh[0].text {
		fresh[0] = old[0]
		old, fresh = old[1:], fresh[1:]
	}
	for len(old) > 0 && len(fresh) > 0 && old[len(old)-1].text == fresh[len(fresh)-1].text {
		fresh[len(fresh)-1] = old[len(old)-1]
		old, fresh = old[:len(old)-1], fresh[:len(fresh)-1]
	}
	if len(old)+len(fresh) > mostCompared {
		last := map[string]line{}
		for _, each := range old {
			last[each.text] = each
		}
		for index := range fresh {
			if former, is := last[fresh[index].text]; is {
				fresh[index] = former
			}
		}
		return
	}
	carryLongest(old, fresh)
}

// carryLongest matches the longest stretch of equal lines, of several the first, then what is before and after it.
func carryLongest(old, fresh []line) {
	best, atOld, atFresh := 0, 0, 0
	above := make([]int, len(fresh)+1)
	for i := range old {
		row := make([]int, len(fresh)+1)
		for j := range fresh {
			if old[i].text == fresh[j].text {
				row[j+1] = above[j] + 1
				if row[j+1] > best {
					best, atOld, atFresh = row[j+1], i+1-row[j+1], j+1-row[j+1]
				}
			}
		}
		above = row
	}
	if best > 0 {
		copy(fresh[atFresh:atFresh+best], old[atOld:atOld+best])
		carryLongest(old[:atOld], fresh[:atFresh])
		carryLongest(old[atOld+best:], fresh[atFresh+best:])
	}
}

// show marks the lines that an answer contains in full.
func (k *known) show(answer string) {
	texts := make([]string, len(k.lines))
	all := true
	for index, each := range k.lines {
		texts[index] = each.text
		all = all && each.seen
	}
	if all {
		return
	}
	for index, shown := range shownLines(texts, answer) {
		k.lines[index].seen = k.lines[index].seen || shown
	}
}

// lost returns the unseen lines that bytes in the file's place leave out; blank ones are nobody's work, and one that ends
// otherwise is not lost.
func (k *known) lost(data string) []line {
	if data == k.data {
		return nil
	}
	left := map[string]int{}
	for _, text := range pieces(contentOf(data).text) {
		left[text]++
	}
	var gone []line
	for _, each := range k.lines {
		if each.seen {
			continue
		}
		wanted, there := map[string]int{}, true
		for _, text := range pieces(each.text) {
			if !isBlank(text) {
				wanted[text]++
				there = there && wanted[text] <= left[text]
			}
		}
		if !there {
			gone = append(gone, each)
			continue
		}
		for text, count := range wanted {
			left[text] -= count
		}
	}
	return gone
}

// pieces are what is between line ends of any kind, also a lone CR.
func pieces(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
}

const blankClass = `[\t\n\v\f\r\x1c-\x1f \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`
const mark = "\ufeff"

// numberBefore is what a tool puts in front of a line: its number, perhaps a short digest, and a separator.
var numberBefore = regexp.MustCompile(`^` + blankClass + `*[A-Za-z#]{0,5}` + blankClass + `?([0-9]+)(?:[:#][0-9A-Za-z]{1,8})?` +
	blankClass + `?[^\p{L}\p{N}_\t\n\v\f\r\x1c-\x1f \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]?` +
	blankClass + `?`)

// headingBefore is what a tool may put in front of the first line, on the same line: a tag, or words and a colon.
var headingBefore = regexp.MustCompile(`^(?:<[A-Za-z_-]+>|[A-Z][A-Za-z ]{0,40}: )`)

// reading is one line of an answer: the number in front of it (-1: none), and what the line of the file may be.
type reading struct {
	number int
	texts  []string
}

func readings(text string) reading {
	right := func(text string) string { return strings.TrimRight(text, whitespace) }
	plain := []string{text, right(text), strings.TrimPrefix(text, mark)}
	found := numberBefore.FindStringSubmatchIndex(text)
	if found == nil {
		return reading{-1, plain}
	}
	body, end := text[found[1]:], found[3]
	rest := ""
	if end < len(text) {
		_, size := utf8.DecodeRuneInString(text[end:])
		rest = text[end+size:]
	}
	digits := text[found[2]:end]
	if len(digits) > 18 {
		digits = digits[:18]
	}
	number, _ := strconv.Atoi(digits)
	separated := []string{body, strings.TrimPrefix(body, mark), rest, strings.TrimPrefix(rest, mark),
		text[end:], strings.TrimLeft(text[end:], whitespace)}
	return reading{number, append(separated, plain...)}
}

// shownLines says for each line of a file whether an answer contains it in full; a blank one counts as shown.
func shownLines(lines []string, answer string) []bool {
	var all []reading
	wanted := map[string]bool{}
	answered := append(strings.Split(answer, "\n"), quoted(answer)...)
	for _, each := range answered {
		one := readings(strings.TrimSuffix(each, "\r"))
		all = append(all, one)
		for _, text := range one.texts {
			wanted[text] = true
		}
	}
	where := map[string][]int{}
	shown := make([]bool, len(lines))
	for index, text := range lines {
		shown[index] = isBlank(text)
		if wanted[text] {
			where[text] = append(where[text], index)
			continue
		}
		visible := asShown(text)
		where[visible] = append(where[visible], index)
		if cut := strings.TrimRight(visible, whitespace); cut != visible {
			where[cut] = append(where[cut], index)
		}
	}
	last := -1
	for _, each := range all {
		if which := each.which(where, last); which >= 0 {
			shown[which] = true
			last = which
		}
	}
	for _, each := range answered {
		shown[0] = shown[0] || begins(lines[0], strings.TrimSuffix(each, "\r"))
	}
	return shown
}

// begins tells whether a line of an answer is a heading and the first line of the file.
func begins(first, line string) bool {
	heading := headingBefore.FindString(line)
	if heading == "" {
		return false
	}
	visible := asShown(first)
	one := readings(line[len(heading):])
	if one.number > 1 {
		one.texts = one.texts[len(one.texts)-3:]
	}
	for _, text := range one.texts {
		if text == first || text == visible || text == strings.TrimRight(visible, whitespace) {
			return true
		}
	}
	return false
}

// asShown is a line as an answer can hold it: what is no text is one mark, as decoders have it.
func asShown(text string) string {
	var shown strings.Builder
	for at := 0; at < len(text); {
		one, size := utf8.DecodeRuneInString(text[at:])
		if _, is := half(text[at:]); is {
			size = 3
		} else if one == utf8.RuneError && size == 1 {
			size = started(text[at:])
		}
		shown.WriteRune(one)
		at += size
	}
	return strings.TrimSuffix(shown.String(), "\r")
}

// started is how many bytes of a character are here, of which the rest is missing.
func started(text string) int {
	size := 1
	for size < len(text) && !utf8.FullRuneInString(text[:size+1]) {
		size++
	}
	return size
}

// which says which line is meant: by its number, else the next after the last; -1 where it is no line of the file.
func (t reading) which(where map[string][]int, last int) int {
	var first []int
	for _, text := range t.texts {
		if found := where[text]; first == nil {
			first = found
		}
	}
	if first == nil {
		return -1
	}
	if t.number >= 0 {
		for _, index := range []int{t.number - 1, t.number} {
			for _, text := range t.texts {
				found := where[text]
				if at := sort.SearchInts(found, index); at < len(found) && found[at] == index {
					return index
				}
			}
		}
	}
	if at := sort.SearchInts(first, last+1); at < len(first) {
		return first[at]
	}
	return first[0]
}

// quoted returns the lines of all strings in an answer that is JSON.
func quoted(answer string) []string {
	start := strings.TrimLeft(answer, whitespace)
	if start == "" || !strings.Contains(`{["`, start[:1]) {
		return nil
	}
	if !json.Valid([]byte(answer)) {
		return nil
	}
	var found []string
	decoder := json.NewDecoder(strings.NewReader(answer))
	decoder.UseNumber()
	var open []json.Delim // what is open, the innermost last
	isKey := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return found
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				open = append(open, token)
			} else {
				open = open[:len(open)-1]
			}
		case string:
			if isKey {
				isKey = false
				continue
			}
			found = append(found, strings.Split(token, "\n")...)
		}
		isKey = len(open) > 0 && open[len(open)-1] == '{'
	}
}
