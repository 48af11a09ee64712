package readfirst

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// shown notes answers of a step that show fewer lines than the contract's answers, and lines of reminders that are not
// known.
func (h *harmJudge) shown(step *Step, calls []answered, before Snapshot) {
	expected := step.calls()
	for number, call := range calls {
		if call.result.Refused {
			continue
		}
		state := h.state
		if reads(call.tool) {
			state = before
		}
		expect := expected[number].Expect
		for name, rows := range expect.Shows {
			var shows []bool
			if reads(call.tool) || call.tool == "Bash" {
				lines := contentOf(bytesOf(state[name])).lines()
				shows = call.shows(func(answer string) []bool { return shownLines(lines, answer) })
			} else {
				shows = h.seen(name)
			}
			h.missing(name, rows, shows)
		}
		for name, rows := range expect.ShowsCells {
			sources := sourcesOf(bytesOf(state[name]))
			h.missing(name, rows, call.shows(func(answer string) []bool { return shownCells(sources, answer) }))
		}
	}
	for name, rows := range step.Expect.RemindersShow {
		h.missing(name, rows, h.seen(name))
	}
}

// shows returns the lines that an answer or one of its reminders shows.
func (c answered) shows(in func(string) []bool) []bool {
	all := in(c.result.Text)
	for _, reminder := range c.result.Reminders {
		for index, shown := range in(reminder) {
			all[index] = all[index] || shown
		}
	}
	return all
}

// seen returns, for each line of a file, whether the session was shown the line or wrote it.
func (h *harmJudge) seen(name string) []bool {
	file := h.view().files[name]
	if file == nil || !isFile(h.state[name]) || file.data != h.state[name].Data {
		return nil
	}
	all := make([]bool, len(file.lines))
	for index, each := range file.lines {
		all[index] = each.seen
	}
	return all
}

func (h *harmJudge) missing(name string, rows [][2]int, shown []bool) {
	for _, row := range rows {
		for number := row[0]; number <= row[1]; number++ {
			if number > len(shown) || !shown[number-1] {
				h.judge.note("effects", "%s: %d is not shown", name, number)
				return
			}
		}
	}
}

// sourcesOf returns the sources of the cells of a notebook.
func sourcesOf(data string) []string {
	_, cells := notebook(data)
	sources := make([]string, len(cells))
	for index, each := range cells {
		sources[index] = sourceOf(each)
	}
	return sources
}

var tag = regexp.MustCompile(`</?[A-Za-z_][^<>\n]*>`)

// shownCells returns, for each cell, whether an answer contains all lines of its source, after the lines of the cells
// before. Tags do not count. A line may be written as in JSON, and must not be a part of a longer word. A cell without
// text counts as shown.
func shownCells(sources []string, answer string) []bool {
	answer = tag.ReplaceAllString(answer, "\n")
	shown, last := make([]bool, len(sources)), 0
	for index, source := range sources {
		at := last
		for _, line := range strings.Split(source, "\n") {
			if line = strings.Trim(line, whitespace); line == "" || at < 0 {
				continue
			}
			best := -1
			for _, form := range []string{line, inJSONText(line, false), inJSONText(line, true)} {
				if end := endOf(form, answer, at); end >= 0 && (best < 0 || end < best) {
					best = end
				}
			}
			at = best
		}
		if at >= 0 {
			last, shown[index] = at, true
		}
	}
	return shown
}

// endOf returns the end of the first occurrence of a text from a position on that is not a part of a longer word. -1 if
// there is none. In JSON, the letter before the text may belong to an escape.
func endOf(text, answer string, at int) int {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	inWord := func(sign rune) bool { return isAlnum(sign) || sign == '_' }
	for {
		next := strings.Index(answer[at:], text)
		if next < 0 {
			return -1
		}
		start, end := at+next, at+next+len(text)
		before, _ := utf8.DecodeLastRuneInString(answer[:start])
		after, _ := utf8.DecodeRuneInString(answer[end:])
		escapes := start > 1 && answer[start-2] == '\\' && strings.ContainsRune("nrt", before)
		if (!isAlnum(first) || !inWord(before) || escapes) && (!isAlnum(last) || !inWord(after)) {
			return end
		}
		at = start + 1
	}
}

// inJSONText returns a text as in a JSON string, with characters beyond ASCII unchanged or as escapes.
func inJSONText(text string, ascii bool) string {
	var written strings.Builder
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	for _, sign := range text {
		switch {
		case short[sign] != "":
			written.WriteString(short[sign])
		case ascii && sign > 0xffff:
			high, low := utf16.EncodeRune(sign)
			fmt.Fprintf(&written, `\u%04x\u%04x`, high, low)
		case sign < ' ' || ascii && sign >= 127:
			fmt.Fprintf(&written, `\u%04x`, sign)
		default:
			written.WriteRune(sign)
		}
	}
	return written.String()
}
