package readfirst

import (
	"fmt"
	"sort"
	"strings"
)

var classes = []string{"safety", "design", "wording", "quirk", "no class"}

var harmKinds = []string{"lost", "misplaced", "spoiled", "altered", "stray", "untrue", "trespass", "blind"}

const mostRules = 20

// summary counts verdicts: the rules that hold in each class, and the rules that do not hold, those with harm first.
type summary struct {
	level string
	rules map[string]*ruleCount
	harms map[string]int
}

type ruleCount struct {
	name, class, shortest string
	judged, failing       int
	steps                 int // of the shortest scenario that fails
	harmful               bool
}

// add counts a judged verdict. A scenario without a rule counts for a rule with the name of its family.
func (s *summary) add(scenario *Scenario, verdict *Verdict) {
	if verdict.Status == "unsupported" || scenario.Disputed != "" {
		return
	}
	name, class := scenario.Rule, scenario.Class
	if name == "" {
		name = strings.SplitN(scenario.ID, "/", 2)[0] + "/*"
	}
	if class == "" {
		class = "no class"
	}
	rule := s.rules[name]
	if rule == nil {
		rule = &ruleCount{name: name, class: class}
		s.rules[name] = rule
	}
	rule.judged++
	if verdict.Status == "judged" && verdict.Holds(s.level) {
		return
	}
	rule.failing++
	if rule.shortest == "" || len(scenario.Steps) < rule.steps {
		rule.shortest, rule.steps = scenario.ID, len(scenario.Steps)
	}
	rule.harmful = rule.harmful || !verdict.Holds("safe")
	kinds := map[string]bool{}
	for _, each := range verdict.Differences {
		if each.Level == "safe" {
			kinds[strings.SplitN(each.What, ":", 2)[0]] = true
		}
	}
	for kind := range kinds {
		s.harms[kind]++
	}
}

// lines returns the lines of the summary.
func (s *summary) lines() []string {
	var harms []string
	for _, kind := range harmKinds {
		if s.harms[kind] > 0 {
			harms = append(harms, fmt.Sprintf("%s %d", kind, s.harms[kind]))
		}
	}
	if harms == nil {
		harms = []string{"none"}
	}
	lines := []string{"harm, by failing scenarios: " + strings.Join(harms, ", ")}
	var failing []*ruleCount
	for _, class := range classes {
		all, holding := 0, 0
		for _, rule := range s.rules {
			if rule.class != class {
				continue
			}
			all++
			if rule.failing == 0 {
				holding++
			} else {
				failing = append(failing, rule)
			}
		}
		if all > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d of %d rules hold at the level %s", class, holding, all, s.level))
		}
	}
	sort.Slice(failing, func(i, j int) bool { return failing[i].place() < failing[j].place() })
	for number, rule := range failing {
		if number == mostRules {
			lines = append(lines, fmt.Sprintf("%d more rules do not hold", len(failing)-mostRules))
			break
		}
		class := rule.class
		if rule.harmful {
			class += ", harm"
		}
		text := fmt.Sprintf("%d/%d fail: %s (%s), shortest: %s", rule.failing, rule.judged, rule.name, class, rule.shortest)
		lines = append(lines, text)
	}
	for number, line := range lines {
		lines[number] = printed(line)
	}
	return lines
}

// place sorts rules: harm first, then by class, then by the number of failures.
func (r *ruleCount) place() string {
	harm, class := 1, len(classes)
	if r.harmful {
		harm = 0
	}
	for number, name := range classes {
		if name == r.class {
			class = number
		}
	}
	return fmt.Sprintf("%d %d %09d %s", harm, class, 999999999-r.failing, r.name)
}
