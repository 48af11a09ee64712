package readfirst

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Levels contains the levels of strictness. Each level includes the levels before it.
var Levels = []string{"safe", "effects", "reason", "text"}

// Difference is one difference between the result and the expectation; Step counts from 1.
type Difference struct {
	Step  int
	Level string
	What  string
}

// Verdict is the result of one scenario: its status (judged, error or unsupported), and the levels that hold.
type Verdict struct {
	Scenario    string       `json:"scenario"`
	Status      string       `json:"status"`
	Reason      string       `json:"reason,omitempty"`
	Levels      []string     `json:"levels"`
	Differences []Difference `json:"-"`
}

// Holds reports whether a level holds.
func (v *Verdict) Holds(level string) bool { return contains(v.Levels, level) }

type judge struct {
	suite    *Suite
	scenario *Scenario
	step     int
	found    []Difference
}

func (j *judge) note(level, what string, values ...any) {
	j.found = append(j.found, Difference{j.step, level, fmt.Sprintf(what, values...)})
}

// Judge replays a scenario, compares the results with the expectations, and returns the verdict.
func (s *Suite) Judge(scenario *Scenario, implementation Implementation) Verdict {
	verdict := Verdict{Scenario: scenario.ID, Status: "unsupported", Levels: []string{}}
	if missing := here().lacking(scenario, implementation.Capabilities()); missing != "" {
		verdict.Reason = missing
		return verdict
	}
	verdict.Status = "error"
	place, err := newPlace()
	if err != nil {
		verdict.Reason = err.Error()
		return verdict
	}
	defer place.remove()
	done := &replay{scenario: scenario, place: place}
	if err := done.perform(implementation); err != nil {
		if verdict.Reason = err.Error(); errors.Is(err, errUnkept) {
			verdict.Status = "unsupported"
		}
		return verdict
	}
	judge := &judge{suite: s, scenario: scenario}
	judge.expected(done)
	if len(judge.found) > 0 || scenario.isOpen() {
		judge.beyond(done)
	}
	if done.misfit != nil {
		if !judge.differs("effects") {
			verdict.Reason = done.misfit.Error()
			return verdict
		}
		judge.note("effects", "%v", done.misfit)
	}
	return judge.verdict(verdict)
}

// isOpen reports whether a scenario states nothing about an answer. In any other scenario, an implementation with the
// expected results also shows the lines, and does the harm, of the contract.
func (s *Scenario) isOpen() bool {
	for index := range s.Steps {
		calls := s.Steps[index].calls()
		for number := range calls {
			if s.Law || calls[number].Expect.Judge != "text" {
				return true
			}
		}
	}
	return false
}

// expected compares refusals, files and texts with the expectations.
func (j *judge) expected(done *replay) {
	if j.scenario.Law {
		return
	}
	for index := range done.steps {
		j.step = index + 1
		j.judge(&j.scenario.Steps[index], &done.steps[index])
	}
	j.files(nil, &done.later)
	j.untouched(nil, nil, &done.later)
	j.names(nil, &done.later)
}

func (j *judge) verdict(verdict Verdict) Verdict {
	verdict.Status, verdict.Differences = "judged", j.found
	for _, level := range Levels {
		if j.differs(level) {
			break
		}
		verdict.Levels = append(verdict.Levels, level)
	}
	return verdict
}

func (j *judge) differs(level string) bool {
	for _, each := range j.found {
		if each.Level == level {
			return true
		}
	}
	return false
}

func contains(list []string, word string) bool {
	for _, each := range list {
		if each == word {
			return true
		}
	}
	return false
}

func (s *Step) calls() []Call {
	if s.Kind == "call" {
		return []Call{s.Call}
	}
	return s.Calls
}

func (j *judge) judge(step *Step, done *outcome) {
	var expected map[string]*State
	calls := step.calls()
	for index := range calls {
		j.call(&calls[index], &done.results[index], done.struck)
	}
	if len(calls) > 0 {
		expected = step.Expect.Files
	}
	j.files(expected, done)
	if len(calls) == 0 {
		return
	}
	if j.scenario.Given.Reminders {
		j.reminders(step.Expect.Reminders, done.results)
	}
	j.untouched(expected, calls, done)
	j.names(expected, done)
}

