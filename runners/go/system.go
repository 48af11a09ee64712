package readfirst

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
)

// machine describes the properties of a system that scenarios depend on.
type machine struct {
	system   string // linux, macos, windows, or another
	folds    bool   // the case of a name makes no difference
	composes bool   // nor does how é is composed
	opensAll bool   // no mode closes a file
}

var (
	hereOnce sync.Once
	hereIs   machine
)

// here returns the properties of this machine, measured in its directory for temporary files.
func here() machine {
	hereOnce.Do(func() {
		hereIs.system = runtime.GOOS
		if runtime.GOOS == "darwin" {
			hereIs.system = "macos"
		}
		folder, err := os.MkdirTemp("", "readfirst-")
		if err != nil {
			return
		}
		defer os.RemoveAll(folder)
		leads := func(name, other string) bool {
			if os.WriteFile(filepath.Join(folder, name), nil, 0o600) != nil {
				return false
			}
			_, err := os.Lstat(filepath.Join(folder, other))
			return err == nil
		}
		hereIs.folds = leads("readfirst-a", "READFIRST-A")
		hereIs.composes = leads("readfirst-\u00e9", "readfirst-e\u0301")
		closed := filepath.Join(folder, "closed")
		if os.WriteFile(closed, nil, 0o000) == nil {
			_, err := os.ReadFile(closed)
			hereIs.opensAll = err == nil
		}
	})
	return hereIs
}

// beyond contains capabilities that this runner cannot test.
var beyond = []string{"background", "full_disk", "kill", "stop"}

// lacking returns the needs of a scenario that the implementation or this machine lacks. An implementation that opens
// one session also supports `sessions`.
func (m machine) lacking(scenario *Scenario, has []string) string {
	var missing []string
	for _, need := range scenario.Needs {
		if contains(beyond, need) || need != "sessions" && !contains(has, need) && !m.holds(need) {
			missing = append(missing, need)
		}
	}
	return strings.Join(append(missing, m.lacks(scenario)...), ", ")
}

// holds reports whether a need is the name of this platform.
func (m machine) holds(platform string) bool {
	switch platform {
	case "case-insensitive":
		return m.folds
	case "composing":
		return m.composes
	}
	return platform == m.system
}

const longest = 180 // UTF-16 units; the folders above and a path make 260

var (
	closedToWindows = regexp.MustCompile(`[<>:"|?*\\\x00-\x1f]|[. ]$`)
	device          = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
)

// lacks returns the needs of a scenario that this machine lacks, as docs/export.md lists them.
func (m machine) lacks(scenario *Scenario) []string {
	var missing []string
	add := func(is bool, what string) {
		if is && !contains(missing, what) {
			missing = append(missing, what)
		}
	}
	if m.system != "linux" {
		add(contains(scenario.Needs, "Bash"), "the commands of Linux")
	}
	windows := m.system == "windows"
	for _, need := range []string{"deny", "hooks", "permission_modes"} {
		add(windows && contains(scenario.Needs, need), "rules and commands as POSIX writes paths")
	}
	scenario.eachState(func(state *State) {
		usual := uint64(0o644)
		if state.Type == "directory" {
			usual = 0o755
		}
		mode := uint64(modeOf(state.Mode, 0))
		add(m.opensAll && state.Mode != "" && withholds(mode, state.Type), "a user to whom a mode closes files")
		add(m.opensAll && mode&0o6000 != 0, "a user whose writes clear setuid and setgid bits")
		add(windows && state.Type == "symlink", "symbolic links that anybody may make")
		add(windows && state.Mode != "" && mode != usual, "modes of files")
		add(m.system != "linux" && mode > 0o777, "modes above 0777")
		add(windows && state.Time%1000 != 0, "times finer than a microsecond")
	})
	scenario.eachEvent(func(event *Event) {
		chmod := event.Event == "chmod"
		add(m.opensAll && chmod && withholds(uint64(modeOf(event.Mode, 0)), "file"), "a user to whom a mode closes files")
		add(windows && chmod, "modes of files")
		add(windows && event.Shift%1000 != 0, "times finer than a microsecond")
	})
	if windows || m.folds || m.composes {
		m.names(scenario, add)
	}
	sort.Strings(missing)
	return missing
}

