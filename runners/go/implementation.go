package readfirst

import "encoding/json"

// Result is what the model sees of one call.
type Result struct {
	Text      string   `json:"text"`
	Refused   bool     `json:"refused"`
	Error     string   `json:"error"`
	Reminders []string `json:"reminders"`
}

// Request is one call as an implementation gets it.
type Request struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Opening is what a session knows of where it works.
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

// Implementation is what is tested. An error of any method means that it broke: a refusal is a Result.
type Implementation interface {
	// Capabilities names tools and what docs/protocol.md lists beside them.
	Capabilities() []string
	// Open starts a session in which nothing was read.
	Open(Opening) (Session, error)
}

// Session is one conversation. Without a capability its method is never called.
type Session interface {
	Call(Request) (Result, error)
	Close() error
}

// RacingSession can let something happen between validation and execution (capability "during").
type RacingSession interface {
	CallDuring(Request, func()) (Result, error)
}

// InterruptibleSession takes calls that end early (capabilities "cancel" and "cut"). The second argument says how:
// "cancelled": the function runs between validation and execution, and then the call is given up. "cut" and "limit":
// the arguments are only the beginning of a JSON text.
type InterruptibleSession interface {
	CallInterrupted(Request, string, func()) (Result, error)
}

// ParallelSession executes the calls of one message (capability "parallel").
type ParallelSession interface {
	CallParallel([]Request) ([]Result, error)
}

// LivingSession has what happens to conversations: resume, compact, rewind, mention (with a path) and agent.
type LivingSession interface {
	Happen(event, path string) error
	SubAgent() (Session, error)
}
