// Package readfirst runs an exported suite of readfirst against an implementation; docs/export.md is what it follows.
package readfirst

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Suite is the content of an export.
type Suite struct {
	Version         string      `json:"suite"`
	Format          int         `json:"format"`
	Contract        string      `json:"contract"`
	OuterWhitespace string      `json:"outer_whitespace"`
	Errors          []ErrorName `json:"errors"`
	Late            []string    `json:"errors_of_execution"`
	Scenarios       []*Scenario
}

// ErrorName is one reason of a refusal, and the messages that identify the reason.
type ErrorName struct {
	Name  string
	Forms []Form
}

// Form is one message; {word} matches any text.
type Form struct {
	Text  string
	Tools []string
}

// Scenario is one test: a workspace, steps, and expected results.
type Scenario struct {
	ID       string
	Title    string
	Rule     string
	Class    string
	Disputed string
	Law      bool
	Needs    []string
	Given    Given
	Steps    []Step
	Courses  []string
	Harms    []Harm
}

// Harm is a harm that the contract does; Step and Call count from 1.
type Harm struct {
	Step, Call int
	Kind, Path string
}

// Shown maps files to ranges of lines or cells that an answer shows. A range is its first and last number, counted from
// 1.
type Shown map[string][][2]int

// Given is the workspace before the first step, and the settings of the session.
type Given struct {
	Files       map[string]*State
	Deny        []string
	Reminders   bool
	Hooks       []GivenHook
	Permissions *Permissions
}

// Hook is a command that runs before or after calls.
type Hook struct {
	Event   string `json:"event"`
	Matcher string `json:"matcher"`
	Command string `json:"command"`
}

// GivenHook is a hook with its effect on calls, which the implementation does not receive.
type GivenHook struct {
	Hook
	Refuses  bool
	Replaces map[string]any
	Writes   []string
}

// Permissions are the actions that a session may perform without asking.
type Permissions struct {
	Mode       string   `json:"mode"`
	Allow      []string `json:"allow"`
	Directory  string   `json:"working_directory"`
	Additional []string `json:"additional_directories"`
}

// Content describes the bytes of a file.
type Content struct {
	UTF8   *string  `json:"utf8"`
	Base64 *string  `json:"base64"`
	Repeat *Content `json:"repeat"`
	Times  int      `json:"times"`
}

// State is the expected or given state of a path.
type State struct {
	Content
	Type   string
	Mode   string
	Time   int64 `json:"mtime_ns"`
	Target string
	To     string
	SHA256 string
	Size   int
}

// Call is one call of a tool.
type Call struct {
	Tool      string
	Arguments json.RawMessage
	During    []Event
	Expect    *Expect
}

// Event is a change of the workspace by another program.
type Event struct {
	Event string
	Path  string
	To    string
	Mode  string
	Entry *State
	Shift int64 `json:"mtime_shift_ns"`
}

// Step is a call, a group of calls, an event of the workspace, or an event of the session.
type Step struct {
	Kind string
	Call
	Calls []Call
	Event
	Interrupted string // what ends the call early
	Begun       string // its arguments as JSON, as far as they came
}

// Expect is the expected result of a call or a step.
type Expect struct {
	Judge     string
	Refused   bool
	Error     string
	Text      *Text
	Files     map[string]*State
	Reminders []*Text

	Shows         Shown
	ShowsCells    Shown `json:"shows_cells"`
	RemindersShow Shown `json:"reminders_show"`
}

// Text is an expected text, or the description of a longer text.
type Text struct {
	Whole  *string
	SHA256 *string
	Lines  *int
	Starts *string
	Ends   *string
}

// UnmarshalJSON reads a string or an object.
func (t *Text) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &t.Whole)
	}
	type described Text
	return json.Unmarshal(data, (*described)(t))
}

// Bytes returns the bytes that a content describes.
func (c *Content) Bytes() []byte {
	switch {
	case c.UTF8 != nil:
		return []byte(*c.UTF8)
	case c.Base64 != nil:
		data, _ := base64.StdEncoding.DecodeString(*c.Base64)
		return data
	case c.Repeat != nil:
		return repeated(c.Repeat.Bytes(), c.Times)
	}
	return nil
}

