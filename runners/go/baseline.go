package readfirst

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// acceptance is one accepted failure.
type acceptance struct {
	reason string
	fails  []string
	varies bool
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

var (
	field  = regexp.MustCompile(`^(  - |    )([a-z]+): *(.*?) *$`)
	family = regexp.MustCompile(`^      ([^ :]+): \[(.*)$`)
	more   = regexp.MustCompile(`^        ([^ ].*)$`)
)

// entry is one entry, or a group of them, as the file has it.
type entry struct {
	fields map[string]string
	ids    []string
}

// readBaseline reads what `readfirst run --update-baseline` writes: a field a line, and a list for each family of a group.
func readBaseline(path, contract string) (map[string]*acceptance, error) {
	accepted := map[string]*acceptance{}
	if path == "" {
		return accepted, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var entries []*entry
	began, folder := false, ""
	for number, line := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		if strings.HasPrefix(line, "accepted:") || strings.HasPrefix(line, "groups:") {
			began = true
			continue
		}
		if !began || line == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		found := field.FindStringSubmatch(line)
		if found != nil && found[1] == "  - " {
			entries = append(entries, &entry{fields: map[string]string{}})
		}
		slugs := ""
		if list := family.FindStringSubmatch(line); list != nil {
			folder, slugs = list[1], list[2]
		} else if list := more.FindStringSubmatch(line); list != nil && folder != "" {
			slugs = list[1]
		} else if found == nil {
			slugs = "-"
		}
		if len(entries) == 0 || slugs == "-" {
			return nil, fmt.Errorf("%s:%d: this runner reads the form in which readfirst writes baselines: "+
				"`  - scenario: ID`, `    fails: [LEVEL]`, `    reason: TEXT`", path, number+1)
		}
		last := entries[len(entries)-1]
		if found != nil {
			last.fields[found[2]] = strings.Trim(found[3], `"'`)
		}
		for _, slug := range listed(slugs) {
			last.ids = append(last.ids, folder+"/"+slug)
		}
	}
	for _, each := range entries {
		if of := each.fields["contract"]; of != "" && of != contract {
			continue
		}
		if id := each.fields["scenario"]; id != "" {
			each.ids = append(each.ids, id)
		}
		for _, id := range each.ids {
			accepted[id] = &acceptance{each.fields["reason"], listed(each.fields["fails"]), each.fields["because"] == "varies"}
		}
	}
	return accepted, nil
}

// listed returns the words of a list, or of a line of one.
func listed(text string) []string {
	var words []string
	for _, each := range strings.Split(strings.Trim(text, "[] "), ",") {
		if word := strings.Trim(each, ` "'`); word != "" {
			words = append(words, word)
		}
	}
	return words
}
