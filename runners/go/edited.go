package readfirst

import "strings"

// found is a harm without its location.
type found struct{ kind, what string }

// chain contains the answered calls of one message for one file, in order, with their numbers in the message.
type chain struct {
	name    string
	calls   []answered
	numbers []int
}

func (c *chain) last() int { return c.numbers[len(c.numbers)-1] }

// hooked returns the chain with the arguments that hooks replaced. nil if no hook replaced arguments.
func (c *chain) hooked(hooks []GivenHook) *chain {
	replaces := false
	other := &chain{c.name, nil, c.numbers}
	for _, call := range c.calls {
		given := map[string]any{}
		for key, value := range call.given {
			given[key] = value
		}
		for _, hook := range hooks {
			replaces = replaces || len(hook.Replaces) > 0
			if hook.meets(call.tool) {
				for key, value := range hook.Replaces {
					given[key] = value
				}
			}
		}
		other.calls = append(other.calls, answered{call.tool, given, call.result})
	}
	if !replaces {
		return nil
	}
	return other
}

// harmOf is a harm of one call, with the number of the call in the message.
type harmOf struct {
	number int
	found
}

// weight returns the number of harms without blind edits, and the number of all harms.
func weight(harms []harmOf) (real, all int) {
	for _, each := range harms {
		if each.kind != "blind" {
			real++
		}
	}
	return real, len(harms)
}

// made notes the changes of a file that the answered calls did not request, neither with their own arguments nor with
// those of hooks.
func (h *harmJudge) made(c *chain, before, after Snapshot) {
	file := h.view().files[c.name]
	if file == nil {
		file = &known{}
	}
	harms := madeBy(c, file, before, after)
	if other := c.hooked(h.scenario.Given.Hooks); other != nil && len(harms) > 0 {
		hooked := madeBy(other, file, before, after)
		real, all := weight(harms)
		if less, fewer := weight(hooked); less < real || less == real && fewer < all {
			harms = hooked
		}
	}
	for _, each := range harms {
		h.note(each.number, each.kind, c.name, each.what)
	}
}

func madeBy(c *chain, file *known, before, after Snapshot) []harmOf {
	former, now := dataOf(before[c.name]), dataOf(after[c.name])
	isBlind := !file.met && former != nil && *former != ""
	blind := harmOf{c.last(), found{"blind", "it was edited, and the session was never shown it"}}
	var harms []harmOf
	var wanted []*asking
	var numbers []int
	var notebooks []map[string]any
	isWritten := false
	for index, call := range c.calls {
		if call.tool == "NotebookEdit" {
			notebooks = append(notebooks, call.given)
		} else if each := asked(call.tool, call.given); each != nil {
			wanted, numbers = append(wanted, each), append(numbers, c.numbers[index])
			isWritten = isWritten || each.whole != nil
		}
	}
	if len(notebooks) > 0 {
		if isBlind {
			harms = append(harms, blind)
		}
		if len(notebooks) == len(c.calls) {
			for _, each := range notebookHarms(c.name, notebooks, bytesOf(before[c.name]), bytesOf(after[c.name])) {
				harms = append(harms, harmOf{c.last(), each})
			}
		}
		return harms
	}
	if len(wanted) == 0 {
		return nil
	}
	count := len(wanted) - 1
	last, number := wanted[count], numbers[count]
	if last.whole != nil {
		kept := now != nil && isInserted(former, last, *now)
		if gone := file.lost(bytesOf(after[c.name])); !kept && former != nil && len(gone) > 0 {
			harms = append(harms, harmOf{number, found{"lost", "a line that the session was never shown: " + gone[0].text}})
		}
	} else if isBlind && !isWritten {
		blind.number = number
		harms = append(harms, blind)
	}
	if link := before[c.name]; link != nil && link.Type == "symlink" && last.whole == nil {
		// A file in the link's place has what the link showed, with the edit in it.
		if name, is := followed(c.name, before); is {
			former = dataOf(before[name])
		}
	}
	crlf := false // only a file that is written may take the line ends of those around it
	for _, entry := range before {
		crlf = crlf || isWritten && strings.Contains(bytesOf(entry), "\r\n")
	}
	begun := starts(former, wanted[:count])
	if isMade(begun, last, now, crlf) {
		return harms
	}
	for left := 0; count > 0 && left <= count; left++ {
		others := append(append([]*asking{}, wanted[:left]...), wanted[left+1:]...)
		if isMade(starts(former, others[:count-1]), others[count-1], now, crlf) {
			return append(harms, harmOf{numbers[left], found{"untrue", "the call was answered, and what it asked is not there"}})
		}
	}
	if each := edited(file, begun[0], last, now, crlf); each.kind != "" {
		harms = append(harms, harmOf{number, each})
	}
	return harms
}

