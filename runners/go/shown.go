package readfirst

import (
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	separators   = "|│┃:#→>\t-" // of a digest and the text: one of these, two of them, or one with a space behind it
	longestLabel = 12
	markOfCat    = "M-oM-;M-?" // a byte order mark in front of the first line, as `cat -A` writes it
)

var (
	// digestBefore is a short word that may be a digest, and the beginning of what separates it from the text.
	digestBefore = regexp.MustCompile(`^[^\p{L}\p{N}_` + blankRanges + `]?([\p{L}\p{N}]{1,8})([^\p{L}\p{N}])`)
	// counted is a word that may be a number with letters before it.
	counted = regexp.MustCompile(`^([\p{L}\p{Nl}\p{No}]*)[0-9]+$`)
)

// shownLines returns, for each line of a file, whether an answer contains the whole line, in any form that a person can
// read. A blank line counts as shown; whitespace at the end of a line does not matter.
func shownLines(lines []string, answer string) []bool {
	shown, left := make([]bool, len(lines)), 0
	for index, line := range lines {
		if shown[index] = isBlank(line); !shown[index] {
			left++
		}
	}
	if left == 0 {
		return shown
	}
	where := placesOf(lines)
	explained := map[string]bool{}
	readAnswer(answer, explained, func(answered []string) bool {
		for at, index := range matched(answered, where, lines) {
			explained[answered[at]] = true
			if index >= 0 && !shown[index] {
				shown[index] = true
				left--
			}
		}
		return left == 0
	})
	return shown
}

// placesOf maps each text that represents a line, without whitespace at the end, to the indexes of such lines.
func placesOf(lines []string) map[string][]int {
	where := map[string][]int{}
	for index, line := range lines {
		text := strings.TrimRight(line, whitespace)
		if text == "" {
			continue
		}
		where[text] = append(where[text], index)
		if index == 0 {
			begun := map[string]bool{text: true}
			if strings.IndexFunc(line, func(sign rune) bool { return sign > '\x7f' }) >= 0 {
				for form := range formsOfLine(line) {
					begun[form] = true
				}
			}
			for form := range begun {
				where[markOfCat+form] = append(where[markOfCat+form], 0)
			}
		}
		if strings.IndexFunc(line, func(sign rune) bool { return sign < ' ' || sign > '~' }) < 0 {
			continue
		}
		for form := range formsOfLine(line) {
			if form != "" && form != text {
				where[form] = append(where[form], index)
			}
		}
	}
	return where
}

// matched returns, for each line of one reading of an answer, the line of the file that it shows; -1 if its number is
// wrong. Lines are read with their numbers or without, whichever explains more lines.
func matched(answered []string, where map[string][]int, lines []string) hits {
	texts := make([]string, len(answered))
	for at, said := range answered {
		texts[at] = strings.TrimRight(strings.ReplaceAll(said, mark, ""), whitespace)
	}
	all, right := numberedLines(texts, where, lines)
	withNumber := hits{}
	for at := range all {
		withNumber[at] = -1
	}
	for at, index := range right {
		withNumber[at] = index
	}
	best, second := unnumbered(texts, where, len(all)), withNumber
	if len(best) < len(second) {
		best, second = second, best
	}
	for at, index := range best {
		second[at] = index
	}
	return second
}

// unnumbered returns the lines of an answer that are lines of the file: unchanged, or all after one kind of label. A
// kind of label counts if it explains more lines than other kinds, and more than have a number.
func unnumbered(texts []string, where map[string][]int, numbered int) hits {
	cuts := hits{}
	for at, said := range texts {
		if where[said] != nil {
			cuts[at] = 0
		}
	}
	least := len(cuts)
	if numbered > least {
		least = numbered
	}
	if len(texts)-len(cuts) > least {
		for _, found := range labelled(texts, where, cuts) {
			if len(found) > least {
				cuts, least = found, len(found)
			}
		}
	}
	shows, last := hits{}, -1
	for at, said := range texts {
		cut, is := cuts[at]
		if !is {
			continue
		}
		indexes := where[said[cut:]]
		following := sort.SearchInts(indexes, last+1)
		if following == len(indexes) {
			following = 0
		}
		last = indexes[following]
		shows[at] = last
	}
	return shows
}