func repeated(unit []byte, times int) []byte {
	parts := bytes.Split(unit, []byte("{n}"))
	if len(parts) == 1 {
		return bytes.Repeat(unit, times)
	}
	var all bytes.Buffer
	for number := 1; number <= times; number++ {
		all.Write(bytes.Join(parts, []byte(strconv.Itoa(number))))
	}
	return all.Bytes()
}

// given returns the arguments of a call, with `$WS` replaced by the path of the workspace.
func (c *Call) given() map[string]any {
	given := map[string]any{}
	json.Unmarshal(c.arguments("$WS"), &given)
	return given
}

// arguments returns the arguments of a call as JSON, for a workspace.
func (c *Call) arguments(root string) json.RawMessage {
	raw := inJSON(c.Arguments, root)
	if !bytes.Contains(raw, []byte(`"repeat"`)) {
		return raw
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return raw
	}
	expanded, _ := json.Marshal(expand(value))
	return expanded
}

// inJSON replaces `$WS` by a path in a JSON text.
func inJSON(text json.RawMessage, root string) json.RawMessage {
	quoted, _ := json.Marshal(root)
	return bytes.ReplaceAll(text, []byte("$WS"), quoted[1:len(quoted)-1])
}

func expand(value any) any {
	switch value := value.(type) {
	case []any:
		for index := range value {
			value[index] = expand(value[index])
		}
	case map[string]any:
		unit, isText := value["repeat"].(string)
		times, isNumber := value["times"].(json.Number)
		if count, err := strconv.Atoi(string(times)); len(value) == 2 && isText && isNumber && err == nil {
			return string(repeated([]byte(unit), count))
		}
		for key := range value {
			value[key] = expand(value[key])
		}
	}
	return value
}

// eventsKnown and turnsKnown are the events of docs/export.md. This runner does not support mount, unmount, git and background.
var (
	eventsKnown = strings.Fields("modify touch delete rename chmod symlink mkdir mount unmount git")
	turnsKnown  = strings.Fields("resume compact rewind mention agent end other back background")
)

// unknown returns an error for a kind of step or event that this runner does not support.
func (s *Scenario) unknown() error {
	for index := range s.Steps {
		step := &s.Steps[index]
		if !contains([]string{"call", "parallel", "event", "session"}, step.Kind) {
			return fmt.Errorf("%s: this runner knows no step %q", s.ID, step.Kind)
		}
		events := append([]Event{}, step.During...)
		if step.Kind == "event" {
			events = append(events, step.Event)
		}
		for _, call := range step.Calls {
			events = append(events, call.During...)
		}
		for _, event := range events {
			if !contains(eventsKnown, event.Event) {
				return fmt.Errorf("%s: this runner knows no event %q", s.ID, event.Event)
			}
		}
		if step.Kind == "session" && !contains(turnsKnown, step.Event.Event) {
			return fmt.Errorf("%s: this runner knows no event of a session %q", s.ID, step.Event.Event)
		}
	}
	return nil
}

// Load reads an export, which may be compressed.
func Load(path string) (*Suite, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var stream io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if stream, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	suite, ended := &Suite{}, false
	lines := bufio.NewReaderSize(stream, 1<<20)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		var kind struct {
			Type      string
			Scenarios int
		}
		if err = json.Unmarshal(line, &kind); err == nil {
			switch kind.Type {
			case "header":
				err = json.Unmarshal(line, suite)
			case "scenario":
				scenario := &Scenario{}
				if err = json.Unmarshal(line, scenario); err == nil {
					err = scenario.unknown()
				}
				suite.Scenarios = append(suite.Scenarios, scenario)
			case "end":
				ended = kind.Scenarios == len(suite.Scenarios)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if suite.Format != 4 {
		return nil, fmt.Errorf("%s: this runner reads format 4, not %d", path, suite.Format)
	}
	if !ended {
		return nil, fmt.Errorf("%s: the export is cut off", path)
	}
	return suite, nil
}
