package readfirst

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// program is an implementation that is started and stopped.
type program interface {
	Implementation
	Start() error
	Stop()
}

// TestSuite runs an export (READFIRST_SUITE) against a program that speaks the protocol `lines` (READFIRST_LINES) or MCP
// (READFIRST_MCP).
//
//	READFIRST_SUITE=suite.jsonl.gz READFIRST_LINES='./my-tools' go test . -run TestSuite
//
// READFIRST_LEVEL and READFIRST_BASELINE are as for `readfirst run`; READFIRST_JOBS programs judge scenarios side by side;
// READFIRST_VERDICTS is a file for verdicts.
func TestSuite(t *testing.T) {
	path, lines, mcp := os.Getenv("READFIRST_SUITE"), os.Getenv("READFIRST_LINES"), os.Getenv("READFIRST_MCP")
	if path == "" || lines+mcp == "" {
		t.Skip("READFIRST_SUITE and READFIRST_LINES name no suite and no program")
	}
	suite, err := Load(path)
	if err != nil {
		t.Fatal(printed(err.Error()))
	}
	jobs, _ := strconv.Atoi(os.Getenv("READFIRST_JOBS"))
	var programs []Implementation
	for len(programs) < jobs || len(programs) == 0 {
		var started program = &Lines{Command: strings.Fields(lines)}
		if lines == "" {
			started = &Mcp{Command: strings.Fields(mcp)}
		}
		if err := started.Start(); err != nil {
			t.Fatal(printed(err.Error()))
		}
		defer started.Stop()
		programs = append(programs, started)
	}
	options := Options{Level: os.Getenv("READFIRST_LEVEL"), Baseline: os.Getenv("READFIRST_BASELINE"), Beside: programs[1:]}
	if name := os.Getenv("READFIRST_VERDICTS"); name != "" {
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		verdicts := json.NewEncoder(file)
		options.Report = func(verdict Verdict) { verdicts.Encode(verdict) }
	}
	Run(t, suite, programs[0], options)
}
