package readfirst

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// Options are the settings of a run: level, baseline and further instances of the implementation.
type Options struct {
	Level    string // safe, effects, reason or text; text if it is empty
	Baseline string // a file of accepted failures, as readfirst writes it
	// Report gets every verdict, also those that are not judged.
	Report func(Verdict)
	// Beside are further instances of the implementation, which judge other scenarios at the same time.
	Beside []Implementation
}

// Run runs each scenario as a subtest under its id, and logs a summary by rule and class. A failure that the baseline
// accepts is skipped; an accepted failure that does not occur fails.
func Run(t *testing.T, suite *Suite, implementation Implementation, options Options) {
	if options.Level == "" {
		options.Level = "text"
	}
	baseline, err := readBaseline(options.Baseline, suite.Contract)
	if err != nil {
		t.Fatal(err)
	}
	umask()
	found := summary{level: options.Level, rules: map[string]*ruleCount{}, harms: map[string]int{}}
	judged := func(number int) Verdict { return suite.Judge(suite.Scenarios[number], implementation) }
	if len(options.Beside) > 0 {
		verdicts := suite.judged(append([]Implementation{implementation}, options.Beside...))
		judged = func(number int) Verdict { return <-verdicts[number] }
	}
	for number, scenario := range suite.Scenarios {
		number, scenario := number, scenario
		t.Run(printed(scenario.ID), func(t *testing.T) {
			verdict := judged(number)
			found.add(scenario, &verdict)
			if options.Report != nil {
				options.Report(verdict)
			}
			accepted := baseline[scenario.ID]
			if accepted == nil {
				accepted = baseline[scenario.Rule]
			}
			rule(t, scenario, &verdict, accepted, options.Level)
		})
	}
	for _, line := range found.lines() {
		t.Log(line)
	}
}

// judged returns a channel for the verdict of each scenario. Each implementation judges one scenario at a time.
func (s *Suite) judged(implementations []Implementation) []chan Verdict {
	verdicts, next := make([]chan Verdict, len(s.Scenarios)), make(chan int, len(s.Scenarios))
	for number := range s.Scenarios {
		verdicts[number] = make(chan Verdict, 1)
		next <- number
	}
	close(next)
	for _, implementation := range implementations {
		go func(implementation Implementation) {
			for number := range next {
				verdicts[number] <- s.Judge(s.Scenarios[number], implementation)
			}
		}(implementation)
	}
	return verdicts
}

// rule reports a verdict to the test.
func rule(t *testing.T, scenario *Scenario, verdict *Verdict, accepted *acceptance, level string) {
	if scenario.Disputed != "" {
		t.Skip(printed("disputed: " + scenario.Disputed))
	}
	if verdict.Status == "unsupported" {
		for _, tool := range strings.Split(verdict.Reason, ", ") {
			if level == "safe" && contains([]string{"Read", "Edit", "Write"}, tool) {
				t.Fatalf("nobody can tell that it is safe: it has no %s", tool)
			}
		}
		t.Skip(printed("unsupported: it lacks " + verdict.Reason))
	}
	failing := lowestFailure(verdict, level)
	if failing != "" && (accepted == nil || rank(failing) < rank(accepted.level)) {
		t.Fatalf("%s\n%s", printed(scenario.Title), explained(verdict))
	}
	if accepted != nil && failing != accepted.level && !accepted.varies && rank(accepted.level) <= rank(level) {
		t.Fatalf("the baseline accepts a failure at the level %s, which holds now", accepted.level)
	}
	if failing != "" {
		t.Skip(printed("accepted: " + accepted.reason))
	}
}

// lowestFailure returns the lowest level up to `level` that fails, or "error". Empty if no level fails.
func lowestFailure(verdict *Verdict, level string) string {
	if verdict.Status == "error" {
		return "error"
	}
	for _, each := range Levels {
		if !verdict.Holds(each) {
			return each
		}
		if each == level {
			break
		}
	}
	return ""
}

func explained(verdict *Verdict) string {
	if verdict.Status == "error" {
		return printed("error: " + verdict.Reason)
	}
	var lines []string
	for _, each := range verdict.Differences {
		lines = append(lines, printed(fmt.Sprintf("step %d, %s: %s", each.Step, each.Level, each.What)))
	}
	return strings.Join(lines, "\n")
}

// inLogs matches texts that CI systems interpret as commands at any position of a line.
var inLogs = regexp.MustCompile(`##(\[|vso\[|teamcity\[)`)

// printed returns a text on one line, without control characters for a terminal and commands for a CI system.
func printed(text string) string {
	var line strings.Builder
	for _, sign := range text {
		if unicode.IsPrint(sign) {
			line.WriteRune(sign)
		} else {
			line.WriteString(strings.Trim(strconv.QuoteRune(sign), "'"))
		}
	}
	return inLogs.ReplaceAllString(line.String(), `#\x23$1`)
}
