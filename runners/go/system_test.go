package readfirst

import (
	"encoding/json"
	"os"
	"testing"
)

// TestMachine writes the needs of each scenario of an export (READFIRST_SUITE) that a given machine (READFIRST_MACHINE)
// lacks.
func TestMachine(t *testing.T) {
	described := os.Getenv("READFIRST_MACHINE")
	if described == "" {
		t.Skip("READFIRST_MACHINE describes no machine")
	}
	var other struct {
		System                    string
		Folds, Composes, OpensAll bool
		Capabilities              []string
	}
	if err := json.Unmarshal([]byte(described), &other); err != nil {
		t.Fatal(err)
	}
	suite, err := Load(os.Getenv("READFIRST_SUITE"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(os.Getenv("READFIRST_VERDICTS"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	there, lines := machine{other.System, other.Folds, other.Composes, other.OpensAll}, json.NewEncoder(file)
	for _, scenario := range suite.Scenarios {
		lines.Encode([]string{scenario.ID, there.lacking(scenario, other.Capabilities)})
	}
}

func TestPathsOfWindowsAreWrittenAsInScenarios(t *testing.T) {
	for text, wanted := range map[string]string{
		`C:\a\s\w\docs\notes.txt is there`:     `$WS/docs/notes.txt is there`,
		`C:\a\s\w/docs/notes.txt`:              `$WS/docs/notes.txt`,
		`C:/a/s/w/docs`:                        `$WS/docs`,
		`{"path": "C:\\a\\s\\w\\docs\\n.txt"}`: `{"path": "$WS/docs/n.txt"}`,
		`C:\a\s\other and a\b`:                 `C:\a\s\other and a\b`,
	} {
		if got := neutral(text, `C:\a\s\w`, "$WS"); got != wanted {
			t.Errorf("%s: %s", text, got)
		}
	}
}
