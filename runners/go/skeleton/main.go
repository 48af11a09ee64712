// Skeleton: three file tools that speak the protocol of docs/protocol.md, to be filled in.
//
//	readfirst run 'lines:go run ./skeleton' --level effects
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// Call is one call of a tool by the model.
type Call struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// Request has the fields of all requests of the harness; each kind of request uses some of them.
type Request struct {
	ID      int    `json:"id"`
	Do      string `json:"do"`
	Session int    `json:"session"`
	Root    string `json:"root"`
	Pause   bool   `json:"pause"`
	Calls   []Call `json:"calls"`
	Call
}

// Refusal is the answer to a call that was not executed: its text, and its name in fixtures/errors.yaml.
type Refusal struct{ Text, Name string }

func (r Refusal) Error() string { return r.Text }

// Session is one conversation. It remembers the files that were read.
type Session struct {
	root string
	seen map[string]string
}

func (s *Session) path(call Call) string {
	path, _ := call.Arguments["file_path"].(string)
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.root, path)
	}
	return filepath.Clean(path)
}

// validate refuses a call before anything is changed.
func (s *Session) validate(call Call) error {
	path := s.path(call)
	data, err := os.ReadFile(path)
	seen, known := s.seen[path]
	switch {
	case err != nil && call.Tool != "Write":
		return Refusal{"File does not exist.", "file_not_found"}
	case err != nil || call.Tool == "Read":
		return nil
	case !known:
		return Refusal{"File has not been read yet. Read it first before writing to it.", "not_read"}
	case seen != string(data):
		return Refusal{"File has been modified since read. Read it again.", "modified_since_read"}
	}
	return nil
}

// execute performs a validated call, and returns the text for the model.
func (s *Session) execute(call Call) (string, error) {
	path := s.path(call)
	text := func(name string) string { value, _ := call.Arguments[name].(string); return value }
	content := text("content")
	switch call.Tool {
	case "Read":
		data, err := os.ReadFile(path)
		s.seen[path] = string(data)
		return string(data), err
	case "Edit":
		before, after, found := strings.Cut(s.seen[path], text("old_string"))
		if !found {
			return "", Refusal{"String to replace not found in file.", "string_not_found"}
		}
		content = before + text("new_string") + after
	}
	s.seen[path] = content
	return "The file " + path + " has been updated.", os.WriteFile(path, []byte(content), 0o644)
}

// perform validates and executes a call. `between`, if it is not nil, is called between the two.
func (s *Session) perform(call Call, between func() error) map[string]any {
	err := s.validate(call)
	if err == nil && between != nil {
		err = between()
	}
	if err == nil {
		var text string
		if text, err = s.execute(call); err == nil {
			return map[string]any{"text": text, "refused": false}
		}
	}
	refusal, _ := err.(Refusal)
	return map[string]any{"text": err.Error(), "refused": true, "error": refusal.Name}
}

func main() {
	asked, answers := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	sessions := map[int]*Session{}
	for {
		var request Request
		if asked.Decode(&request) != nil {
			return
		}
		answer, session := map[string]any{}, sessions[request.Session]
		switch request.Do {
		case "hello":
			able := strings.Fields("Read Edit Write parallel during cancel cut")
			answer = map[string]any{"protocol": 1, "name": "skeleton", "capabilities": able}
		case "open":
			sessions[request.Session] = &Session{request.Root, map[string]string{}}
		case "call":
			pause := func() error {
				answers.Encode(map[string]any{"id": request.ID, "validated": true})
				if asked.Decode(&request); request.Do == "cancel" { // else "go"
					return Refusal{"The call was given up.", "cancelled"}
				}
				return session.validate(request.Call)
			}
			if !request.Pause {
				pause = nil
			}
			answer = session.perform(request.Call, pause)
		case "cut":
			answer = map[string]any{"text": "No answer.", "refused": true, "error": "no_answer"}
		case "calls":
			results := []any{}
			for _, call := range request.Calls {
				results = append(results, session.perform(call, nil))
			}
			answer["results"] = results
		case "close":
			delete(sessions, request.Session)
		default:
			answer["problem"] = "there is no " + request.Do + " here"
		}
		answer["id"] = request.ID
		answers.Encode(answer)
	}
}
