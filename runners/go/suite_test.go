package readfirst

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestSuite runs an export (READFIRST_SUITE) against a program that speaks the protocol `lines` (READFIRST_LINES).
//
//	READFIRST_SUITE=suite.jsonl.gz READFIRST_LINES='./my-tools' go test . -run TestSuite
//
// READFIRST_LEVEL and READFIRST_BASELINE are as for `readfirst run`; READFIRST_VERDICTS is a file for verdicts.
func TestSuite(t *testing.T) {
	path, command := os.Getenv("READFIRST_SUITE"), os.Getenv("READFIRST_LINES")
	if path == "" || command == "" {
		t.Skip("READFIRST_SUITE and READFIRST_LINES name no suite and no program")
	}
	suite, err := Load(path)
	if err != nil {
		t.Fatal(printed(err.Error()))
	}
	program := &Lines{Command: strings.Fields(command)}
	if err := program.Start(); err != nil {
		t.Fatal(printed(err.Error()))
	}
	defer program.Stop()
	options := Options{Level: os.Getenv("READFIRST_LEVEL"), Baseline: os.Getenv("READFIRST_BASELINE")}
	if name := os.Getenv("READFIRST_VERDICTS"); name != "" {
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		verdicts := json.NewEncoder(file)
		options.Report = func(verdict Verdict) { verdicts.Encode(verdict) }
	}
	Run(t, suite, program, options)
}
