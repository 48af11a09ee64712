package readfirst

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// outcome is what one step did.
type outcome struct {
	results []Result
	before  Snapshot // of the step
	after   Snapshot
	world   Snapshot // what the runner changed itself
	struck  bool
	start   Snapshot            // before the call, or after the events of a race
	touched map[string]struct{} // files with the bytes that they had, which were written all the same
}

var temporary = regexp.MustCompile(`\.tmp\.[0-9]+\.[0-9a-f]{6,}`)

var savedTo = regexp.MustCompile(`\bFull output saved to: /\S+`)

var bytesSent = regexp.MustCompile(`\(first [0-9]+ of [0-9]+ bytes\)`)

type replay struct {
	implementation Implementation
	scenario       *Scenario
	place          *Place
	hooks          []Hook
	given          Snapshot // before the first step
	state          Snapshot
	sessions       []Session
	other          Session // one beside the first
	steps          []outcome
	misfit         error   // an event that did not fit the workspace
	later          outcome // what was done after the last step, until the session had ended
}

// perform replays a scenario, and looks once more; the error says how the implementation broke.
func (r *replay) perform(implementation Implementation) error {
	err := r.play(implementation)
	if err != nil {
		return err
	}
	r.later = outcome{before: r.state, start: r.state}
	if r.later.after, err = r.place.snapshot(); err == nil {
		r.later.touched = touched(r.state, r.later.after)
	}
	return err
}

func (r *replay) play(implementation Implementation) (err error) {
	given := r.scenario.Given
	if err := r.place.layOut(given.Files); err != nil {
		return err
	}
	if r.state, err = r.place.snapshot(); err != nil {
		return err
	}
	if path := unkept(given.Files, r.place.Root, r.state); path != "" {
		return fmt.Errorf("%w: %s", errUnkept, path)
	}
	r.given = r.state
	session, err := implementation.Open(r.opening())
	if err != nil {
		return err
	}
	r.sessions, r.implementation = []Session{session}, implementation
	defer func() {
		if r.other != nil {
			r.sessions = append(r.sessions, r.other)
		}
		for index := len(r.sessions) - 1; index >= 0; index-- {
			if failed := r.sessions[index].Close(); err == nil {
				err = failed
			}
		}
	}()
	for index := range r.scenario.Steps {
		if err := r.step(&r.scenario.Steps[index]); err != nil {
			return err
		}
		if r.misfit != nil {
			return nil
		}
	}
	return nil
}

func (r *replay) opening() Opening {
	given := r.scenario.Given
	opening := Opening{Root: r.place.Root, Home: r.place.Home, Needs: r.scenario.Needs, Deny: r.placed(given.Deny), Hooks: []Hook{}}
	for _, each := range given.Hooks {
		hook := each.Hook
		hook.Command = strings.ReplaceAll(hook.Command, "$WS", r.place.Root)
		opening.Hooks = append(opening.Hooks, hook)
	}
	if p := given.Permissions; p != nil {
		further := []string{}
		for _, folder := range p.Additional {
			further = append(further, r.folder(folder))
		}
		opening.Permissions = &GrantedPermissions{p.Mode, r.folder(p.Directory), r.placed(p.Allow), further}
	}
	r.hooks = opening.Hooks
	return opening
}

func (r *replay) folder(path string) string {
	return strings.TrimSuffix(r.place.Root+"/"+path, "/")
}

func (r *replay) placed(rules []string) []string {
	placed := []string{}
	for _, rule := range rules {
		placed = append(placed, strings.ReplaceAll(rule, "$WS", r.place.Root))
	}
	return placed
}

func (r *replay) step(step *Step) error {
	session := r.sessions[len(r.sessions)-1]
	done := outcome{before: r.state, start: r.state}
	var err error
	switch step.Kind {
	case "event":
		if r.misfit = r.place.perform(step.Event); r.misfit != nil {
			return nil
		}
	case "session":
		err = r.happen(step, session)
	case "parallel":
		group, able := session.(ParallelSession)
		if !able {
			return fmt.Errorf("the session has no CallParallel")
		}
		var calls []Request
		for index := range step.Calls {
			calls = append(calls, Request{step.Calls[index].Tool, step.Calls[index].arguments(r.place.Root)})
		}
		done.results, err = group.CallParallel(calls)
		if err == nil && len(done.results) != len(calls) {
			err = fmt.Errorf("%d results for %d calls", len(done.results), len(calls))
		}
	default:
		err = r.call(step, session, &done)
	}
	if err != nil {
		return err
	}
	if step.Kind == "session" && step.Event.Event == "rewind" {
		done.after = r.state
		r.steps = append(r.steps, done)
		return nil
	}
	middle := done.after
	if done.after, err = r.place.snapshot(); err != nil {
		return err
	}
	if step.Kind == "event" {
		done.world = changes(done.before, done.after)
	}
	done.touched = touched(done.before, done.after)
	if done.struck {
		done.touched = touched(done.before, middle)
		for path := range touched(done.start, done.after) {
			done.touched[path] = struct{}{}
		}
	}
	for index := range done.results {
		done.results[index].Text = r.normalised(done.results[index].Text)
		for number, reminder := range done.results[index].Reminders {
			done.results[index].Reminders[number] = r.normalised(reminder)
		}
	}
	r.state = done.after
	r.steps = append(r.steps, done)
	return nil
}