func isMade(starts []*string, last *asking, now *string, crlf bool) bool {
	for _, start := range starts {
		if now != nil && mayBecome(start, last, *now, crlf) {
			return true
		}
	}
	return false
}

func dataOf(entry *Entry) *string {
	if isFile(entry) {
		return &entry.Data
	}
	return nil
}

const mostStarts, mostChanges = 16, 4

// starts returns the contents that a file may have after the calls.
func starts(before *string, calls []*asking) []*string {
	all := []*string{before}
	for _, call := range calls {
		var next []*string
		for _, start := range all {
			former := content{}
			if start != nil {
				former = contentOf(*start)
			}
			texts := []string{former.text}
			if call.whole != nil {
				texts = []string{*call.whole}
			}
			for _, edit := range call.edits {
				var made []string
				for _, text := range texts {
					for index, each := range changesBy(text, edit) {
						if index < mostChanges {
							made = append(made, each.text)
						}
					}
				}
				texts = made
			}
			for _, text := range texts {
				data := former.data(text)
				if len(next) < mostStarts {
					next = append(next, &data)
				}
			}
		}
		if len(next) > 0 {
			all = next
		}
	}
	return all
}

const mostReadings = 8 // ways to understand a replacement that are tried to find a harm

// edited returns the harm of an answered Edit or Write to its file. The harm has no kind if the file is as requested.
func edited(file *known, before *string, call *asking, after *string, crlf bool) found {
	switch {
	case after != nil && mayBecome(before, call, *after, crlf):
		return found{}
	case after == nil && before == nil:
		return found{"untrue", "the call was answered, and there is no such file"}
	case after == nil:
		return found{"lost", "it is gone"}
	case before != nil && *after == *before:
		return found{"untrue", "the call was answered, and it holds what it held before"}
	case call.whole != nil:
		return found{"altered", "it does not hold what was to be written"}
	}
	for _, former := range file.former {
		former := former
		if file.others && mayBecome(&former, call, *after, false) {
			return found{"lost", "changes of another program"}
		}
	}
	content, got := content{}, contentOf(*after)
	if before != nil {
		content = contentOf(*before)
	}
	for _, edit := range call.edits {
		if content.mark != "" && strings.Contains(edit.old, mark) && !strings.Contains(content.text, edit.old) {
			content, got = content.withMark(), got.withMark()
		}
	}
	made := change{text: content.text}
	for _, edit := range call.edits {
		understood := changesBy(made.text, edit)
		if len(understood) == 0 {
			return found{"misplaced", "it was edited, and the text that was to be replaced is not in one place"}
		}
		made = understood[0]
		for index, each := range understood {
			if index < mostReadings && bare(each.text) == bare(got.text) {
				made = each
				break
			}
		}
	}
	if got.mark != content.mark || got.order != content.order {
		return found{"spoiled", "its encoding or byte order mark"}
	}
	return beside(file, made, got.text, len(call.edits) == 1)
}

// withMark returns a content whose text includes its byte order mark as a character.
func (c content) withMark() content {
	if c.mark == "" {
		return c
	}
	return content{"", c.order, mark + c.text}
}

// beside returns the harm if the old text occurred once and the file does not have the requested content.
func beside(file *known, made change, got string, single bool) found {
	if single && made.agreesOutside(got) {
		return found{"altered", "what was inserted is not what was asked"}
	}
	if bare(made.text) == bare(got) {
		return found{"spoiled", "line ends, whitespace or the final newline beside what was replaced"}
	}
	counts := map[string]int{}
	for _, each := range lineBreaks.Split(made.text, -1) {
		counts[each]++
	}
	for _, each := range lineBreaks.Split(got, -1) {
		counts[each]--
	}
	for _, each := range file.lines {
		if counts[each.text] > 0 && !isBlank(each.text) {
			return found{"lost", "a line that the call did not name: " + each.text}
		}
	}
	return found{"spoiled", "it differs beside what was replaced"}
}

func (c change) agreesOutside(got string) bool {
	first, rest := c.inserted[0].start, c.text[c.inserted[len(c.inserted)-1].end:]
	return len(got) >= first+len(rest) && strings.HasPrefix(got, c.text[:first]) && strings.HasSuffix(got, rest)
}

func bare(text string) string {
	lines := pieces(text)
	for index, each := range lines {
		lines[index] = strings.Trim(each, whitespace)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
