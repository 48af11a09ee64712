package readfirst

import (
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hits say, for lines of an answer by their index in it, which line of the file each shows.
type hits map[int]int

const (
	longestTail   = 12
	longestDigest = 8
	mostShifts    = 4 // that are looked at beside 0 and -1
	common        = 8 // lines with the same text from which on the text says nothing of the shift
)

// A number in front of a line: behind nothing but signs and words for it, or behind a path and before `:` or `-`.
var (
	numberBefore = regexp.MustCompile(`^[^\p{L}\p{N}]{0,16}(?:(?i:lineno|number|lines?|row|num|ln|nr|no|id|l|n)[^\p{L}\p{N}]{0,3}){0,2}([0-9]{1,18})`)
	numberAfter  = regexp.MustCompile(`^[^` + blankRanges + `]{1,200}?[:-]([0-9]{1,18})[:-]`)
)

// numbered reads the number in front of a line, and where its digits end; 0: there is none.
func numbered(said string) (number, end int) {
	found := numberBefore.FindStringSubmatchIndex(said)
	if found != nil {
		if next, _ := utf8.DecodeRuneInString(said[found[1]:]); isAlnum(next) {
			found = nil
		}
	}
	if found == nil {
		if found = numberAfter.FindStringSubmatchIndex(said); found == nil {
			return 0, 0
		}
	}
	number, _ = strconv.Atoi(said[found[2]:found[3]])
	return number, found[3]
}

// candidate is a line of an answer that may be lines of the file behind a label that ends at `cut`.
type candidate struct {
	at, number  int
	kind, blank string
	width       int // of the label and what is before it
	indexes     []int
}

// numberedLines finds the lines of an answer that are lines of the file behind a number: all, and those with the right
// number.
//
// A shift is what the number of a line is above its place in the file, counted from 1. Shifts whose lines are also
// explained by another one that explains more are accidents. Of the others, 0 holds if it explains anything, else -1, else
// one whose first line has the number 0 or 1. If none of these is there, the numbers are wrong: nothing is shown.
func numberedLines(texts []string, where map[string][]int, lines []string) (all, shown hits) {
	if found := asMostly(texts, lines); found != nil {
		return found, found
	}
	candidates := candidatesIn(texts, where)
	numbers := map[int]int{}
	for _, each := range candidates {
		numbers[each.at] = each.number
	}
	var explained []hits
	var shifts []int
	for _, shift := range shiftsOf(candidates) {
		if found := hitsOf(candidates, shift); len(found) > 0 {
			explained, shifts = append(explained, found), append(shifts, shift)
		}
	}
	for index, found := range explained {
		accident := false
		for _, other := range explained {
			accident = accident || found.isWithin(other)
		}
		if accident {
			continue
		}
		if first := numbers[found.first()]; shifts[index] == 0 || shifts[index] == -1 || first == 0 || first == 1 {
			return found, found
		}
		if len(found) > len(all) {
			all = found
		}
	}
	return all, nil
}

// isWithin says whether others explain the same lines of the answer, and more.
func (h hits) isWithin(others hits) bool {
	for at := range h {
		if _, is := others[at]; !is {
			return false
		}
	}
	return len(others) > len(h)
}

func (h hits) first() int {
	least := -1
	for at := range h {
		if least < 0 || at < least {
			least = at
		}
	}
	return least
}

// shiftsOf are 0, -1 and the most frequent of the others.
func shiftsOf(candidates []candidate) []int {
	votes := map[int]int{}
	var voted []int
	for _, each := range candidates {
		if len(each.indexes) > common {
			continue
		}
		for _, index := range each.indexes {
			shift := each.number - 1 - index
			if votes[shift] == 0 {
				voted = append(voted, shift)
			}
			votes[shift]++
		}
	}
	sort.SliceStable(voted, func(one, other int) bool { return votes[voted[one]] > votes[voted[other]] })
	if len(voted) > mostShifts {
		voted = voted[:mostShifts]
	}
	shifts := []int{0, -1}
	for _, shift := range voted {
		if shift != 0 && shift != -1 {
			shifts = append(shifts, shift)
		}
	}
	return shifts
}

// asMostly finds the numbered lines where all are what they say, behind one separator; nil where a closer look is due.
func asMostly(texts, lines []string) hits {
	found, separator := hits{}, ""
	for at, said := range texts {
		number, end := numbered(said)
		if end == 0 {
			continue
		}
		if number < 1 || number > len(lines) {
			return nil
		}
		line := strings.TrimRight(lines[number-1], whitespace)
		if line == "" {
			continue
		}
		tail := len(said) - len(line)
		if !strings.HasSuffix(said, line) || tail <= end || separator != "" && said[end:tail] != separator {
			return nil
		}
		separator = said[end:tail]
		found[at] = number - 1
	}
	if !contains([]string{"\t", "→", ": ", "|", ":", "| "}, separator) {
		return nil
	}
	return found
}

func candidatesIn(texts []string, where map[string][]int) []candidate {
	var all []candidate
	for at, said := range texts {
		number, end := numbered(said)
		if end == 0 {
			continue
		}
		words := strings.Map(func(sign rune) rune {
			if unicode.IsLetter(sign) {
				return sign
			}
			return -1
		}, said[:end])
		endsOfLabel(said, end, func(cut int, hasDigest bool) {
			indexes := where[said[cut:]]
			if indexes == nil {
				return
			}
			label, kind := said[end:cut], words
			blank := label[len(strings.TrimRight(label, whitespace)):]
			if hasDigest {
				kind += "#"
			}
			if blank == label {
				kind += " "
			}
			all = append(all, candidate{at, number, kind, blank, utf8.RuneCountInString(said[:cut]), indexes})
		})
	}
	return all
}

// endsOfLabel gives the places where a label may end whose number ends at `end`, and whether it then has a digest. Signs
// and spaces may follow the number; one word among them, a digest, has signs on both sides. A tab ends it.
func endsOfLabel(said string, end int, take func(cut int, hasDigest bool)) {
	digest, former := 0, rune(-1)
	for length, at := 0, end; length < longestTail; length++ {
		sign, size := utf8.DecodeRuneInString(said[at:])
		if at += size; at >= len(said) {
			return
		}
		inDigest := isAlnum(former)
		if isAlnum(sign) {
			if digest++; digest > longestDigest || isBlank(string(former)) || digest > 1 && !inDigest {
				return
			}
		} else {
			if inDigest && isBlank(string(sign)) || former == '\t' {
				return
			}
			take(at, digest > 0)
		}
		former = sign
	}
}

// hitsOf are the lines that a shift explains, behind labels of one kind. All labels have the same blanks at their end, or the
// same width. More than one blank behind a sign is too much for a line alone.
func hitsOf(candidates []candidate, shift int) hits {
	type group struct {
		kind, blank string
		width       int
	}
	found := map[group]hits{}
	var groups []group
	for _, each := range candidates {
		index := each.number - 1 - shift
		if at := sort.SearchInts(each.indexes, index); at == len(each.indexes) || each.indexes[at] != index {
			continue
		}
		for _, key := range []group{{each.kind, each.blank, -1}, {each.kind, "", each.width}} {
			if found[key] == nil {
				found[key] = hits{}
				groups = append(groups, key)
			}
			found[key][each.at] = index
		}
	}
	var best hits
	for _, key := range groups {
		few := key.width < 0 && utf8.RuneCountInString(key.blank) < 2
		sure := len(found[key]) > 1 || strings.HasSuffix(key.kind, " ") || few
		if sure && len(found[key]) > len(best) {
			best = found[key]
		}
	}
	return best
}
