package readfirst

import "encoding/json"

// Result is the answer of one call, as the model sees it.
type Result struct {
	Text      string   `json:"text"`
	Refused   bool     `json:"refused"`
	Error     string   `json:"error"`
	Reminders []string `json:"reminders"`
}

// Request is one call, as an implementation receives it.
type Request struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Opening describes the environment of a session: its directories and its rules.
type Opening struct {
	Root        string              `json:"root"`
	Home        string              `json:"home"`
	Needs       []string            `json:"needs"`
	Deny        []string            `json:"deny"`
	Hooks       []Hook              `json:"hooks"`
	Permissions *GrantedPermissions `json:"permissions"`
}

// GrantedPermissions are Permissions with absolute directories.
type GrantedPermissions struct {
	Mode       string   `json:"mode"`
	Directory  string   `json:"directory"`
	Allow      []string `json:"allow"`
	Additional []string `json:"additional"`
}

// Implementation is the program under test. An error of a method means that the implementation broke; a refusal is a
// Result, not an error.
type Implementation interface {
	// Capabilities names tools and what docs/protocol.md lists beside them.
	Capabilities() []string
	// Open starts a session in which nothing was read.
	Open(Opening) (Session, error)
}

// Session is one conversation. A method is called only if the implementation declares its capability.
type Session interface {
	Call(Request) (Result, error)
	Close() error
}

// RacingSession calls a function between validation and execution (capability "during").
type RacingSession interface {
	CallDuring(Request, func()) (Result, error)
}

// InterruptibleSession supports calls that end early (capabilities "cancel" and "cut"). The second argument is the
// kind. "cancelled": call the function between validation and execution, then cancel the call. "cut", "limit": the
// arguments are only the beginning of a JSON text.
type InterruptibleSession interface {
	CallInterrupted(Request, string, func()) (Result, error)
}

// ParallelSession executes the calls of one message (capability "parallel").
type ParallelSession interface {
	CallParallel([]Request) ([]Result, error)
}

// LivingSession supports events of a conversation: resume, compact, rewind, mention (with a path) and agent.
type LivingSession interface {
	Happen(event, path string) error
	SubAgent() (Session, error)
}