func (j *judge) call(call *Call, result *Result, struck bool) {
	expect := call.Expect
	if result.Refused != expect.Refused {
		j.note("effects", "refused: expected %v, got %v: %s", expect.Refused, result.Refused, result.Text)
	}
	answer := unwrapped(result.Text)
	name := ""
	if result.Refused {
		if name = result.Error; name == "" {
			name = j.suite.errorOf(call.Tool, answer)
		}
	}
	reaches := !expect.Refused || contains(j.suite.Late, expect.Error)
	if len(call.During) > 0 && !struck && result.Refused == expect.Refused && name == expect.Error && reaches {
		j.note("effects", "the call never stopped between validation and execution")
	}
	if expect.Judge == "effects" {
		return
	}
	if expect.Refused && result.Refused && name != expect.Error {
		j.note("reason", "error: expected %s, got %q", expect.Error, name)
	}
	if problem := j.text(expect.Text, answer, result.Text, j.suite.OuterWhitespace == "ignored"); problem != "" {
		j.note("text", "%s", problem)
	}
}

func (j *judge) reminders(expected []*Text, results []Result) {
	var got []string
	for _, result := range results {
		got = append(got, result.Reminders...)
	}
	if len(got) != len(expected) {
		j.note("effects", "%d reminders, expected %d", len(got), len(expected))
		return
	}
	for index, wanted := range expected {
		if problem := j.text(wanted, got[index], got[index], false); problem != "" {
			j.note("text", "reminder: %s", problem)
		}
	}
}

func (j *judge) text(expected *Text, answer, raw string, ignoresWhitespace bool) string {
	switch {
	case expected == nil:
		return ""
	case expected.Whole != nil:
		wanted := *expected.Whole
		if ignoresWhitespace {
			wanted, answer, raw = withoutOuterWhitespace(wanted), withoutOuterWhitespace(answer), withoutOuterWhitespace(raw)
		}
		if wanted != answer && wanted != raw {
			return fmt.Sprintf("text: expected %q, got %q", wanted, answer)
		}
		return ""
	}
	digest := sha256.Sum256([]byte(answer))
	switch {
	case expected.Starts != nil && !strings.HasPrefix(answer, *expected.Starts):
		return fmt.Sprintf("the text does not start with %q", *expected.Starts)
	case expected.Ends != nil && !strings.HasSuffix(answer, *expected.Ends):
		return fmt.Sprintf("the text does not end with %q", *expected.Ends)
	case expected.Lines != nil && strings.Count(answer, "\n")+1 != *expected.Lines:
		return fmt.Sprintf("the text does not have %d lines", *expected.Lines)
	case expected.SHA256 != nil && hex.EncodeToString(digest[:]) != *expected.SHA256:
		return "the text has another digest"
	}
	return ""
}

func withoutOuterWhitespace(text string) string {
	return strings.Trim(text, "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"+
		"\u2028\u2029\u202f\u205f\u3000\ufeff")
}

func unwrapped(text string) string {
	const opening, closing = "<system-reminder>", "</system-reminder>"
	for strings.HasSuffix(strings.TrimRight(text, "\n"), closing) {
		start := strings.LastIndex(text, opening)
		if start <= 0 || text[start-1] != '\n' {
			break
		}
		text = strings.TrimSuffix(strings.TrimSuffix(text[:start], "\n"), "\n")
	}
	const before, after = "<tool_use_error>", "</tool_use_error>"
	if strings.HasPrefix(text, before) && strings.HasSuffix(text, after) && len(text) >= len(before)+len(after) {
		return text[len(before) : len(text)-len(after)]
	}
	return text
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

func (s *Suite) errorOf(tool, answer string) string {
	answer = strings.TrimSpace(answer)
	best, weight := "", -1
	for _, each := range s.Errors {
		for _, form := range each.Forms {
			own := utf8.RuneCountInString(placeholder.ReplaceAllString(form.Text, ""))
			if own > weight && (len(form.Tools) == 0 || contains(form.Tools, tool)) && fits(form.Text, answer) {
				best, weight = each.Name, own
			}
		}
	}
	return best
}

func fits(form, text string) bool {
	parts := placeholder.Split(form, -1)
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return text == form
	}
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	rest := text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return true
}
