package readfirst

import (
	"path"
	"sort"
	"strings"
)

// view is the knowledge of a session or a sub-agent: its files, and the directory of its relative paths.
type view struct {
	files     map[string]*known
	directory string
	stays     bool // a sub-agent, whose commands do not move it
	spokenTo  bool // a message of the user came, after which a session may be back in its first directory
}

// harmJudge detects the harm of a session from its files, calls and answers, without expectations. It also records the
// lines that the session was shown, to judge the lines that answers must show.
type harmJudge struct {
	scenario   *Scenario
	judge      *judge
	state      Snapshot
	views      []*view // the innermost sub-agent's last
	other      *view   // of another session beside it
	checkpoint Snapshot
	changed    map[string]bool // paths that the session changed
	rewinds    bool
	courses    [][]string // of the contracts that refused alike so far
}

// beyond notes, at the level safe, harm that the contract does not do and refusals of calls that every contract
// answers, and, at the level effects, lines that were not shown.
func (j *judge) beyond(done *replay) {
	h := &harmJudge{scenario: j.scenario, judge: j, state: done.given, changed: map[string]bool{}, checkpoint: done.given}
	h.views = []*view{h.fresh()}
	for _, each := range j.scenario.Courses {
		h.courses = append(h.courses, strings.Split(each, " "))
	}
	for index := range done.steps {
		j.step = index + 1
		step, happened := &j.scenario.Steps[index], &done.steps[index]
		switch step.Kind {
		case "event":
			h.others(changes(happened.before, happened.after))
		case "session":
			h.happen(step)
			h.others(changes(happened.before, happened.after))
		default:
			h.calls(step, happened)
		}
	}
	if done.misfit != nil || len(done.steps) == 0 {
		return
	}
	for name := range changes(done.later.before, done.later.after) {
		h.note(0, "stray", name, "it was changed after the last answer")
	}
	for name := range done.later.touched {
		h.note(0, "stray", name, "it was written or touched after the last answer")
	}
}

// note records a harm of a call, counted from 0, unless the contract does the same harm. A refusal is not overcautious
// if the contract's answer to the call does harm.
func (h *harmJudge) note(number int, kind, name, what string) {
	own := Harm{h.judge.step, number + 1, kind, name}
	for _, each := range h.scenario.Harms {
		if each == own || kind == "overcautious" && each.Kind != "blind" && each.Step == own.Step && each.Call == own.Call {
			return
		}
	}
	if kind != "blind" {
		h.judge.note("safe", "%s: %s: %s", kind, name, what)
	}
}

// start returns the first directory of the session.
func (h *harmJudge) start() string {
	if h.scenario.Given.Permissions == nil {
		return ""
	}
	return h.scenario.Given.Permissions.Directory
}

func (h *harmJudge) fresh() *view {
	files := map[string]*known{}
	for name, entry := range h.state {
		if isFile(entry) {
			files[name] = givenFile(entry.Data)
		}
	}
	return &view{files, h.start(), false, false}
}

// subAgent returns the view of a new sub-agent. The sub-agent starts in the directory of the session, and its commands
// do not change this directory.
func (h *harmJudge) subAgent() *view {
	fresh := h.fresh()
	fresh.directory, fresh.stays = h.view().directory, true
	return fresh
}

func (h *harmJudge) view() *view { return h.views[len(h.views)-1] }

// everyone returns the knowledge of all sessions.
func (h *harmJudge) everyone() []*view {
	all := append([]*view{}, h.views...)
	for _, each := range all {
		if each == h.other {
			return all
		}
	}
	if h.other != nil {
		all = append(all, h.other)
	}
	return all
}