// groups contains hits, in the order of the first use of their names.
type groups struct {
	names []string
	by    map[string]hits
}

func (g *groups) add(name string, at, value int) {
	if g.by[name] == nil {
		if g.by == nil {
			g.by = map[string]hits{}
		}
		g.by[name] = hits{}
		g.names = append(g.names, name)
	}
	g.by[name][at] = value
}

// labelled returns, for each kind of label, the lines with this label, and the end of the label in each line.
func labelled(texts []string, where map[string][]int, exact hits) []hits {
	var labels, digests groups
	difference := false
	for at, said := range texts {
		difference = difference || strings.HasPrefix(said, "+") || strings.HasPrefix(said, "-") || strings.HasPrefix(said, "@@")
		if _, is := exact[at]; !is && said != "" {
			addLabels(at, said, where, &labels)
			addDigests(at, said, where, &digests)
		}
	}
	if difference { // with what stays
		for at, cut := range labels.by[" "] {
			if _, is := labels.by["+"][at]; !is {
				labels.add("+", at, cut)
			}
		}
		delete(labels.by, " ")
		delete(labels.by, "-")
	}
	var all []hits
	for _, label := range labels.names {
		found := labels.by[label]
		indents := len(found) > 1 // a line alone, or one among others, may have been indented otherwise
		for at := range exact {
			indents = indents && strings.HasPrefix(texts[at], label)
		}
		if found != nil && (indents || !isBlank(label)) {
			all = append(all, found)
		}
	}
	for _, separator := range digests.names {
		if found := digests.by[separator]; areDigests(texts, found) {
			all = append(all, found)
		}
	}
	return all
}

// addLabels adds each beginning without letters and digits after which a line of the answer is a line of the file.
func addLabels(at int, said string, where map[string][]int, labels *groups) {
	for length, cut := 0, 0; length < longestLabel; length++ {
		sign, size := utf8.DecodeRuneInString(said[cut:])
		if cut += size; cut >= len(said) || isAlnum(sign) {
			return
		}
		if where[said[cut:]] != nil {
			labels.add(said[:cut], at, cut)
		}
	}
}

// addDigests adds each separator after a short word after which a line of the answer is a line of the file.
func addDigests(at int, said string, where map[string][]int, digests *groups) {
	word := digestBefore.FindStringSubmatchIndex(said)
	if word == nil || !strings.Contains(separators, said[word[4]:word[5]]) {
		return
	}
	start, cut := word[4], word[5]
	_, size := utf8.DecodeRuneInString(said[cut:])
	for _, end := range []int{cut, cut + size} {
		second := said[cut:end]
		fits := second == " " || strings.Contains(separators, second)
		if end < len(said) && fits && where[said[end:]] != nil {
			digests.add(said[start:end], at, end)
		}
	}
}

// areDigests reports whether the words before the lines are digests: of equal length, not numbers, and with the same
// letters at their beginning.
func areDigests(texts []string, found hits) bool {
	length, isAlike, areNumbers := -1, true, true
	letters := map[string]bool{}
	for at := range found {
		word := digestBefore.FindStringSubmatch(texts[at])[1]
		size := utf8.RuneCountInString(word)
		if len(found) == 1 {
			_, end := numbered(texts[at])
			return size <= 4 && end == 0
		}
		isAlike = isAlike && (length < 0 || length == size)
		length = size
		parts := counted.FindStringSubmatch(word)
		if areNumbers = areNumbers && parts != nil; areNumbers {
			letters[parts[1]] = true
		}
	}
	return isAlike && !(areNumbers && len(letters) == 1)
}