// withholds reports whether a mode denies something to the owner. Root ignores such a mode.
func withholds(mode uint64, kind string) bool {
	all := uint64(0o600)
	if kind == "directory" {
		all = 0o700
	}
	return mode&all != all
}

// names adds names that this machine cannot store, or that it treats as equal.
func (m machine) names(scenario *Scenario, add func(bool, string)) {
	own := contains(scenario.Needs, "windows")
	windows := m.system == "windows" && !own
	folds := m.folds && !own && !contains(scenario.Needs, "case-insensitive")
	composes := m.composes && !contains(scenario.Needs, "composing")
	spelled := map[string]string{}
	scenario.eachPath(func(path string) {
		add(windows && !onWindows(path), "names that Windows has not")
		add(windows && len(utf16.Encode([]rune(path))) > longest, "paths longer than 260 characters")
		isMark := func(sign rune) bool { return unicode.Is(unicode.M, sign) }
		add(composes && strings.IndexFunc(path, isMark) >= 0, "a directory that distinguishes the forms of é")
		begun := ""
		for _, part := range strings.Split(strings.TrimPrefix(path, "$WS"), "/") {
			if part == "" || part == "." {
				continue
			}
			begun += "/" + part
			key := strings.ToLower(begun)
			add(folds && spelled[key] != "" && spelled[key] != begun, "a directory that distinguishes the case of names")
			spelled[key] = begun
		}
	})
}

// onWindows reports whether a path of a scenario has the same meaning on Windows.
func onWindows(path string) bool {
	path = strings.TrimPrefix(path, "$WS/")
	if strings.HasPrefix(path, "/") || strings.Contains(path, "$WS/") {
		return false
	}
	for _, part := range strings.Split(path, "/") {
		if part != "." && part != ".." && (closedToWindows.MatchString(part) || device.MatchString(part)) {
			return false
		}
	}
	return true
}

func (s *Scenario) eachState(see func(*State)) {
	all := func(states map[string]*State) {
		for _, state := range states {
			if state != nil {
				see(state)
			}
		}
	}
	all(s.Given.Files)
	s.eachEvent(func(event *Event) {
		if event.Entry != nil {
			see(event.Entry)
		}
	})
	for index := range s.Steps {
		if expect := s.Steps[index].Expect; expect != nil {
			all(expect.Files)
		}
	}
}

func (s *Scenario) eachEvent(see func(*Event)) {
	for index := range s.Steps {
		step := &s.Steps[index]
		if step.Kind == "event" {
			see(&step.Event)
		}
		for number := range step.During {
			see(&step.During[number])
		}
	}
}

// eachPath passes the paths of files, events and calls to a function. Paths of calls are passed as they are written.
func (s *Scenario) eachPath(see func(string)) {
	all := func(states map[string]*State) {
		for path := range states {
			see(path)
		}
	}
	all(s.Given.Files)
	s.eachEvent(func(event *Event) {
		see(event.Path)
		if event.Event == "rename" {
			see(event.To)
		}
	})
	for index := range s.Steps {
		step := &s.Steps[index]
		if step.Expect != nil {
			all(step.Expect.Files)
		}
		for _, call := range step.calls() {
			given := call.given()
			for _, name := range []string{"file_path", "notebook_path"} {
				if path, is := given[name].(string); is {
					see(path)
				}
			}
		}
	}
}

// neutral replaces the paths of Windows in a text, in any spelling, by paths as in scenarios.
func neutral(text, folder, name string) string {
	text = strings.ReplaceAll(text, folder, name)
	if !strings.Contains(folder, `\`) {
		return text
	}
	for _, separator := range []string{`\\`, "/"} {
		text = strings.ReplaceAll(text, strings.ReplaceAll(folder, `\`, separator), name)
	}
	below := regexp.MustCompile(regexp.QuoteMeta(name) + `(\\+[^\s\\/:*?"<>|]+)+`)
	return below.ReplaceAllStringFunc(text, func(path string) string {
		return regexp.MustCompile(`\\+`).ReplaceAllString(path, "/")
	})
}
