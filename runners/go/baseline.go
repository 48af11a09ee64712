package readfirst

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// acceptance is one accepted failure.
type acceptance struct {
	contract, reason string
	fails            []string
	varies           bool
}

// levels are those that an entry accepts, as far as the run asks for them.
func (a *acceptance) levels(level string) map[string]bool {
	listed := map[string]bool{}
	if a == nil {
		return listed
	}
	asked := append([]string{"broken"}, Levels...)
	for index, each := range asked {
		if each == level {
			asked = asked[:index+1]
			break
		}
	}
	for _, each := range a.fails {
		if contains(asked, each) {
			listed[each] = true
		}
	}
	return listed
}

var field = regexp.MustCompile(`^(  - |    )([a-z]+): *(.*?) *$`)

// readBaseline reads what `readfirst run --update-baseline` writes: one entry for each scenario, a field a line.
func readBaseline(path, contract string) (map[string]*acceptance, error) {
	accepted := map[string]*acceptance{}
	if path == "" {
		return accepted, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	entry, id := (*acceptance)(nil), ""
	keep := func() {
		if entry != nil && (entry.contract == "" || entry.contract == contract) {
			accepted[id] = entry
		}
	}
	began := false
	for number, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "accepted:") {
			began = true
			continue
		}
		if !began && !strings.HasPrefix(line, "groups:") || line == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		found := field.FindStringSubmatch(line)
		if found == nil || (found[1] == "    " && entry == nil) {
			return nil, fmt.Errorf("%s:%d: write `  - scenario: ID`, `    fails: [LEVEL]` and `    reason: TEXT`; "+
				"groups are for readfirst itself", path, number+1)
		}
		value := strings.Trim(found[3], `"'`)
		if found[1] == "  - " {
			keep()
			entry = &acceptance{}
		}
		switch found[2] {
		case "scenario":
			id = value
		case "contract":
			entry.contract = value
		case "fails":
			for _, each := range strings.Split(strings.Trim(value, "[]"), ",") {
				entry.fails = append(entry.fails, strings.TrimSpace(each))
			}
		case "because":
			entry.varies = value == "varies"
		case "reason":
			entry.reason = value
		}
	}
	keep()
	return accepted, nil
}
