package readfirst

import (
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// cell is one of a notebook, with exact numbers.
type cell map[string]any

// slot is a cell that has to be there: as it was (`former`, nil: a new one), or, where a call named it, with another source
// and type.
type slot struct {
	former cell
	named  bool
	source string
	kind   any
}

// wantedCells have to be there, in their order, and those that have to be gone.
type wantedCells struct {
	slots   []slot
	removed []cell
}

// usualValues is what a cell that was written may have beside what was asked.
var usualValues = cell{"execution_count": nil, "outputs": []any{}, "metadata": map[string]any{}}

// wrong says by which keys a cell is not what has to be here.
func (s slot) wrong(now cell) []string {
	var wrong []string
	for _, key := range keysOf(s.former, now) {
		value, is := now[key]
		former, was := s.former[key]
		fits := is == was && reflect.DeepEqual(value, former)
		usual := reflect.DeepEqual(value, usualValues[key])
		switch {
		case s.former != nil && !s.named:
		case key == "source":
			fits = sourceOf(now) == s.source
		case key == "cell_type":
			wanted := s.kind
			if wanted == nil {
				if wanted = former; !was {
					wanted = value
				}
			}
			fits = reflect.DeepEqual(value, wanted)
		case key == "execution_count" || key == "outputs":
			fits = fits || usual || !is
		case s.former == nil:
			fits = key == "id" || usual
		}
		if !fits {
			wrong = append(wrong, key)
		}
	}
	if _, is := now["source"]; !is && (s.named || s.former == nil) {
		wrong = append(wrong, "source")
	}
	return wrong
}

func keysOf(one, other map[string]any) []string {
	var keys []string
	for key := range one {
		keys = append(keys, key)
	}
	for key := range other {
		if _, is := one[key]; !is {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys
}

// notebookHarms says what answered NotebookEdits did beyond what they asked; how the JSON is laid out does not matter.
func notebookHarms(name string, calls []map[string]any, before, after string) []found {
	former, cells := notebook(before)
	if former == nil {
		return nil
	}
	now, left := notebook(after)
	if now == nil {
		return []found{{"lost", name + ", which is no notebook any more"}}
	}
	var harms []found
	if !reflect.DeepEqual(former, now) {
		harms = append(harms, found{"spoiled", "what is beside the cells of " + name})
	}
	all := wantedCells{}
	for _, each := range cells {
		all.slots = append(all.slots, slot{former: each})
	}
	ways := []wantedCells{all}
	for _, given := range calls {
		var next []wantedCells
		for _, way := range ways {
			next = append(next, way.after(given)...)
		}
		if len(next) > 0 {
			ways = next
		}
	}
	var least []found
	for index, way := range ways {
		if tried := comparedCells(name, way, cells, left); index == 0 || len(tried) < len(least) {
			least = tried
		}
	}
	return append(harms, least...)
}

// after returns what has to be there after one more call, by each reading of the cell that it names.
func (w wantedCells) after(given map[string]any) []wantedCells {
	mode, _ := given["edit_mode"].(string)
	if mode == "" {
		mode = "replace"
	}
	source, _ := given["new_source"].(string)
	kind := given["cell_type"]
	number, isNumber := given["cell_number"].(float64)
	named := given["cell_id"]
	var ways []wantedCells
	with := func(start, end int, removed []cell, fresh ...slot) {
		slots := append(append([]slot{}, w.slots[:start]...), fresh...)
		ways = append(ways, wantedCells{append(slots, w.slots[end:]...), removed})
	}
	for _, index := range w.named(named, int(number), isNumber) {
		switch {
		case mode == "insert":
			at := index
			if !isNumber && index >= 0 {
				at++
			}
			if at < 0 {
				at = 0
			} else if at > len(w.slots) {
				at = len(w.slots)
			}
			with(at, at, w.removed, slot{nil, true, source, kind})
		case index == len(w.slots) && mode == "replace":
			with(index, index, w.removed, slot{nil, true, source, kind})
		case index >= 0 && index < len(w.slots) && mode == "delete":
			removed := append([]cell{}, w.removed...)
			if former := w.slots[index].former; former != nil {
				removed = append(removed, former)
			}
			with(index, index+1, removed)
		case index >= 0 && index < len(w.slots):
			edited := w.slots[index]
			edited.named, edited.source = true, source
			if kind != nil {
				edited.kind = kind
			}
			with(index, index+1, w.removed, edited)
		}
	}
	return ways
}

var numberedCell = regexp.MustCompile(`^cell-([0-9]{1,9})$`)

// named returns the indexes that a call may name: by a number, an id, or `cell-N`, which may be both.
func (w wantedCells) named(id any, number int, isNumber bool) []int {
	if id == nil {
		if !isNumber {
			number = -1
		}
		return []int{number}
	}
	var all []int
	for index, each := range w.slots {
		if each.former != nil && reflect.DeepEqual(each.former["id"], id) {
			all = append(all, index)
		}
	}
	text, _ := id.(string)
	if parts := numberedCell.FindStringSubmatch(text); parts != nil {
		index, _ := strconv.Atoi(parts[1])
		all = append(all, index)
	}
	return all
}

func comparedCells(name string, wanted wantedCells, former, now []cell) []found {
	same := len(wanted.slots) == len(now)
	for index := 0; same && index < len(now); index++ {
		same = len(wanted.slots[index].wrong(now[index])) == 0
	}
	switch {
	case same:
		return nil
	case reflect.DeepEqual(former, now) || len(former)+len(now) == 0:
		return []found{{"untrue", "the call was answered, and the cells of " + name + " are what they were"}}
	}
	return (&cellPairs{name, wanted, now, map[int]int{}}).harms()
}

// cellPairs are cells that have to be there beside those that are, as far as they belong together.
type cellPairs struct {
	name   string
	wanted wantedCells
	now    []cell
	pairs  map[int]int
}

func (p *cellPairs) harms() []found {
	slots, now := p.wanted.slots, p.now
	p.pair(func(each slot, cell cell) bool { return len(each.wrong(cell)) == 0 })
	if len(p.pairs) == len(slots) && len(slots) == len(now) {
		return []found{p.disorder()}
	}
	missing, extra := p.left()
	if p.editedElsewhere(missing, extra) {
		return []found{{"misplaced", "another cell of " + p.name + " was edited than the call named"}}
	}
	kept := false
	for _, at := range extra {
		kept = kept || hasCell(p.wanted.removed, now[at])
	}
	var harms []found
	if kept {
		for range missing {
			harms = append(harms, found{"lost", "a cell of " + p.name + " that the call did not name"})
		}
		if len(missing) == 0 {
			harms = append(harms, found{"untrue", "the call was answered, and the cell that it named is still in " + p.name})
		}
		return harms
	}
	p.pair(func(each slot, cell cell) bool {
		id, is := cell["id"]
		return each.former != nil && is && reflect.DeepEqual(each.former["id"], id)
	})
	p.pair(func(each slot, cell cell) bool { return each.named && sourceOf(cell) == each.source })
	p.pair(func(each slot, cell cell) bool { return each.former != nil && sourceOf(each.former) == sourceOf(cell) })
	if missing, extra = p.left(); len(missing) == len(extra) {
		for index := range missing {
			p.pairs[missing[index]] = extra[index]
		}
		missing, extra = nil, nil
	}
	for index := range slots {
		if at, is := p.pairs[index]; is {
			if wrong := slots[index].wrong(now[at]); len(wrong) > 0 {
				harms = append(harms, p.changed(slots[index], wrong))
			}
		}
	}
	for _, index := range missing {
		if slots[index].former == nil {
			harms = append(harms, found{"untrue", "the call was answered, and " + p.name + " has no new cell"})
		} else {
			harms = append(harms, found{"lost", "a cell of " + p.name + " that the call did not name"})
		}
	}
	if len(extra) > 0 {
		harms = append(harms, found{"stray", p.name + " has more cells than were asked for"})
	}
	return harms
}

// pair takes cells together that belong together, those in the same place first.
func (p *cellPairs) pair(belong func(slot, cell) bool) {
	taken := map[int]bool{}
	for _, at := range p.pairs {
		taken[at] = true
	}
	for index, each := range p.wanted.slots {
		if _, is := p.pairs[index]; is {
			continue
		}
		for step := -1; step < len(p.now); step++ {
			at := step
			if step < 0 {
				at = index
			}
			if at < len(p.now) && !taken[at] && belong(each, p.now[at]) {
				p.pairs[index], taken[at] = at, true
				break
			}
		}
	}
}

func (p *cellPairs) left() (missing, extra []int) {
	taken := map[int]bool{}
	for index := range p.wanted.slots {
		if at, is := p.pairs[index]; is {
			taken[at] = true
		} else {
			missing = append(missing, index)
		}
	}
	for at := range p.now {
		if !taken[at] {
			extra = append(extra, at)
		}
	}
	return missing, extra
}

func (p *cellPairs) disorder() found {
	var others []int
	for index, each := range p.wanted.slots {
		if each.former != nil {
			others = append(others, p.pairs[index])
		}
	}
	if sort.IntsAreSorted(others) {
		return found{"misplaced", "the new cell is in another place of " + p.name + " than was asked for"}
	}
	return found{"spoiled", "the order of the cells of " + p.name}
}

// editedElsewhere says whether another cell got what the named one was to get.
func (p *cellPairs) editedElsewhere(missing, extra []int) bool {
	others := 0
	for _, index := range missing {
		if each := p.wanted.slots[index]; !each.named || each.former == nil {
			others++
		}
	}
	for _, index := range missing {
		each := p.wanted.slots[index]
		unchanged, written := false, false
		for _, at := range extra {
			unchanged = unchanged || reflect.DeepEqual(each.former, p.now[at])
			written = written || sourceOf(p.now[at]) == each.source
		}
		if each.named && each.former != nil && unchanged && written && others > 0 {
			return true
		}
	}
	return false
}

func (p *cellPairs) changed(each slot, wrong []string) found {
	keys := "the " + strings.Join(wrong, ", ") + " of a cell of " + p.name
	source := contains(wrong, "source")
	switch {
	case !each.named && source:
		return found{"lost", keys + ", which the call did not name"}
	case each.named && (each.former == nil || source || contains(wrong, "cell_type")):
		return found{"altered", keys + ", which is not what was asked"}
	}
	return found{"spoiled", keys}
}

func hasCell(cells []cell, wanted cell) bool {
	for _, each := range cells {
		if reflect.DeepEqual(each, wanted) {
			return true
		}
	}
	return false
}

func sourceOf(fields cell) string {
	switch source := fields["source"].(type) {
	case string:
		return source
	case []any:
		whole := ""
		for _, each := range source {
			text, _ := each.(string)
			whole += text
		}
		return whole
	}
	return ""
}
