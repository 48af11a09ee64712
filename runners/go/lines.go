package readfirst

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Lines is a program that speaks the protocol of docs/protocol.md. The program is started at its first use.
type Lines struct {
	Command []string
	Limit   time.Duration // per call; 30 s if it is zero

	names    []string
	process  *exec.Cmd
	input    io.WriteCloser
	answers  chan []byte
	errors   bytes.Buffer
	requests int
	sessions int
}

type message map[string]any

type answer struct {
	ID           *int
	Problem      string
	Validated    bool
	Protocol     int
	Capabilities []string
	Text         *string `json:"text"`
	Results      []Result
	Result
}

// Start starts the program, and reads its capabilities.
func (l *Lines) Start() error {
	if l.process != nil {
		return nil
	}
	if l.Limit == 0 {
		l.Limit = 30 * time.Second
	}
	process := exec.Command(l.Command[0], l.Command[1:]...)
	input, err := process.StdinPipe()
	if err != nil {
		return err
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	l.errors.Reset()
	process.Stderr = &l.errors
	if err := process.Start(); err != nil {
		return err
	}
	l.process, l.input, l.answers = process, input, make(chan []byte)
	go readLines(output, l.answers)
	hello, err := l.ask(message{"do": "hello", "protocol": 1}, nil, "go")
	if err == nil && hello.Protocol != 1 {
		err = fmt.Errorf("the program speaks protocol %d", hello.Protocol)
	}
	if err != nil {
		l.Stop()
		return err
	}
	l.names = hello.Capabilities
	return nil
}

// Stop ends the program.
func (l *Lines) Stop() {
	if l.process == nil {
		return
	}
	l.input.Close()
	ended := time.AfterFunc(time.Second, func() { l.process.Process.Kill() })
	for range l.answers {
	}
	l.process.Wait()
	ended.Stop()
	l.process = nil
}

// Capabilities are those that the program named.
func (l *Lines) Capabilities() []string { return l.names }

// Open starts a session, and the program if it has ended.
func (l *Lines) Open(opening Opening) (Session, error) {
	if err := l.Start(); err != nil {
		return nil, err
	}
	l.sessions++
	session := &linesSession{l, l.sessions}
	_, err := session.ask(message{
		"do": "open", "root": opening.Root, "home": opening.Home, "needs": opening.Needs, "deny": opening.Deny,
		"hooks": opening.Hooks, "permissions": opening.Permissions,
	}, nil, "go")
	return session, err
}

func (l *Lines) ask(request message, interfere func(), then string) (*answer, error) {
	l.requests++
	request["id"] = l.requests
	got, err := l.exchange(request)
	if err == nil && got.Validated && interfere != nil {
		interfere()
		got, err = l.exchange(message{"id": l.requests, "do": then})
	}
	if err != nil {
		l.Stop()
		return nil, fmt.Errorf("%w\n%s", err, l.errors.String())
	}
	if got.Problem != "" {
		return nil, fmt.Errorf("the program has a problem: %s", got.Problem)
	}
	return got, nil
}

func (l *Lines) exchange(request message) (*answer, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	go l.input.Write(append(line, '\n'))
	late := time.NewTimer(l.Limit)
	defer late.Stop()
	select {
	case line, there := <-l.answers:
		if !there {
			return nil, fmt.Errorf("the program ended")
		}
		got := &answer{}
		if err := json.Unmarshal(line, got); err != nil {
			return nil, fmt.Errorf("the program wrote something that is not an answer: %.200s", line)
		}
		if got.ID == nil || *got.ID != request["id"] {
			return nil, fmt.Errorf("the program answered another request: %.200s", line)
		}
		return got, nil
	case <-late.C:
		l.process.Process.Kill()
		return nil, fmt.Errorf("%v took longer than %v", request["do"], l.Limit)
	}
}

type linesSession struct {
	program *Lines
	number  int
}

func (s *linesSession) ask(request message, interfere func(), then string) (*answer, error) {
	if s.program.process == nil {
		return nil, fmt.Errorf("the program had already ended")
	}
	request["session"] = s.number
	return s.program.ask(request, interfere, then)
}

func (s *linesSession) call(call Request, interfere func()) (Result, error) {
	request := message{"do": "call", "tool": call.Tool, "arguments": call.Arguments}
	if interfere != nil {
		request["pause"] = true
	}
	return s.result(request, interfere, "go")
}

func (s *linesSession) result(request message, interfere func(), then string) (Result, error) {
	got, err := s.ask(request, interfere, then)
	if err != nil {
		return Result{}, err
	}
	if got.Text == nil {
		return Result{}, fmt.Errorf("the program's answer has no text")
	}
	got.Result.Text = *got.Text
	return got.Result, nil
}

func (s *linesSession) Call(call Request) (Result, error) { return s.call(call, nil) }

func (s *linesSession) CallDuring(call Request, interfere func()) (Result, error) {
	return s.call(call, interfere)
}

func (s *linesSession) CallInterrupted(call Request, how string, interfere func()) (Result, error) {
	if how != "cancelled" {
		return s.result(message{"do": "cut", "tool": call.Tool, "text": string(call.Arguments), "by": how}, nil, "go")
	}
	request := message{"do": "call", "tool": call.Tool, "arguments": call.Arguments, "pause": true, "ends": how}
	return s.result(request, interfere, "cancel")
}

func (s *linesSession) CallParallel(calls []Request) ([]Result, error) {
	got, err := s.ask(message{"do": "calls", "calls": calls}, nil, "go")
	if err != nil {
		return nil, err
	}
	return got.Results, nil
}

func (s *linesSession) Happen(event, path string) error {
	request := message{"do": event}
	if path != "" {
		request["path"] = path
	}
	_, err := s.ask(request, nil, "go")
	return err
}

func (s *linesSession) SubAgent() (Session, error) {
	s.program.sessions++
	agent := &linesSession{s.program, s.program.sessions}
	_, err := s.ask(message{"do": "agent", "agent": agent.number}, nil, "go")
	return agent, err
}

func (s *linesSession) Close() error {
	if s.program.process == nil {
		return nil
	}
	_, err := s.ask(message{"do": "close"}, nil, "go")
	return err
}
