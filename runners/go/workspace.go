package readfirst

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

const oldTime = 1577836800 * int64(time.Second)

// Entry is the state of a path in a snapshot.
type Entry struct {
	Type   string // file, directory, symlink, or what cannot be read
	Mode   fs.FileMode
	Data   string
	Target string
	inode  uint64
	names  uint64
	time   int64
}

func (e *Entry) equal(other *Entry) bool {
	if e == nil || other == nil {
		return e == other
	}
	return e.Type == other.Type && e.Mode == other.Mode && e.Data == other.Data && e.Target == other.Target
}

// Snapshot maps paths to their entries.
type Snapshot map[string]*Entry

// Place is the directory in which one scenario runs.
type Place struct {
	base, Root, Home string
}

func newPlace() (*Place, error) {
	base, err := os.MkdirTemp("", "readfirst-")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	place := &Place{base, filepath.Join(base, "s", "w"), filepath.Join(base, "h")}
	for _, folder := range []string{filepath.Dir(place.Root), place.Root, place.Home} {
		if err == nil {
			err = os.Mkdir(folder, 0o755)
		}
	}
	return place, err
}

func (p *Place) remove() {
	filepath.WalkDir(p.base, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(p.base)
}

func modeOf(digits string, usual fs.FileMode) fs.FileMode {
	value, err := strconv.ParseUint(digits, 8, 32)
	if err != nil {
		return usual
	}
	return fs.FileMode(value)
}

func setTime(path string, nanoseconds int64) error {
	moment := time.Unix(0, nanoseconds)
	return os.Chtimes(path, moment, moment)
}

func (p *Place) layOut(files map[string]*State) error {
	folders := map[string]fs.FileMode{"": 0o755}
	var links []string
	above := func(path string) {
		for end := strings.LastIndex(path, "/"); end > 0; end = strings.LastIndex(path[:end], "/") {
			if _, known := folders[path[:end]]; !known {
				folders[path[:end]] = 0o755
			}
		}
	}
	for path, state := range files {
		if !isPlain(path) {
			return fmt.Errorf("%s: %w", path, errOutside)
		}
		above(path)
		switch state.Type {
		case "directory":
			folders[path] = modeOf(state.Mode, 0o755)
			if err := p.makeFolder(path); err != nil {
				return err
			}
		case "hardlink":
			links = append(links, path)
		default:
			if err := p.create(path, state); err != nil {
				return err
			}
			if state.Type == "file" {
				if err := setTime(p.Root+"/"+path, state.Time); err != nil {
					return err
				}
			}
		}
	}
	for _, path := range links {
		err := p.makeFolderOf(files[path].To)
		if err == nil {
			err = p.makeFolderOf(path)
		}
		if err == nil {
			err = os.Link(p.Root+"/"+files[path].To, p.Root+"/"+path)
		}
		if err != nil {
			return err
		}
	}
	names := make([]string, 0, len(folders))
	for path := range folders {
		names = append(names, path)
	}
	sort.Sort(sort.Reverse(sort.StringSlice(names)))
	for _, path := range names {
		if err := setTime(p.Root+"/"+path, oldTime); err != nil {
			return err
		}
		if err := chmod(p.Root+"/"+path, folders[path]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Place) create(path string, state *State) error {
	target := p.Root + "/" + path
	if err := p.makeFolderOf(path); err != nil {
		return err
	}
	switch state.Type {
	case "symlink":
		return os.Symlink(strings.ReplaceAll(state.Target, "$WS", p.Root), target)
	case "directory":
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		return chmod(target, modeOf(state.Mode, 0o755))
	}
	file, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err = file.Write(state.Bytes()); err != nil {
		return err
	}
	return chmod(target, modeOf(state.Mode, 0o644))
}

var (
	errOutside = errors.New("it leads out of the workspace")
	errUnkept  = errors.New("a folder that keeps what is laid out in it")
)

// isPlain reports whether a path of an export is relative, without '.', '..' and empty parts.
func isPlain(path string) bool {
	for _, part := range strings.Split(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// makeFolder creates a directory in the workspace. A path of an untrusted export, or a link, must not lead out of the
// workspace.
func (p *Place) makeFolder(path string) error {
	if !isPlain(path) {
		return fmt.Errorf("%s: %w", path, errOutside)
	}
	folder := p.Root + "/" + path
	there := folder
	for {
		err := p.inside(there)
		if err == nil {
			return os.MkdirAll(folder, 0o755)
		}
		if !errors.Is(err, fs.ErrNotExist) || there == p.Root {
			return fmt.Errorf("%s: %w", path, err)
		}
		there = filepath.Dir(there)
	}
}

// makeFolderOf creates the directory of a path.
func (p *Place) makeFolderOf(path string) error {
	if !isPlain(path) {
		return fmt.Errorf("%s: %w", path, errOutside)
	}
	if end := strings.LastIndex(path, "/"); end > 0 {
		return p.makeFolder(path[:end])
	}
	return nil
}

func (p *Place) inside(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err == nil && real != p.Root && !strings.HasPrefix(real, p.Root+string(filepath.Separator)) {
		return errOutside
	}
	return err
}

// perform performs an event. An error means that the event is impossible in the current workspace.
func (p *Place) perform(event Event) error {
	if err := p.performed(event); err != nil {
		return fmt.Errorf("cannot %s %s: %w", event.Event, event.Path, err)
	}
	return nil
}

func (p *Place) performed(event Event) error {
	target := p.Root + "/" + event.Path
	if !isPlain(event.Path) || (event.Event == "rename" && !isPlain(event.To)) {
		return errOutside
	}
	if err := p.inside(filepath.Dir(target)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch event.Event {
	case "modify":
		return p.modify(event, target)
	case "delete":
		if _, err := os.Lstat(target); err != nil {
			return err
		}
		return os.RemoveAll(target)
	case "rename":
		to := p.Root + "/" + event.To
		if err := p.inside(filepath.Dir(to)); err != nil {
			return err
		}
		return os.Rename(target, to)
	case "symlink", "mkdir":
		if info, err := os.Lstat(target); err == nil && !info.IsDir() {
			os.Remove(target)
		}
		return p.create(event.Path, event.Entry)
	}
	if err := p.inside(target); err != nil {
		return err
	}
	switch event.Event {
	case "chmod":
		return chmod(target, modeOf(event.Mode, 0))
	case "touch":
		info, err := os.Stat(target)
		if err != nil {
			return err
		}
		return setTime(target, info.ModTime().UnixNano()+event.Shift)
	}
	return errors.New("this runner cannot do that")
}

func (p *Place) modify(event Event, target string) error {
	_, err := os.Lstat(target)
	if event.Entry.Type != "file" {
		os.Remove(target)
		return p.create(event.Path, event.Entry)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := p.create(event.Path, event.Entry); err != nil {
			return err
		}
		return setTime(target, oldTime+event.Shift)
	}
	if err := p.inside(target); err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	mode := modeIn(info)
	if mode&0o200 == 0 {
		chmod(target, mode|0o200)
	}
	file, err := os.OpenFile(target, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(event.Entry.Bytes())
	file.Close()
	if err != nil {
		return err
	}
	if err := chmod(target, modeOf(event.Entry.Mode, mode)); err != nil {
		return err
	}
	return setTime(target, info.ModTime().UnixNano()+event.Shift)
}

// unkept describes a given file that the directory does not store as required, for example without its mode. Empty if
// there is none.
func unkept(files map[string]*State, root string, found Snapshot) string {
	for name, state := range files {
		entry := found[name]
		if state.Type == "hardlink" {
			state = files[state.To]
		}
		switch {
		case entry == nil || state == nil || entry.Type != state.Type:
			return name
		case state.Type == "symlink" && strings.ReplaceAll(entry.Target, "$WS", root) != strings.ReplaceAll(state.Target, "$WS", root),
			state.Type != "symlink" && entry.Mode != modeOf(state.Mode, 0o755),
			state.Type == "file" && entry.Data != string(state.Bytes()),
			state.Type == "file" && (entry.time < state.Time || entry.time >= state.Time+1000):
			return name
		}
	}
	return ""
}

func ownState(name string) bool {
	switch name {
	case ".npm", ".cache", ".config", ".local":
		return true
	}
	return strings.HasPrefix(name, ".claude")
}

func (p *Place) snapshot() (Snapshot, error) {
	found := Snapshot{}
	info, err := os.Lstat(p.Root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found["."] = &Entry{Type: "missing"}
	case err != nil:
		return nil, err
	case !info.IsDir():
		found["."] = &Entry{Type: "no directory"}
	default:
		if err := p.scan(p.Root, "", func(string) bool { return true }, found); err != nil {
			return nil, err
		}
	}
	if err := p.scan(p.base, "../../", func(name string) bool { return name != "s" && name != "h" }, found); err != nil {
		return nil, err
	}
	if err := p.scan(p.base+"/s", "../", func(name string) bool { return name != "w" }, found); err != nil {
		return nil, err
	}
	return found, p.scan(p.Home, "$HOME/", func(name string) bool { return !ownState(name) }, found)
}

func (p *Place) scan(folder, prefix string, takes func(string) bool, found Snapshot) error {
	listed, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrPermission) {
		info, failed := os.Lstat(folder)
		if failed != nil {
			return failed
		}
		mode := modeIn(info)
		chmod(folder, mode|0o700)
		defer chmod(folder, mode)
		listed, err = os.ReadDir(folder)
	}
	if err != nil {
		return err
	}
	for _, each := range listed {
		if !takes(each.Name()) {
			continue
		}
		path := folder + "/" + each.Name()
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrPermission) {
			mode := fs.FileMode(0)
			if own, failed := os.Lstat(folder); failed == nil {
				mode = modeIn(own)
			}
			chmod(folder, mode|0o700)
			defer chmod(folder, mode)
			info, err = os.Lstat(path)
		}
		if err != nil {
			return err
		}
		entry := &Entry{Mode: modeIn(info)}
		found[prefix+each.Name()] = entry
		switch {
		case info.IsDir():
			entry.Type = "directory"
			if err := p.scan(path, prefix+each.Name()+"/", func(string) bool { return true }, found); err != nil {
				return err
			}
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			if target == p.Root || strings.HasPrefix(target, p.Root+"/") {
				target = "$WS" + target[len(p.Root):]
			}
			*entry = Entry{Type: "symlink", Target: target}
		case info.Mode().IsRegular():
			data, err := readAnyway(path, entry.Mode)
			if err != nil {
				return err
			}
			*entry = Entry{Type: "file", Mode: entry.Mode, Data: string(data), time: info.ModTime().UnixNano()}
			if entry.inode, entry.names, err = identity(path, info); err != nil {
				return err
			}
		default:
			*entry = Entry{Type: info.Mode().Type().String()}
		}
	}
	return nil
}

func readAnyway(path string, mode fs.FileMode) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) {
		chmod(path, mode|0o400)
		data, err = os.ReadFile(path)
		chmod(path, mode)
	}
	return data, err
}

// changes returns the differing entries; nil for a path that no longer exists.
func changes(before, after Snapshot) Snapshot {
	found := Snapshot{}
	for path, entry := range after {
		if !entry.equal(before[path]) {
			found[path] = entry
		}
	}
	for path := range before {
		if _, there := after[path]; !there {
			found[path] = nil
		}
	}
	return found
}
