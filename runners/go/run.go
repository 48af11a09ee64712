package readfirst

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Options say how strictly a suite is run.
type Options struct {
	Level    string // safe, effects, reason or text; text if it is empty
	Baseline string // a file of accepted failures, as readfirst writes it
	// Report gets every verdict, also those that are not judged.
	Report func(Verdict)
}

// Run shows each scenario as a subtest under its id. A failure that the baseline accepts is skipped, and one that it
// accepts in vain fails.
func Run(t *testing.T, suite *Suite, implementation Implementation, options Options) {
	if options.Level == "" {
		options.Level = "text"
	}
	baseline, err := readBaseline(options.Baseline, suite.Contract)
	if err != nil {
		t.Fatal(err)
	}
	syscall.Umask(0o022)
	for _, scenario := range suite.Scenarios {
		scenario := scenario
		t.Run(scenario.ID, func(t *testing.T) {
			verdict := suite.Judge(scenario, implementation)
			if options.Report != nil {
				options.Report(verdict)
			}
			rule(t, scenario, &verdict, baseline[scenario.ID], options.Level)
		})
	}
}

// rule says what a verdict means for the test.
func rule(t *testing.T, scenario *Scenario, verdict *Verdict, accepted *acceptance, level string) {
	if scenario.Disputed != "" {
		t.Skipf("disputed: %s", scenario.Disputed)
	}
	if verdict.Status == "unsupported" {
		for _, tool := range strings.Split(verdict.Reason, ", ") {
			if level == "safe" && contains([]string{"Read", "Edit", "Write"}, tool) {
				t.Fatalf("nobody can tell that it is safe: it has no %s", tool)
			}
		}
		t.Skipf("unsupported: the implementation lacks %s", verdict.Reason)
	}
	failing := map[string]bool{}
	if verdict.Status == "broken" {
		failing["broken"] = true
	} else {
		for _, each := range Levels {
			failing[each] = !verdict.Holds(each)
			if each == level {
				break
			}
		}
	}
	listed := accepted.levels(level)
	for name, fails := range failing {
		if fails && !listed[name] {
			t.Fatalf("%s\n%s", scenario.Title, explained(verdict))
		}
	}
	for name := range listed {
		if !failing[name] && !accepted.varies {
			t.Fatalf("the baseline accepts a failure at the level %s, which holds now", name)
		}
	}
	if len(listed) > 0 {
		t.Skipf("accepted: %s", accepted.reason)
	}
}

func explained(verdict *Verdict) string {
	if verdict.Status == "broken" {
		return "broken: " + verdict.Reason
	}
	var lines []string
	for _, each := range verdict.Differences {
		lines = append(lines, fmt.Sprintf("step %d, %s: %s", each.Step, each.Level, each.What))
	}
	return strings.Join(lines, "\n")
}

var (
	rightsOnce sync.Once
	rights     bool
)

// readsAnything says whether this process opens files that nobody may.
func readsAnything() bool {
	rightsOnce.Do(func() {
		file := filepath.Join(os.TempDir(), fmt.Sprintf("readfirst-rights-%d", os.Getpid()))
		defer os.Remove(file)
		if os.WriteFile(file, nil, 0o000) == nil {
			_, err := os.ReadFile(file)
			rights = err == nil
		}
	})
	return rights
}
