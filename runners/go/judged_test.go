package readfirst

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// judged is a task for this runner without a session: find the lines or cells that an answer shows, the harm of
// answered calls, or the directory after a command.
type judged struct {
	What, Answer, Command string
	Data, First           []byte
	Before, After         *[]byte
	Sources               []string
	Calls                 []struct {
		Tool      string
		Arguments map[string]any
	}
}

// TestJudged writes the result of each task in a file (READFIRST_JUDGED).
func TestJudged(t *testing.T) {
	name := os.Getenv("READFIRST_JUDGED")
	if name == "" {
		t.Skip("READFIRST_JUDGED names no file")
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out, err := os.Create(os.Getenv("READFIRST_VERDICTS"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	verdicts, lines := json.NewEncoder(out), bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one judged
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		verdicts.Encode(one.verdict())
	}
}

func (j *judged) verdict() any {
	switch j.What {
	case "lines":
		return shownLines(contentOf(string(j.Data)).lines(), j.Answer)
	case "cells":
		return shownCells(j.Sources, j.Answer)
	case "directories":
		return append([]string{}, directoriesIn(j.Command)...)
	}
	state := func(data *[]byte) Snapshot {
		if data == nil {
			return Snapshot{}
		}
		return Snapshot{"a": {Type: "file", Data: string(*data)}}
	}
	file := givenFile(string(j.First))
	if j.Answer != "" {
		file.show(j.Answer, true)
	}
	if j.Before != nil && string(*j.Before) != string(j.First) {
		file.put("other", string(*j.Before))
	}
	calls := &chain{name: "a"}
	for number, call := range j.Calls {
		calls.calls = append(calls.calls, answered{call.Tool, call.Arguments, &Result{}})
		calls.numbers = append(calls.numbers, number)
	}
	harms := [][]any{}
	for _, each := range madeBy(calls, file, state(j.Before), state(j.After)) {
		harms = append(harms, []any{each.number, each.kind})
	}
	return harms
}
