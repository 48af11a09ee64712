package readfirst

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

var mcpTools = []string{"Read", "Edit", "Write", "MultiEdit", "NotebookRead", "NotebookEdit", "Bash"}

// Mcp is an MCP server over standard input and output: a process for each session, started in its workspace. $WS and $HOME
// in words of the command become the directories of the session; words that name files here, their absolute paths.
type Mcp struct {
	Command []string
	Limit   time.Duration // per call; 30 s if it is zero

	names []string
}

type rpc struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Start asks a server which tools it offers.
func (m *Mcp) Start() error {
	directory, err := os.MkdirTemp("", "readfirst-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	session, err := m.open(directory, directory)
	if err != nil {
		return err
	}
	defer session.Close()
	var offer struct{ Tools []struct{ Name string } }
	if err := session.ask("tools/list", map[string]any{}, &offer); err != nil {
		return err
	}
	m.names = []string{"parallel", "sessions"}
	for _, tool := range offer.Tools {
		if contains(mcpTools, tool.Name) {
			m.names = append(m.names, tool.Name)
		}
	}
	if len(m.names) == 2 {
		return fmt.Errorf("the server offers no tool called %s: wrap it in an Implementation that renames, without Start; runners/README.md has an example", strings.Join(mcpTools, ", "))
	}
	return nil
}

// Stop does nothing: each session ends its server.
func (m *Mcp) Stop() {}

// Capabilities are the tools that the server offers, and what every server can do.
func (m *Mcp) Capabilities() []string { return m.names }

// Open starts a server in the workspace.
func (m *Mcp) Open(opening Opening) (Session, error) { return m.open(opening.Root, opening.Home) }

func (m *Mcp) open(root, home string) (*mcpSession, error) {
	words := make([]string, len(m.Command))
	for number, word := range m.Command {
		if path, err := filepath.Abs(word); err == nil && (number > 0 || strings.Contains(word, "/")) {
			if _, err := os.Stat(path); err == nil {
				word = path
			}
		}
		words[number] = strings.NewReplacer("$WS", root, "$HOME", home).Replace(word)
	}
	limit := m.Limit
	if limit == 0 {
		limit = 30 * time.Second
	}
	session := &mcpSession{limit: limit, process: exec.Command(words[0], words[1:]...), answers: make(chan []byte)}
	session.process.Dir, session.process.Env = root, append(os.Environ(), "HOME="+home)
	session.process.Stderr = &session.errors
	var err error
	if session.input, err = session.process.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := session.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := session.process.Start(); err != nil {
		return nil, err
	}
	go readLines(output, session.answers)
	hello := map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "readfirst", "version": "1"}}
	if err := session.ask("initialize", hello, nil); err != nil {
		session.Close()
		return nil, err
	}
	return session, session.send(rpc{Method: "notifications/initialized"})
}

type mcpSession struct {
	process *exec.Cmd
	input   io.WriteCloser
	answers chan []byte
	errors  bytes.Buffer
	limit   time.Duration
	number  int
}

func (s *mcpSession) send(message rpc) error {
	message.JSONRPC = "2.0"
	line, err := json.Marshal(message)
	if err == nil {
		_, err = s.input.Write(append(line, '\n'))
	}
	return err
}

// exchange sends requests, and returns the answers in their order.
func (s *mcpSession) exchange(method string, params []any) ([]rpc, error) {
	first := s.number + 1
	for _, each := range params {
		s.number++
		number := s.number
		if err := s.send(rpc{ID: &number, Method: method, Params: each}); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, s.errors.String())
		}
	}
	answers, late := make([]rpc, len(params)), time.NewTimer(s.limit)
	defer late.Stop()
	for left := len(params); left > 0; {
		select {
		case <-late.C:
			s.process.Process.Kill()
			return nil, fmt.Errorf("%s took longer than %v", method, s.limit)
		case line, there := <-s.answers:
			if !there {
				return nil, fmt.Errorf("the server ended\n%s", s.errors.String())
			}
			var message rpc
			if err := json.Unmarshal(line, &message); err != nil {
				s.process.Process.Kill()
				return nil, fmt.Errorf("the server wrote something that is not an MCP message: %.200s", line)
			}
			switch {
			case message.ID == nil: // a notification
			case message.Method == "ping":
				s.send(rpc{ID: message.ID, Result: json.RawMessage("{}")})
			case message.Method != "":
				s.send(rpc{ID: message.ID, Error: &rpcError{-32601, "Method not found: " + message.Method}})
			case *message.ID >= first && *message.ID < first+len(answers):
				answers[*message.ID-first] = message
				left--
			}
		}
	}
	return answers, nil
}

func (s *mcpSession) ask(method string, params, result any) error {
	answers, err := s.exchange(method, []any{params})
	if err != nil {
		return err
	}
	if answers[0].Error != nil {
		return fmt.Errorf("the server refuses %s: %s", method, answers[0].Error.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answers[0].Result, result)
}

// Call executes one call.
func (s *mcpSession) Call(call Request) (Result, error) {
	results, err := s.CallParallel([]Request{call})
	if err != nil {
		return Result{}, err
	}
	return results[0], nil
}

// CallParallel sends all calls before the first answer.
func (s *mcpSession) CallParallel(calls []Request) ([]Result, error) {
	var params []any
	for _, call := range calls {
		params = append(params, map[string]any{"name": call.Tool, "arguments": call.Arguments})
	}
	answers, err := s.exchange("tools/call", params)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(answers))
	for number, answer := range answers {
		if answer.Error != nil {
			results[number] = Result{Text: answer.Error.Message, Refused: true}
			continue
		}
		var result struct {
			IsError bool
			Content []struct {
				Type string
				Text *string
			}
		}
		if err := json.Unmarshal(answer.Result, &result); err != nil {
			return nil, err
		}
		var texts []string
		for _, block := range result.Content {
			if block.Text != nil {
				texts = append(texts, *block.Text)
			} else {
				texts = append(texts, "["+block.Type+"]")
			}
		}
		results[number] = Result{Text: strings.Join(texts, "\n"), Refused: result.IsError}
	}
	return results, nil
}

// Close ends the server.
func (s *mcpSession) Close() error {
	s.input.Close()
	ended := time.AfterFunc(time.Second, func() { s.process.Process.Kill() })
	defer ended.Stop()
	for range s.answers {
	}
	s.process.Wait()
	return nil
}

// readLines sends each line of a stream, and closes the channel at its end.
func readLines(stream io.Reader, lines chan<- []byte) {
	reader := bufio.NewReaderSize(stream, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			close(lines)
			return
		}
		lines <- line
	}
}
