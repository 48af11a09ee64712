package readfirst

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// wanted is the required state of a path: as the scenario states it, or as an earlier snapshot contains it.
type wanted struct {
	stated *State
	seen   *Entry
}

func (w wanted) gone() bool { return w.stated == nil && w.seen == nil }

func (j *judge) files(expected map[string]*State, done *outcome) {
	changed := changes(done.before, done.after)
	all := map[string]wanted{}
	for path, entry := range done.world {
		all[path] = wanted{seen: entry}
	}
	for path, state := range expected {
		all[path] = wanted{stated: state}
	}
	parents := map[string]bool{}
	for name, each := range all {
		if !each.gone() {
			for folder := path.Dir(name); folder != "." && folder != "/"; folder = path.Dir(folder) {
				parents[folder] = true
			}
		}
	}
	for name, got := range changed {
		if _, stated := all[name]; stated {
			continue
		}
		if implied := parents[name] && done.before[name] == nil && got != nil && got.Type == "directory"; !implied {
			j.note("effects", "%s changed, and should not", name)
		}
	}
	for name, each := range all {
		got := done.after[name]
		former := done.before[name]
		if entry, ours := done.world[name]; ours {
			former = entry
		}
		if problem := each.differs(got, former); problem != "" {
			j.note("effects", "%s: %s", name, problem)
		}
	}
}

func (w wanted) differs(got, former *Entry) string {
	if w.gone() || got == nil {
		if w.gone() && got == nil {
			return ""
		}
		return "is there, or is gone"
	}
	if w.seen != nil {
		if w.seen.Type == got.Type && w.seen.Data == got.Data && w.seen.Target == got.Target {
			return sameMode(w.seen.Mode, got)
		}
		return "is not as it was made"
	}
	state := w.stated
	if state.Type != got.Type {
		return fmt.Sprintf("is a %s, not a %s", got.Type, state.Type)
	}
	switch state.Type {
	case "symlink":
		if state.Target != got.Target {
			return "leads to " + got.Target
		}
		return ""
	case "file":
		if state.SHA256 != "" {
			if digest := sha256.Sum256([]byte(got.Data)); hex.EncodeToString(digest[:]) != state.SHA256 || len(got.Data) != state.Size {
				return "has another digest"
			}
		} else if string(state.Bytes()) != got.Data {
			return fmt.Sprintf("holds %.500q", got.Data)
		}
	}
	if state.Mode != "" {
		return sameMode(modeOf(state.Mode, 0), got)
	}
	if former != nil && former.Type == got.Type {
		return sameMode(former.Mode, got)
	}
	return ""
}

func sameMode(mode fs.FileMode, got *Entry) string {
	if mode != got.Mode && got.Type != "symlink" {
		return fmt.Sprintf("has the mode %o", got.Mode)
	}
	return ""
}

// untouched notes files that were written although their content stayed the same.
func (j *judge) untouched(expected map[string]*State, calls []Call, done *outcome) {
	after := names(done.after)
	written := map[string]bool{}
	for _, call := range calls {
		if reads(call.Tool) || call.Expect.Refused {
			continue
		}
		paths := meant(call.given(), done.before)
		if len(paths) == 0 {
			return
		}
		for _, each := range paths {
			written[each] = true
			for _, other := range after[each] {
				written[other] = true
			}
		}
	}
	for name := range done.touched {
		if _, stated := expected[name]; !stated && !written[name] {
			j.note("effects", "%s was written or replaced, and holds what it held", name)
		}
	}
}

// reads reports whether a tool only shows a file.
func reads(tool string) bool {
	return tool == "Read" || tool == "NotebookRead"
}

// meant returns the paths of a snapshot that a call may name, with all links resolved.
func meant(given map[string]any, state Snapshot) []string {
	value, is := given["file_path"]
	if !is {
		value = given["notebook_path"]
	}
	text, is := value.(string)
	if !is {
		return nil
	}
	var paths []string
	if here, found := followed(path.Clean(strings.TrimLeft(strings.TrimPrefix(filepath.ToSlash(text), "$WS"), "/")), state); found {
		paths = append(paths, here)
	}
	if strings.HasPrefix(text, "~/") {
		paths = append(paths, "$HOME/"+path.Clean(text[2:]))
	}
	return paths
}

func followed(name string, state Snapshot) (string, bool) {
	for links := 0; links < 40; links++ {
		parts := strings.Split(name, "/")
		link, end := (*Entry)(nil), 0
		for end = 1; end <= len(parts); end++ {
			if each := state[strings.Join(parts[:end], "/")]; each != nil && each.Type == "symlink" {
				link = each
				break
			}
		}
		if link == nil {
			return name, true
		}
		start := path.Dir(strings.Join(parts[:end], "/"))
		if strings.HasPrefix(link.Target, "$WS") {
			start = ""
		}
		target := strings.TrimLeft(strings.TrimPrefix(link.Target, "$WS"), "/")
		name = path.Clean(path.Join(append([]string{start, target}, parts[end:]...)...))
	}
	return "", false
}

// names notes hard links that are missing or unexpected.
func (j *judge) names(expected map[string]*State, done *outcome) {
	before, after := names(done.start), names(done.after)
	reported := map[string]bool{}
	for path, entry := range changes(done.before, done.after) {
		if entry == nil {
			reported[path] = true
		}
	}
	gone := map[string]bool{}
	for path := range reported {
		gone[path] = true
	}
	var all []string
	for path := range before {
		all = append(all, path)
	}
	for path := range after {
		if before[path] == nil {
			all = append(all, path)
		}
	}
	sort.Strings(all)
	for _, path := range all {
		if reported[path] {
			continue
		}
		shared, got := before[path], after[path]
		if shared == nil {
			shared = []string{path}
		}
		if got == nil {
			got = []string{path}
		}
		var wanted []string
		for _, name := range shared {
			if !gone[name] && alike(expected, path, name) {
				wanted = append(wanted, name)
			}
		}
		if strings.Join(wanted, "\x00") != strings.Join(got, "\x00") {
			for _, name := range append(wanted, got...) {
				reported[name] = true
			}
			j.note("effects", "%s is one file with %q, expected %q", path, got, wanted)
		}
	}
}

func alike(expected map[string]*State, one, other string) bool {
	first, stated := expected[one]
	second, too := expected[other]
	if !stated || !too {
		return one == other || (!stated && !too)
	}
	if first == nil || second == nil {
		return first == second
	}
	if first.Type == "file" && second.Type == "file" && first.SHA256 == "" && second.SHA256 == "" {
		return string(first.Bytes()) == string(second.Bytes())
	}
	return first.Type == second.Type && first.SHA256 == second.SHA256 && first.Size == second.Size &&
		first.Mode == second.Mode && first.Target == second.Target
}
