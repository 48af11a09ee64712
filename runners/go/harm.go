package readfirst

import (
	"path"
	"strings"
)

// harmJudge looks for what a session harmed, from its files, calls and answers; no expectation is asked.
type harmJudge struct {
	scenario   *Scenario
	judge      *judge
	state      Snapshot
	views      []map[string]*known // what the session knows of files, the innermost sub-agent's last
	other      map[string]*known   // what another session beside it knows
	theirTurn  bool
	checkpoint Snapshot
	changed    map[string]bool // paths that the session changed
	rewinds    bool
	courses    [][]string // of the contracts that refused alike so far
}

// harms notes at the level safe what was harmed, and what was refused though every contract answers it.
func (j *judge) harms(done *replay) {
	h := &harmJudge{scenario: j.scenario, judge: j, state: done.given, changed: map[string]bool{}, checkpoint: done.given}
	h.views = []map[string]*known{h.fresh()}
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
			h.calls(step.calls(), happened)
		}
	}
	if done.misfit != nil || len(done.steps) == 0 {
		return
	}
	for name := range changes(done.later.before, done.later.after) {
		j.note("safe", "%s was changed after the last answer", name)
	}
	for name := range done.later.touched {
		j.note("safe", "%s was written or touched after the last answer", name)
	}
}

func (h *harmJudge) fresh() map[string]*known {
	view := map[string]*known{}
	for name, entry := range h.state {
		if entry.Type == "file" {
			view[name] = givenFile(entry.Data)
		}
	}
	return view
}

func (h *harmJudge) view() map[string]*known { return h.views[len(h.views)-1] }

// everyone returns what all sessions know.
func (h *harmJudge) everyone() []map[string]*known {
	if h.other == nil || h.theirTurn {
		return h.views
	}
	return append(append([]map[string]*known{}, h.views...), h.other)
}

func (h *harmJudge) happen(step *Step) {
	switch step.Event.Event {
	case "agent":
		h.views = append(h.views, h.fresh())
	case "other":
		if h.other == nil {
			h.other = h.fresh()
		}
		h.views = append(h.views, h.other)
		h.theirTurn = true
	case "back":
		h.views, h.theirTurn = h.views[:len(h.views)-1], false
	case "end":
		if len(h.views) > 1 {
			h.views = h.views[:len(h.views)-1]
		}
	case "rewind":
		h.rewinds = true
	case "mention":
		for _, name := range meant(map[string]any{"file_path": step.Event.Path}, h.state) {
			if file := h.view()[name]; file != nil {
				for index := range file.lines {
					file.lines[index].seen = true
				}
			}
		}
	}
}

// others takes over what somebody else changed.
func (h *harmJudge) others(changed Snapshot) {
	for name, entry := range changed {
		for _, view := range h.everyone() {
			learn(view, name, h.state[name], entry, "other")
		}
	}
	h.state = with(h.state, changed)
}

