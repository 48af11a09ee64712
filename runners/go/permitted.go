package readfirst

import (
	"reflect"
	"strings"
	"unicode/utf8"
)

// replacement is one edit: put new where old is.
type replacement struct {
	old, new string
	every    bool
	count    int
}

// asking is what a call asks of a file: replacements in their order, or a whole text. One that inserts may as well be
// before or after what the file holds.
type asking struct {
	edits   []replacement
	whole   *string
	inserts bool
}

// asked returns what a call asks; nil where its arguments say no such thing.
func asked(tool string, given map[string]any) *asking {
	switch tool {
	case "Write":
		if text, is := given["content"].(string); is {
			return &asking{whole: &text}
		}
		return nil
	case "Edit":
		return askedEdits([]any{given})
	case "MultiEdit":
		edits, _ := given["edits"].([]any)
		return askedEdits(edits)
	}
	return nil
}

func askedEdits(list []any) *asking {
	wanted := &asking{}
	for _, each := range list {
		given, _ := each.(map[string]any)
		old, is := given["old_string"].(string)
		text, too := given["new_string"].(string)
		if !is || !too {
			return nil
		}
		every := given["replace_all"] == true || given["replace_all"] == "true"
		count := -1
		if number, is := given["expected_replacements"].(float64); is {
			count = int(number)
		}
		wanted.edits = append(wanted.edits, replacement{old, text, every, count})
	}
	switch {
	case len(wanted.edits) == 0:
		return nil
	case len(wanted.edits) == 1 && wanted.edits[0].old == "":
		return &asking{whole: &wanted.edits[0].new, inserts: true}
	}
	return wanted
}

// change is a text after a replacement, where the inserted texts are in it, and whether their quotes may be curled.
type change struct {
	text     string
	inserted []span
	curled   bool
}

const mostTexts = 64

// mayBecome says whether a file of these bytes (nil: there was none) may hold others once the call is answered.
func mayBecome(before *string, call *asking, after string, crlf bool) bool {
	former := content{}
	if before != nil {
		former = contentOf(*before)
	}
	if call.whole != nil {
		if isInserted(before, call, after) {
			return true
		}
		empty := before == nil || *before == ""
		return mayBeWritten(former, *call.whole, after, former.isCRLF() || empty && crlf)
	}
	for _, edit := range call.edits {
		if former.mark != "" && strings.Contains(edit.old, "\ufeff") {
			if mayBeEdited(content{"", former.order, "\ufeff" + former.text}, call.edits, after) {
				return true
			}
			break
		}
	}
	return mayBeEdited(former, call.edits, after)
}

// isInserted says whether a text that may be inserted comes before or after all that was there.
func isInserted(before *string, call *asking, after string) bool {
	if !call.inserts || before == nil || *before == "" {
		return false
	}
	former := contentOf(*before)
	for _, text := range insertedInto(former.text, *call.whole) {
		if after == former.data(text+former.text) || after == former.data(former.text+text) {
			return true
		}
	}
	return false
}

func mayBeWritten(former content, text, after string, follows bool) bool {
	unmarked := strings.TrimPrefix(text, "\ufeff")
	for _, each := range []string{text, unmarked, withoutTrailingWhitespace(text), withoutTrailingWhitespace(unmarked)} {
		end := "\n"
		if follows {
			end = "\r\n"
		}
		for _, ends := range []string{each, withLineEnds(each, end)} {
			if after == ends || after == former.data(ends) || after == (content{"", former.order, ""}).data(ends) {
				return true
			}
		}
	}
	return false
}

func mayBeEdited(former content, edits []replacement, after string) bool {
	texts := []string{former.text}
	for number, edit := range edits {
		var next []string
		for _, text := range texts {
			for _, change := range changesBy(text, edit) {
				if number == len(edits)-1 {
					if fitsChange(former, change, after) {
						return true
					}
				} else if len(next) < mostTexts {
					next = append(next, change.text)
				}
			}
		}
		texts = next
	}
	return false
}

// changesBy returns what a text may become; nothing where old text is not there, or not in one place.
func changesBy(text string, edit replacement) []change {
	if edit.old == "" {
		if text == "" {
			return []change{{edit.new, []span{{0, len(edit.new)}}, false}}
		}
		return nil
	}
	var all []change
	var seen [][]span
	for _, fold := range []bool{false, true} {
		for _, bare := range []bool{false, true} {
			found := places(text, edit.old, fold, bare)
			if len(found) == 0 || containsSpans(seen, found) {
				continue
			}
			seen = append(seen, found)
			if len(found) > 1 && !edit.every && edit.count != len(found) {
				return all
			}
			for _, inserted := range insertedInto(text, edit.new) {
				all = append(all, put(text, found, inserted, fold))
			}
			if withoutTrailingWhitespace(edit.new) == "" {
				longer := make([]span, len(found))
				for index, each := range found {
					longer[index] = withNewline(text, each)
				}
				all = append(all, put(text, longer, "", fold))
			}
		}
	}
	return all
}

func containsSpans(seen [][]span, found []span) bool {
	for _, each := range seen {
		if reflect.DeepEqual(each, found) {
			return true
		}
	}
	return false
}

func insertedInto(text, inserted string) []string {
	own := inserted
	lines := strings.Count(text, "\n")
	if lines > 0 && lines == strings.Count(text, "\r\n") {
		own = withLineEnds(inserted, "\r\n")
	}
	all := []string{own}
	if lines > 0 && own != inserted && strings.Contains(inserted, "\r\n") {
		all = append(all, inserted)
	}
	if cut := withoutTrailingWhitespace(own); cut != own {
		all = append(all, cut)
	}
	return all
}

func withNewline(text string, place span) span {
	for _, newline := range []string{"\r\n", "\n"} {
		if strings.HasPrefix(text[place.end:], newline) {
			return span{place.start, place.end + len(newline)}
		}
	}
	return place
}

func put(text string, found []span, inserted string, curled bool) change {
	var after strings.Builder
	made := change{curled: curled}
	at := 0
	for _, each := range found {
		after.WriteString(text[at:each.start])
		start := after.Len()
		after.WriteString(inserted)
		made.inserted = append(made.inserted, span{start, after.Len()})
		at = each.end
	}
	after.WriteString(text[at:])
	made.text = after.String()
	return made
}

// fitsChange says whether a file holds what a change made; where quotes may be curled, each matches its like.
func fitsChange(former content, made change, after string) bool {
	if former.data(made.text) == after {
		return true
	}
	got := contentOf(after)
	if !made.curled || got.mark != former.mark || got.order != former.order {
		return false
	}
	rest, at := got.text, 0
	for _, each := range made.inserted {
		if !strings.HasPrefix(rest, made.text[at:each.start]) {
			return false
		}
		rest = rest[each.start-at:]
		size := 0
		for range []rune(made.text[each.start:each.end]) {
			_, one := utf8.DecodeRuneInString(rest[size:])
			size += one
		}
		if folded(rest[:size]) != folded(made.text[each.start:each.end]) {
			return false
		}
		rest, at = rest[size:], each.end
	}
	return rest == made.text[at:]
}