func (h *harmJudge) happen(step *Step) {
	if step.Event.Event == "rewind" || step.Event.Event == "mention" {
		h.view().spokenTo = true
	}
	switch step.Event.Event {
	case "resume":
		h.view().directory = h.start()
	case "compact":
		h.summarise()
	case "agent":
		h.views = append(h.views, h.subAgent())
	case "other":
		if h.other == nil {
			h.other = h.fresh()
		}
		h.views = append(h.views, h.other)
	case "back", "end":
		if len(h.views) > 1 {
			h.views = h.views[:len(h.views)-1]
		}
	case "rewind":
		h.rewinds = true
	case "mention":
		for _, name := range meant(map[string]any{"file_path": step.Event.Path}, h.state) {
			if file := h.view().files[name]; file != nil {
				file.showAll()
			}
		}
	}
}

const mostSummarised = 5 // files that the product shows again beside a summary

// summarise removes the knowledge of the session, except for the files that a summary shows again: the files that
// changed last, or more if several changed at the same time.
func (h *harmJudge) summarise() {
	var times []int64
	for name, file := range h.view().files {
		if entry := h.state[name]; file.met && entry != nil {
			times = append(times, entry.time)
		}
	}
	sort.Slice(times, func(one, other int) bool { return times[one] > times[other] })
	if len(times) > mostSummarised {
		times = times[:mostSummarised]
	}
	for name, file := range h.view().files {
		if entry := h.state[name]; file.met && entry != nil && entry.time >= times[len(times)-1] {
			file.showAll()
		} else if file.met {
			file.forget()
		}
	}
}

// others updates the knowledge after changes by other programs.
func (h *harmJudge) others(changed Snapshot) {
	for name, entry := range changed {
		for _, view := range h.everyone() {
			learn(view.files, name, h.state[name], entry, "other")
		}
	}
	h.state = with(h.state, changed)
}

func learn(files map[string]*known, name string, before, after *Entry, hand string) {
	if after == nil || after.Type != "file" {
		return
	}
	file := files[name]
	if file != nil && before != nil && before.Type == "file" && before.Data == after.Data {
		return
	}
	if file == nil {
		file = &known{}
		files[name] = file
	}
	file.put(hand, after.Data)
}

func with(state, changed Snapshot) Snapshot {
	after := Snapshot{}
	for name, entry := range state {
		after[name] = entry
	}
	for name, entry := range changed {
		if entry == nil {
			delete(after, name)
		} else {
			after[name] = entry
		}
	}
	return after
}

// rewound restores the knowledge of the files that a rewind restores.
func (h *harmJudge) rewound(changed Snapshot) {
	back := Snapshot{}
	for name := range h.changed {
		former := h.checkpoint[name]
		if _, is := changed[name]; is || bytesOf(h.state[name]) == bytesOf(former) && isFile(h.state[name]) == isFile(former) {
			back[name] = former
		}
	}
	for name, former := range back {
		if file := h.view().files[name]; file != nil {
			for _, each := range file.lost(bytesOf(former)) {
				if each.hand == "other" {
					h.note(0, "lost", name, "changes of another program, which the rewind reverted")
					break
				}
			}
		}
	}
	for _, view := range h.views {
		for name, entry := range back {
			learn(view.files, name, h.state[name], entry, "session")
		}
	}
	h.state = with(h.state, back)
	h.rewinds, h.checkpoint = false, h.state
}

func isFile(entry *Entry) bool { return entry != nil && entry.Type == "file" }

func bytesOf(entry *Entry) string {
	if isFile(entry) {
		return entry.Data
	}
	return ""
}

// answered is a call with its result.
type answered struct {
	tool   string
	given  map[string]any
	result *Result
}

