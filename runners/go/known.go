package readfirst

import "strings"

// line is one line of a file: its author (given, other or session), and whether the session saw the whole line.
type line struct {
	text, hand string
	seen       bool
}

// known is a session's knowledge of a file. `met`: the session was shown a part of the file, or wrote the file.
// `former` contains earlier contents, the latest first. `others`: another program changed the file. `expected` is the
// content, with its lines, before changes by other programs.
type known struct {
	data     string
	lines    []line
	met      bool
	former   []string
	others   bool
	expected *known
}

const (
	mostCompared = 2000
	mostFormer   = 8
)

func givenFile(data string) *known {
	file := &known{data: data}
	for _, text := range contentOf(data).lines() {
		file.lines = append(file.lines, line{text, "given", false})
	}
	return file
}

// put records new content; unchanged lines keep their state. If other programs restore the content that the session
// expects, its seen lines are seen again.
func (k *known) put(hand, data string) {
	texts := contentOf(data).lines()
	lines := make([]line, len(texts))
	for index, text := range texts {
		lines[index] = line{text, hand, hand == "session"}
	}
	carry(k.lines, lines)
	if hand == "session" {
		k.expected = nil
	} else if k.expected == nil {
		k.expected = &known{data: k.data, lines: k.lines}
	}
	if k.expected != nil && k.expected.data == data {
		for index := range lines {
			lines[index].seen = lines[index].seen || k.expected.lines[index].seen
		}
	}
	former := []string{k.data}
	for _, each := range k.former {
		if each != k.data && len(former) < mostFormer {
			former = append(former, each)
		}
	}
	k.data, k.lines, k.former = data, lines, former
	k.met, k.others = k.met || hand == "session", k.others || hand != "session"
}

// show marks the lines that an answer contains in full. `surely`: the answer is that of a Read of this file.
func (k *known) show(answer string, surely bool) {
	k.met = k.met || surely
	if surely {
		k.expected = nil
	}
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
		if shown && !k.lines[index].seen {
			k.lines[index].seen, k.met = true, true
		}
	}
}

// showAll marks all lines as seen. forget removes the mark, except from lines that the session wrote.
func (k *known) showAll() {
	k.met, k.expected = true, nil
	for index := range k.lines {
		k.lines[index].seen = true
	}
}

func (k *known) forget() {
	k.met, k.expected = false, nil
	for index := range k.lines {
		each := &k.lines[index]
		each.seen = each.seen && each.hand == "session"
		k.met = k.met || each.seen
	}
}

// lost returns the unseen lines that new content omits. Blank lines, and lines with a different line end, are not lost.
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

// pieces returns the texts between line ends of any kind, also a single CR.
func pieces(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
}

// carry copies the state of unchanged lines to the new lines.
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

// carryLongest matches the longest stretch of equal lines (the first of several), then the lines before and after it.
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
