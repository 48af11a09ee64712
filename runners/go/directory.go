package readfirst

import (
	"path"
	"regexp"
	"strings"
)

// word matches a word of a command with its quotes, or an operator that joins commands.
var word = regexp.MustCompile(`(?:[^` + blankRanges + `;&|"']|"[^"]*"|'[^']*')+|[;&|\n]+`)

// absolute returns arguments whose relative path is replaced by a path from `$WS/`. `directory` is relative to the
// workspace.
func absolute(given map[string]any, directory string) map[string]any {
	key := pathKey(given)
	text, _ := given[key].(string)
	if directory == "" || text == "" || strings.ContainsAny(text[:1], "/$~") {
		return given
	}
	whole := map[string]any{}
	for name, value := range given {
		whole[name] = value
	}
	whole[key] = "$WS/" + directory + "/" + text
	return whole
}

// directoryAfter returns the directory of a session after a call. Only an answered command with `cd` changes the
// directory. A `cd` to home or out of the workspace leads back to `start`; a `cd` to a missing directory has no effect.
func directoryAfter(call answered, directory, start string, after Snapshot) string {
	if call.tool != "Bash" || call.result.Refused {
		return directory
	}
	command, _ := call.given["command"].(string)
	for _, target := range directoriesIn(command) {
		wanted := path.Join(directory, target)
		if strings.HasPrefix(target, "$WS") {
			wanted = strings.TrimLeft(strings.TrimPrefix(target, "$WS"), "/")
		} else if target == "" || strings.ContainsAny(target[:1], "/~$") {
			directory = start
			continue
		}
		wanted = path.Clean(wanted)
		if strings.HasPrefix(wanted, "..") {
			directory = start
		} else if wanted == "." {
			directory = ""
		} else if place, is := followed(wanted, after); is && after[place] != nil && after[place].Type == "directory" {
			directory = place
		}
	}
	return directory
}

// beginsAt reports whether the relative path of a call, starting at a directory, names a changed file.
func beginsAt(given map[string]any, directory string, changed Snapshot) bool {
	text, _ := given[pathKey(given)].(string)
	if text == "" {
		return false
	}
	_, is := changed[path.Join(directory, text)]
	return is
}

// directoriesIn returns the argument of each `cd` at the start of a command, except in pipes, in parentheses and in the
// background.
func directoriesIn(command string) []string {
	joins := func(text string) bool { return strings.Trim(text, ";&|\n") == "" }
	words := word.FindAllString(command, -1)
	var all []string
	for at, each := range words {
		first := at == 0 || joins(words[at-1])
		apart := at > 0 && words[at-1] == "|" || at+2 < len(words) && (words[at+2] == "|" || words[at+2] == "&")
		if each != "cd" || !first || apart {
			continue
		}
		target := ""
		if at+1 < len(words) && !joins(words[at+1]) {
			target = words[at+1]
		}
		all = append(all, strings.NewReplacer(`"`, "", "'", "").Replace(target))
	}
	return all
}