func learn(view map[string]*known, name string, before, after *Entry, hand string) {
	if after == nil || after.Type != "file" {
		return
	}
	file := view[name]
	if file != nil && before != nil && before.Type == "file" && before.Data == after.Data {
		return
	}
	if file == nil {
		file = &known{}
		view[name] = file
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

// rewound brings the files back that the session changed, as they were before it.
func (h *harmJudge) rewound(changed Snapshot) {
	back := Snapshot{}
	for name := range h.changed {
		former := h.checkpoint[name]
		if _, is := changed[name]; is || bytesOf(h.state[name]) == bytesOf(former) && isFile(h.state[name]) == isFile(former) {
			back[name] = former
		}
	}
	for name, former := range back {
		if file := h.view()[name]; file != nil {
			for _, each := range file.lost(bytesOf(former)) {
				if each.hand == "other" {
					h.judge.note("safe", "lost: what somebody else saved in %s, which the rewind took back", name)
					break
				}
			}
		}
	}
	for _, view := range h.everyone() {
		for name, entry := range back {
			learn(view, name, h.state[name], entry, "session")
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

// answered is a call with what came of it.
type answered struct {
	tool   string
	given  map[string]any
	result *Result
}

func (h *harmJudge) calls(steps []Call, happened *outcome) {
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
		calls[index] = answered{steps[index].Tool, steps[index].given(), &happened.results[index]}
	}
	h.refusals(calls)
	var targets []string
	chains := map[string][]answered{}
	free := false
	for _, call := range calls {
		h.closed(call, before, changed)
		if call.tool == "Bash" {
			free = free || !call.result.Refused || len(changed) > 0
		} else if reads(call.tool) {
			h.hear(call, before)
		} else if !call.result.Refused {
			if name := target(call, before, after, changed); name != "" {
				if chains[name] == nil {
					targets = append(targets, name)
				}
				chains[name] = append(chains[name], call)
			}
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
	for _, name := range targets {
		allowed[name] = true
		for _, other := range sharing[name] {
			allowed[other] = true
		}
		for folder := path.Dir(name); folder != "." && folder != "/"; folder = path.Dir(folder) {
			allowed[folder] = true
		}
		if !foreign[name] {
			h.made(name, chains[name], before, after)
		}
		h.kept(name, before, after, names(happened.start), names(happened.after))
	}
	if !free {
		h.strays(calls, before, changed, allowed)
		for name := range happened.touched {
			if !allowed[name] {
				h.judge.note("safe", "%s was written or touched, though no call asked for it", name)
			}
		}
	}
	for name, entry := range changed {
		for depth, view := range h.everyone() {
			hand := "other"
			if depth == len(h.views)-1 && !foreign[name] {
				hand = "session"
			}
			learn(view, name, before[name], entry, hand)
		}
		h.changed[name] = true
	}
	h.state = after
	for _, call := range calls {
		if !reads(call.tool) || len(call.result.Reminders) > 0 {
			h.hear(call, after)
		}
	}
}

// refusals notes what is refused though every contract that went the same way so far answers it.
func (h *harmJudge) refusals(calls []answered) {
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
			answers := len(alike) > 0
			for _, course := range alike {
				answers = answers && course[0][number] == 'a'
			}
			if answers {
				h.judge.note("safe", "overcautious: %s was refused, which every contract answers", call.tool)
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

// hear learns what an answer shows of the files as they are.
func (h *harmJudge) hear(call answered, state Snapshot) {
	if call.result.Refused && len(call.result.Reminders) == 0 {
		return
	}
	answer := strings.Join(append([]string{call.result.Text}, call.result.Reminders...), "\n")
	named := meant(call.given, state)
	command, _ := call.given["command"].(string)
	for name, file := range h.view() {
		if contains(named, name) || call.tool == "Bash" && command != "" || strings.Contains(answer, "$WS/"+name) {
			file.show(answer)
		}
	}
}

// target is the path that a call is about; empty where that is somewhere that no snapshot names.
func target(call answered, before, after, changed Snapshot) string {
	paths := meant(call.given, before)
	there := false
	for _, name := range paths {
		if strings.Contains(name, "$WS") {
			return ""
		}
		there = there || before[name] != nil || after[name] != nil
	}
	if !there {
		bare := map[string]any{}
		for key, value := range call.given {
			if text, is := value.(string); is {
				bare[key] = strings.Trim(text, " \t\r\n\ufeff")
			}
		}
		var cut []string
		for _, name := range meant(bare, before) {
			if _, is := changed[name]; is {
				cut = append(cut, name)
			}
		}
		paths = append(cut, paths...)
	}
	for name := range changed {
		if former := before[name]; former != nil && former.Type == "symlink" && call.names(name) {
			return name
		}
	}
	for _, name := range paths {
		if _, is := changed[name]; is {
			return name
		}
	}
	for index := len(paths) - 1; index >= 0; index-- {
		if before[paths[index]] != nil {
			return paths[index]
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return paths[0]
}

// path is what the call names, as it is written.
func (c answered) path() (string, bool) {
	value, is := c.given["file_path"]
	if !is {
		value = c.given["notebook_path"]
	}
	text, is := value.(string)
	return text, is
}

func (c answered) names(name string) bool {
	text, is := c.path()
	return is && strings.HasPrefix(path.Clean(strings.TrimLeft(strings.TrimPrefix(text, "$WS"), "/")), name)
}

func (h *harmJudge) strays(calls []answered, before, changed Snapshot, allowed map[string]bool) {
	for name := range changed {
		if allowed[name] {
			continue
		}
		former := before[name]
		link := former != nil && former.Type == "symlink"
		bad, named := false, false
		for _, call := range calls {
			bad = bad || call.result.Refused && contains(meant(call.given, before), name) || link && call.names(name)
			for key, value := range call.given {
				text, is := value.(string)
				usual := contains([]string{"file_path", "notebook_path", "content", "old_string", "new_string", "new_source"}, key)
				named = named || is && !usual && strings.TrimPrefix(text, "$WS/") == name
			}
		}
		if bad || !named {
			h.judge.note("safe", "%s was changed, made or removed, and no answered call named it", name)
		}
	}
}

// kept notes what is spoiled of a file beside its bytes: type, mode and names.
func (h *harmJudge) kept(name string, before, after Snapshot, sharedBefore, shared map[string][]string) {
	former, now := before[name], after[name]
	if former == nil || now == nil {
		return
	}
	if former.Type != now.Type {
		h.judge.note("safe", "spoiled: %s is a %s now", name, now.Type)
		return
	}
	if former.Type != "file" {
		return
	}
	if former.Mode != now.Mode {
		h.judge.note("safe", "spoiled: the mode of %s", name)
	}
	gained, kept := false, false
	for _, other := range shared[name] {
		if other != name && before[other] != nil {
			gained = true
			kept = kept || contains(sharedBefore[name], other)
		}
	}
	if gained && !kept {
		h.judge.note("safe", "spoiled: %s was a file of its own", name)
	}
	left := 0
	for _, other := range sharedBefore[name] {
		if after[other] != nil {
			left++
		}
	}
	for _, other := range sharedBefore[name] {
		if left > 1 && other != name && after[other] != nil && !contains(shared[name], other) {
			h.judge.note("safe", "spoiled: %s was one file with %s", name, other)
			return
		}
	}
}
