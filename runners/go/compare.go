package readfirst

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

// Levels are how strictly results are compared, each with those before it.
var Levels = []string{"safe", "effects", "reason", "text"}

// Difference is one disagreement; Step counts from 1.
type Difference struct {
	Step  int
	Level string
	What  string
}

// Verdict says of one scenario which levels hold. Status: judged, broken or unsupported.
type Verdict struct {
	Scenario    string       `json:"scenario"`
	Status      string       `json:"status"`
	Reason      string       `json:"reason,omitempty"`
	Levels      []string     `json:"levels"`
	Differences []Difference `json:"-"`
}

// Holds says whether a level holds.
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

// Judge replays a scenario and compares what happened.
func (s *Suite) Judge(scenario *Scenario, implementation Implementation) Verdict {
	verdict := Verdict{Scenario: scenario.ID, Status: "unsupported", Levels: []string{}}
	if missing := here().lacking(scenario, implementation.Capabilities()); missing != "" {
		verdict.Reason = missing
		return verdict
	}
	verdict.Status = "broken"
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
	if scenario.Law {
		judge.harms(done)
		return judge.verdict(verdict)
	}
	for index := range done.steps {
		judge.step = index + 1
		judge.judge(&scenario.Steps[index], &done.steps[index])
	}
	judge.files(nil, &done.later)
	judge.untouched(nil, nil, &done.later)
	judge.names(nil, &done.later)
	if done.misfit != nil {
		if !judge.differs("effects") {
			verdict.Reason = done.misfit.Error()
			return verdict
		}
		judge.note("effects", "%v", done.misfit)
	}
	if judge.differs("effects") {
		judge.harms(done)
	}
	return judge.verdict(verdict)
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

// wanted is what must be at a path: as the scenario states it, or as it was seen.
type wanted struct {
	stated *State
	seen   *Entry
}

func (w wanted) gone() bool { return w.stated == nil && w.seen == nil }

func (j *judge) files(expected map[string]*State, done *outcome) {
	changed := changes(done.before, done.after)
	all := map[string]wanted{}
	for path, entry := range done.world {
		all[path] = wanted{seen: entry}
	}
	for path, state := range expected {
		all[path] = wanted{stated: state}
	}
	parents := map[string]bool{}
	for name, each := range all {
		if !each.gone() {
			for folder := path.Dir(name); folder != "." && folder != "/"; folder = path.Dir(folder) {
				parents[folder] = true
			}
		}
	}
	for name, got := range changed {
		if _, stated := all[name]; stated {
			continue
		}
		if implied := parents[name] && done.before[name] == nil && got != nil && got.Type == "directory"; !implied {
			j.note("effects", "%s changed, and should not", name)
		}
	}
	for name, each := range all {
		got := done.after[name]
		former := done.before[name]
		if entry, ours := done.world[name]; ours {
			former = entry
		}
		if problem := each.differs(got, former); problem != "" {
			j.note("effects", "%s: %s", name, problem)
		}
	}
}

func (w wanted) differs(got, former *Entry) string {
	if w.gone() || got == nil {
		if w.gone() && got == nil {
			return ""
		}
		return "is there, or is gone"
	}
	if w.seen != nil {
		if w.seen.Type == got.Type && w.seen.Data == got.Data && w.seen.Target == got.Target {
			return sameMode(w.seen.Mode, got)
		}
		return "is not as it was made"
	}
	state := w.stated
	if state.Type != got.Type {
		return fmt.Sprintf("is a %s, not a %s", got.Type, state.Type)
	}
	switch state.Type {
	case "symlink":
		if state.Target != got.Target {
			return "leads to " + got.Target
		}
		return ""
	case "file":
		if state.SHA256 != "" {
			if digest := sha256.Sum256([]byte(got.Data)); hex.EncodeToString(digest[:]) != state.SHA256 || len(got.Data) != state.Size {
				return "has another digest"
			}
		} else if string(state.Bytes()) != got.Data {
			return fmt.Sprintf("holds %.500q", got.Data)
		}
	}
	if state.Mode != "" {
		return sameMode(modeOf(state.Mode, 0), got)
	}
	if former != nil && former.Type == got.Type {
		return sameMode(former.Mode, got)
	}
	return ""
}

func sameMode(mode fs.FileMode, got *Entry) string {
	if mode != got.Mode && got.Type != "symlink" {
		return fmt.Sprintf("has the mode %o", got.Mode)
	}
	return ""
}

// untouched looks for files that were written though they hold what they held.
func (j *judge) untouched(expected map[string]*State, calls []Call, done *outcome) {
	after := names(done.after)
	written := map[string]bool{}
	for _, call := range calls {
		if reads(call.Tool) || call.Expect.Refused {
			continue
		}
		paths := meant(call.given(), done.before)
		if len(paths) == 0 {
			return
		}
		for _, each := range paths {
			written[each] = true
			for _, other := range after[each] {
				written[other] = true
			}
		}
	}
	for name := range done.touched {
		if _, stated := expected[name]; !stated && !written[name] {
			j.note("effects", "%s was written or replaced, and holds what it held", name)
		}
	}
}

// reads tells whether a tool shows a file and changes nothing.
func reads(tool string) bool {
	return tool == "Read" || tool == "NotebookRead"
}

// meant returns the paths of a snapshot that a call may mean, with all links resolved.
func meant(given map[string]any, state Snapshot) []string {
	value, is := given["file_path"]
	if !is {
		value = given["notebook_path"]
	}
	text, is := value.(string)
	if !is {
		return nil
	}
	var paths []string
	if here, found := followed(path.Clean(strings.TrimLeft(strings.TrimPrefix(filepath.ToSlash(text), "$WS"), "/")), state); found {
		paths = append(paths, here)
	}
	if strings.HasPrefix(text, "~/") {
		paths = append(paths, "$HOME/"+path.Clean(text[2:]))
	}
	return paths
}

func followed(name string, state Snapshot) (string, bool) {
	for links := 0; links < 40; links++ {
		parts := strings.Split(name, "/")
		link, end := (*Entry)(nil), 0
		for end = 1; end <= len(parts); end++ {
			if each := state[strings.Join(parts[:end], "/")]; each != nil && each.Type == "symlink" {
				link = each
				break
			}
		}
		if link == nil {
			return name, true
		}
		start := path.Dir(strings.Join(parts[:end], "/"))
		if strings.HasPrefix(link.Target, "$WS") {
			start = ""
		}
		target := strings.TrimLeft(strings.TrimPrefix(link.Target, "$WS"), "/")
		name = path.Clean(path.Join(append([]string{start, target}, parts[end:]...)...))
	}
	return "", false
}

// names looks for hard links that should be, and are not, or the other way round.
func (j *judge) names(expected map[string]*State, done *outcome) {
	before, after := names(done.start), names(done.after)
	reported := map[string]bool{}
	for path, entry := range changes(done.before, done.after) {
		if entry == nil {
			reported[path] = true
		}
	}
	gone := map[string]bool{}
	for path := range reported {
		gone[path] = true
	}
	var all []string
	for path := range before {
		all = append(all, path)
	}
	for path := range after {
		if before[path] == nil {
			all = append(all, path)
		}
	}
	sort.Strings(all)
	for _, path := range all {
		if reported[path] {
			continue
		}
		shared, got := before[path], after[path]
		if shared == nil {
			shared = []string{path}
		}
		if got == nil {
			got = []string{path}
		}
		var wanted []string
		for _, name := range shared {
			if !gone[name] && alike(expected, path, name) {
				wanted = append(wanted, name)
			}
		}
		if strings.Join(wanted, "\x00") != strings.Join(got, "\x00") {
			for _, name := range append(wanted, got...) {
				reported[name] = true
			}
			j.note("effects", "%s is one file with %q, expected %q", path, got, wanted)
		}
	}
}

func alike(expected map[string]*State, one, other string) bool {
	first, stated := expected[one]
	second, too := expected[other]
	if !stated || !too {
		return one == other || (!stated && !too)
	}
	if first == nil || second == nil {
		return first == second
	}
	if first.Type == "file" && second.Type == "file" && first.SHA256 == "" && second.SHA256 == "" {
		return string(first.Bytes()) == string(second.Bytes())
	}
	return first.Type == second.Type && first.SHA256 == second.SHA256 && first.Size == second.Size &&
		first.Mode == second.Mode && first.Target == second.Target
}