func (h *harmJudge) calls(step *Step, happened *outcome) {
	change := Snapshot{}
	for name := range happened.world {
		change[name] = h.state[name]
	}
	h.others(happened.world)
	for name, entry := range changes(happened.before, happened.after) {
		change[name] = entry
	}
	if h.rewinds {
		h.rewound(change)
	}
	before := h.state
	after := with(h.state, change)
	changed := changes(before, after)
	calls := make([]answered, len(happened.results))
	for index := range calls {
		call, view := &step.calls()[index], h.view()
		if view.spokenTo && beginsAt(call.given(), h.start(), changed) {
			view.directory = h.start()
		}
		calls[index] = answered{call.Tool, absolute(call.given(), view.directory), &happened.results[index]}
		if !view.stays {
			view.directory = directoryAfter(calls[index], view.directory, h.start(), after)
		}
		view.spokenTo = view.spokenTo || step.Interrupted == "cancelled" || step.Interrupted == "stopped"
	}
	h.refusals(step, calls)
	var chains []*chain
	free := false
	for number, call := range calls {
		own := changed
		if (call.tool == "Bash" || call.result.Refused) && len(calls) > 1 {
			own = nil
		}
		h.closed(number, call, before, own)
		if call.tool == "Bash" {
			free = free || !call.result.Refused || len(changed) > 0
		} else if reads(call.tool) {
			h.hear(call, before)
		} else if !call.result.Refused {
			chains = addToChain(chains, target(call, before, after, changed), number, call)
		}
		text, _ := call.given["file_path"].(string)
		free = free || len(text) > 0 && strings.Contains(text[1:], "$WS")
	}
	allowed, foreign := map[string]bool{}, map[string]bool{}
	for _, hook := range h.scenario.Given.Hooks {
		for _, name := range hook.Writes {
			foreign[name], allowed[name] = true, true
		}
	}
	sharing := names(before)
	for _, each := range chains {
		allowed[each.name] = true
		for _, other := range sharing[each.name] {
			allowed[other] = true
		}
		for folder := each.name; folder != "." && folder != "/"; {
			folder = path.Dir(folder)
			allowed[folder] = allowed[folder] || before[folder] == nil
		}
		if !foreign[each.name] {
			h.made(each, before, after)
		}
		h.kept(each, before, after, names(happened.start), names(happened.after))
	}
	if !free {
		h.strays(calls, before, changed, allowed, happened.touched)
	}
	for name, entry := range changed {
		for _, view := range h.everyone() {
			hand := "other"
			if view == h.view() && !foreign[name] {
				hand = "session"
			}
			learn(view.files, name, before[name], entry, hand)
		}
		h.changed[name] = true
	}
	h.state = after
	for _, call := range calls {
		if !reads(call.tool) || len(call.result.Reminders) > 0 {
			h.hear(call, after)
		}
	}
	h.shown(step, calls, before)
}

func addToChain(chains []*chain, name string, number int, call answered) []*chain {
	if name == "" {
		return chains
	}
	for _, each := range chains {
		if each.name == name {
			each.calls, each.numbers = append(each.calls, call), append(each.numbers, number)
			return chains
		}
	}
	return append(chains, &chain{name, []answered{call}, []int{number}})
}

// refusals notes a refusal of a call that every contract with the same refusals so far answers.
func (h *harmJudge) refusals(step *Step, calls []answered) {
	var alike [][]string
	for _, course := range h.courses {
		if len(course) > 0 && len(course[0]) == len(calls) {
			alike = append(alike, course)
		}
	}
	marks := ""
	for number, call := range calls {
		mark := "a"
		if call.result.Refused {
			mark = "r"
			expect := step.calls()[number].Expect
			answers := len(alike) > 0 && (expect == nil || !expect.Refused)
			for _, course := range alike {
				answers = answers && course[0][number] == 'a'
			}
			if answers {
				h.note(number, "overcautious", "", call.tool+" was refused, which every contract answers")
			}
		}
		marks += mark
	}
	h.courses = nil
	for _, course := range alike {
		if course[0] == marks {
			h.courses = append(h.courses, course[1:])
		}
	}
}

// hear records the lines of files that an answer shows.
func (h *harmJudge) hear(call answered, state Snapshot) {
	if call.result.Refused && len(call.result.Reminders) == 0 {
		return
	}
	named := meant(call.given, state)
	command, _ := call.given["command"].(string)
	for _, answer := range append([]string{call.result.Text}, call.result.Reminders...) {
		for name, file := range h.view().files {
			isNamed := contains(named, name)
			if isNamed || call.tool == "Bash" && command != "" || strings.Contains(answer, "$WS/"+name) {
				file.show(answer, reads(call.tool) && isNamed && !call.result.Refused)
			}
		}
	}
}
