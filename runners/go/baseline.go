package readfirst

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// acceptance is one accepted failure: the lowest level that fails.
type acceptance struct {
	reason string
	level  string
	varies bool
}

// failureOrder lists failures from the worst to the mildest.
var failureOrder = append([]string{"error"}, Levels...)

// rank returns the position of a level in failureOrder.
func rank(level string) int {
	for index, each := range failureOrder {
		if each == level {
			return index
		}
	}
	return len(failureOrder)
}

var (
	began     = regexp.MustCompile(`^accepted:`)
	entryLine = regexp.MustCompile(`^  - \{(scenario|rule): ([^ ,]+), contract: "([^"]+)", level: (\w+), ` +
		`(varies: true, )?reason: "((?:[^"\\]|\\.)*)"`)
)

// readBaseline reads a file that `readfirst run --update-baseline` wrote, one entry per line. The keys are ids of
// scenarios or rules.
func readBaseline(path, contract string) (map[string]*acceptance, error) {
	accepted := map[string]*acceptance{}
	if path == "" {
		return accepted, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	inside := false
	for number, text := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		if began.MatchString(text) {
			inside = true
			continue
		}
		if !inside || text == "" || strings.HasPrefix(strings.TrimSpace(text), "#") {
			continue
		}
		found := entryLine.FindStringSubmatch(text)
		if found == nil {
			return nil, fmt.Errorf("%s:%d: this runner reads the form in which readfirst writes baselines: "+
				"`  - {scenario: ID, contract: \"NAME\", level: LEVEL, reason: \"TEXT\"}`", path, number+1)
		}
		if found[3] == contract {
			accepted[found[2]] = &acceptance{found[6], found[4], found[5] != "" || found[1] == "rule"}
		}
	}
	return accepted, nil
}