// call makes a call; the moment before the events of a race is left in done.after.
func (r *replay) call(step *Step, session Session, done *outcome) error {
	request := Request{step.Tool, step.arguments(r.place.Root)}
	if len(step.During) == 0 && step.Interrupted == "" {
		result, err := session.Call(request)
		done.results = []Result{result}
		return err
	}
	var make func(func()) (Result, error)
	if step.Interrupted != "" {
		interruptible, able := session.(InterruptibleSession)
		if !able {
			return fmt.Errorf("the session has no CallInterrupted")
		}
		if step.Begun != "" {
			request.Arguments = inJSON([]byte(step.Begun), r.place.Root)
		}
		make = func(interfere func()) (Result, error) {
			return interruptible.CallInterrupted(request, step.Interrupted, interfere)
		}
	} else {
		racing, able := session.(RacingSession)
		if !able {
			return fmt.Errorf("the session has no CallDuring")
		}
		make = func(interfere func()) (Result, error) { return racing.CallDuring(request, interfere) }
	}
	var failed error
	result, err := make(func() {
		if done.struck {
			return
		}
		done.struck = true
		if done.after, failed = r.place.snapshot(); failed != nil {
			return
		}
		for _, event := range step.During {
			if r.misfit = r.place.perform(event); r.misfit != nil {
				break
			}
		}
		if done.start, failed = r.place.snapshot(); failed == nil {
			done.world = changes(done.after, done.start)
		}
	})
	done.results = []Result{result}
	if err == nil {
		err = failed
	}
	return err
}

func (r *replay) happen(step *Step, session Session) error {
	switch step.Event.Event {
	case "other":
		if r.other == nil {
			other, err := r.implementation.Open(r.opening())
			if err != nil {
				return err
			}
			r.other = other
		}
		r.sessions = append(r.sessions, r.other)
		return nil
	case "back":
		r.sessions = r.sessions[:len(r.sessions)-1]
		return nil
	}
	if step.Event.Event == "end" {
		r.sessions = r.sessions[:len(r.sessions)-1]
		return session.Close()
	}
	living, able := session.(LivingSession)
	if !able {
		return fmt.Errorf("the session has no Happen")
	}
	if step.Event.Event == "agent" {
		agent, err := living.SubAgent()
		if err == nil {
			r.sessions = append(r.sessions, agent)
		}
		return err
	}
	path := step.Event.Path
	if path != "" {
		path = r.place.Root + "/" + path
	}
	return living.Happen(step.Event.Event, path)
}

func (r *replay) normalised(text string) string {
	for index, hook := range r.hooks {
		text = strings.ReplaceAll(text, hook.Command, fmt.Sprintf("$HOOK%d", index+1))
	}
	text = savedTo.ReplaceAllString(text, "Full output saved to: FILE")
	text = neutral(neutral(text, r.place.Root, "$WS"), r.place.Home, "$HOME")
	return bytesSent.ReplaceAllString(temporary.ReplaceAllString(text, ".tmp.N"), "(first N of N bytes)")
}

// touched returns the files with the same content but a different time or inode.
func touched(before, after Snapshot) map[string]struct{} {
	found := map[string]struct{}{}
	for path, entry := range after {
		former := before[path]
		if entry.Type == "file" && entry.equal(former) && (entry.inode != former.inode || entry.time != former.time) {
			found[path] = struct{}{}
		}
	}
	return found
}

// names maps each name of a file with several names to all of its names.
func names(entries Snapshot) map[string][]string {
	groups := map[uint64][]string{}
	for path, entry := range entries {
		if entry.Type == "file" && entry.names > 1 {
			groups[entry.inode] = append(groups[entry.inode], path)
		}
	}
	found := map[string][]string{}
	for _, group := range groups {
		sort.Strings(group)
		for _, path := range group {
			if len(group) > 1 {
				found[path] = group
			}
		}
	}
	return found
}
