package readfirst

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mark        = "\ufeff" // which some tools show in front of the first line
	blankRanges = `\t\n\v\f\r\x1c-\x1f \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
	quotes      = "'\"`"
	prefixes    = "bBrRuUfF" // of strings
	cellEnds    = "|│┃║"
)

var (
	colour        = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)
	entity        = regexp.MustCompile(`&(?:(lt|gt|amp|quot|apos|nbsp)|#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6}));`)
	entities      = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'", "nbsp": "\u00a0"}
	heading       = regexp.MustCompile(`^[A-Z][A-Za-z ]{0,40}: `) // in front of the first shown line, on the same line
	openingTag    = regexp.MustCompile(`[` + blankRanges + `]*<[A-Za-z_][A-Za-z_-]*>`)
	closingTag    = regexp.MustCompile(`</[A-Za-z_][A-Za-z0-9_-]*>$`)
	escapedBytes  = regexp.MustCompile(`(?:\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2})+`)
	escapedByte   = regexp.MustCompile(`\\x(..)|\\([0-7]{3})`)
	escaped       = regexp.MustCompile(`\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|([0-7]{3})|(.))`)
	shortEscapes  = map[string]string{"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "0": "\x00"}
	visible       = strings.NewReplacer("·", " ", "␣", " ", "␠", " ", "␉", "\t", "⇥", "\t")
	besideStrings = regexp.MustCompile(`^(?:[^\p{L}\p{Nl}\p{No}]|[` + prefixes + `])*$`)
	lineBreaks    = regexp.MustCompile(`\r\n|[\n\r\v\f\x1c-\x1e\x{85}\x{2028}\x{2029}]`)
)

// readers are functions that read a line of an answer in one form, each with the signs of which the line must contain
// one.
var readers = []struct {
	signs []string
	read  func(string) []string
}{
	{[]string{"<"}, func(said string) []string {
		return []string{replaceEntities(closingTag.ReplaceAllString(openingTag.ReplaceAllString(said, ""), ""))}
	}},
	{[]string{": "}, func(said string) []string { return []string{withoutHeading(said)} }},
	{[]string{"&"}, func(said string) []string { return []string{replaceEntities(said)} }},
	{strings.Split(quotes, ""), func(said string) []string { return unquoted(said, true) }},
	{strings.Split(quotes, ""), func(said string) []string { return unquoted(said, false) }},
	{[]string{`\`}, func(said string) []string { return splitLines(unescaped(said)) }},
	{strings.Split(cellEnds, ""), func(said string) []string { return []string{withoutFrame(said)} }},
	{[]string{"$"}, func(said string) []string { return []string{strings.TrimSuffix(said, "$")} }},
	{[]string{"^M$"}, func(said string) []string { return []string{strings.TrimSuffix(said, "^M$")} }},
}

// readAnswer passes the lines of an answer to `take`, read in one form after the other, the most probable first, until
// `take` returns true. A line that is already explained is not read in further forms.
func readAnswer(answer string, explained map[string]bool, take func([]string) bool) {
	answer = strings.ReplaceAll(answer, mark, "")
	plain := splitLines(answer)
	if take(plain) {
		return
	}
	if quoted := stringsOfJSON(answer); len(quoted) > 0 {
		take(quoted)
		return
	}
	if strings.Contains(answer, "\x1b[") {
		bare := make([]string, len(plain))
		for index, said := range plain {
			bare[index] = withoutHeading(said)
		}
		if take(bare) {
			return
		}
		for index, said := range plain {
			plain[index] = colour.ReplaceAllString(said, "")
		}
		if take(plain) {
			return
		}
	}
	for _, reader := range readers {
		left, has := false, false
		for _, said := range plain {
			if !explained[said] && !isBlank(said) {
				left, has = true, has || containsOne(said, reader.signs)
			}
		}
		if !left {
			return
		}
		if !has {
			continue
		}
		var read []string
		for _, said := range plain {
			if explained[said] || isBlank(said) {
				read = append(read, said)
			} else {
				read = append(read, reader.read(said)...)
			}
		}
		if take(read) {
			return
		}
	}
	if !isASCII(answer) {
		for index, said := range plain {
			plain[index] = visible.Replace(strings.TrimRight(said, "↵¶␊␍⏎↩"))
		}
		take(plain)
	}
}

func containsOne(text string, signs []string) bool {
	for _, sign := range signs {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(sign rune) bool { return sign > 127 }) < 0
}

func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	for index, line := range lines {
		lines[index] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// formsOfLine returns the texts that represent a line, without whitespace at the end: as decoders convert invalid
// bytes, as `cat -A` and `cat -v` print it, and with spaces or arrows instead of tabs.
func formsOfLine(line string) map[string]bool {
	plain := strings.ReplaceAll(line, mark, "")
	shown := asShown(plain)
	forms := []string{line, plain, shown}
	for _, each := range []string{line, plain} {
		forms = append(forms, withCarets(each, ""), withCarets(each, "\t"))
	}
	if strings.Contains(plain, "\t") {
		for _, each := range []string{"  ", "    ", "        ", "→", "→   ", "^I", "␉", "»"} {
			forms = append(forms, strings.ReplaceAll(shown, "\t", each))
		}
		for _, size := range []int{8, 4} {
			for width := 0; width < size; width++ {
				forms = append(forms, expandTabs(shown, width, size))
			}
		}
	}
	all := map[string]bool{}
	for _, each := range forms {
		all[strings.TrimRight(each, whitespace)] = true
	}
	return all
}

// asShown returns a line as an answer can contain it: each invalid byte is one replacement character.
func asShown(text string) string {
	var shown strings.Builder
	for at := 0; at < len(text); {
		one, size := utf8.DecodeRuneInString(text[at:])
		if _, is := half(text[at:]); is {
			size = 3
		} else if one == utf8.RuneError && size == 1 {
			size = started(text[at:])
		}
		shown.WriteRune(one)
		at += size
	}
	return strings.TrimSuffix(shown.String(), "\r")
}

// started returns the number of bytes of an incomplete character.
func started(text string) int {
	size := 1
	for size < len(text) && !utf8.FullRuneInString(text[:size+1]) {
		size++
	}
	return size
}

// withCarets returns a line as `cat -A` prints it: `^I` for a tab, `M-C` and similar texts for bytes beyond ASCII.
func withCarets(line, keep string) string {
	var written strings.Builder
	for at := 0; at < len(line); at++ {
		each := line[at]
		if _, is := half(line[at:]); is {
			each = '?'
			at += 2
		}
		if strings.IndexByte(keep, each) >= 0 {
			written.WriteByte(each)
			continue
		}
		if each > 127 {
			written.WriteString("M-")
			each &= 127
		}
		if each < 32 || each == 127 {
			written.WriteByte('^')
			each ^= 64
		}
		written.WriteByte(each)
	}
	return written.String()
}

// expandTabs replaces tabs by spaces in a text that starts at a column.
func expandTabs(text string, column, size int) string {
	var wide strings.Builder
	for _, sign := range text {
		switch sign {
		case '\t':
			spaces := size - column%size
			wide.WriteString(strings.Repeat(" ", spaces))
			column += spaces
			continue
		case '\n', '\r':
			column = -1
		}
		wide.WriteRune(sign)
		column++
	}
	return wide.String()
}

// signOf returns the character with a number. Half of a surrogate pair is represented by three bytes.
func signOf(number int64) string {
	if number >= 0xd800 && number < 0xe000 {
		return string([]byte{0xe0 | byte(number>>12), 0x80 | byte(number>>6)&0x3f, 0x80 | byte(number)&0x3f})
	}
	return string(rune(number))
}

func replaceEntities(text string) string {
	return entity.ReplaceAllStringFunc(text, func(found string) string {
		parts := entity.FindStringSubmatch(found)
		if parts[1] != "" {
			return entities[parts[1]]
		}
		number, _ := strconv.ParseInt(parts[2], 10, 64)
		if parts[3] != "" {
			number, _ = strconv.ParseInt(parts[3], 16, 64)
		}
		if number > unicode.MaxRune {
			return found
		}
		return signOf(number)
	})
}

// unescaped returns a text with each escape of Python, C or JSON replaced by its meaning.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var written strings.Builder
	at := 0
	for _, found := range escapedBytes.FindAllStringIndex(text, -1) {
		written.WriteString(escaped.ReplaceAllStringFunc(text[at:found[0]], meaning))
		var data []byte
		for _, each := range escapedByte.FindAllStringSubmatch(text[found[0]:found[1]], -1) {
			digits, base := each[1], 16
			if digits == "" {
				digits, base = each[2], 8
			}
			value, _ := strconv.ParseUint(digits, base, 8)
			data = append(data, byte(value))
		}
		if utf8.Valid(data) {
			written.Write(data)
		} else {
			for _, each := range data {
				written.WriteRune(rune(each))
			}
		}
		at = found[1]
	}
	written.WriteString(escaped.ReplaceAllStringFunc(text[at:], meaning))
	return joined(written.String())
}

func meaning(found string) string {
	parts := escaped.FindStringSubmatch(found)
	for _, digits := range parts[1:5] {
		if digits != "" {
			if number, _ := strconv.ParseInt(digits, 16, 64); number <= unicode.MaxRune {
				return signOf(number)
			}
			return found
		}
	}
	if parts[5] != "" {
		number, _ := strconv.ParseInt(parts[5], 8, 64)
		return signOf(number)
	}
	if short, is := shortEscapes[parts[6]]; is {
		return short
	}
	return parts[6]
}

// joined replaces both halves of each surrogate pair by their character.
func joined(text string) string {
	if !strings.Contains(text, "\xed") {
		return text
	}
	var whole strings.Builder
	for at := 0; at < len(text); at++ {
		high, is := half(text[at:])
		if is && high < 0xdc00 {
			if low, is := half(text[at+3:]); is && low >= 0xdc00 {
				whole.WriteRune((high-0xd800)<<10 + low - 0xdc00 + 0x10000)
				at += 5
				continue
			}
		}
		whole.WriteByte(text[at])
	}
	return whole.String()
}

// unquoted returns the lines of the quoted texts in a line of an answer. The line itself if it is not a list of quoted
// texts. A single quoted text at the end of the line keeps the text before it.
func unquoted(said string, escapes bool) []string {
	quoted, beside, label := splitAtQuotes([]rune(said), escapes)
	switch {
	case len(quoted) == 0 || !besideStrings.MatchString(beside[len(label):]):
		return []string{said}
	case len(quoted) == 1:
		return splitLines(label + quoted[0])
	case !besideStrings.MatchString(label):
		return []string{said}
	}
	var lines []string
	for _, each := range quoted {
		lines = append(lines, splitLines(each)...)
	}
	return lines
}

// splitAtQuotes returns the quoted texts of a line, the text outside them, and the part of this text before the first
// quote.
func splitAtQuotes(said []rune, escapes bool) (quoted []string, beside, label string) {
	before := func(at int) rune {
		if at < 0 {
			return ' '
		}
		return said[at]
	}
	var outside strings.Builder
	for at := 0; at < len(said); {
		quote, former := said[at], before(at-1)
		prefix := strings.ContainsRune(prefixes, former)
		opens := !isAlnum(former) || prefix && !isAlnum(before(at-2))
		end := -1
		if opens && strings.ContainsRune(quotes, quote) {
			end = endOfString(said, at, escapes)
		}
		if end < 0 {
			outside.WriteRune(quote)
			at++
			continue
		}
		if len(quoted) == 0 {
			label = outside.String()
			if prefix {
				label = strings.TrimSuffix(label, string(former))
			}
		}
		body := strings.ReplaceAll(string(said[at+1:end]), string([]rune{quote, quote}), string(quote))
		if escapes {
			body = unescaped(body)
		}
		quoted = append(quoted, body)
		at = end + 1
	}
	return quoted, outside.String(), label
}

// endOfString returns the position of the quote that closes the quote at `start`. Doubled and escaped quotes do not
// close it. -1 if no quote does.
func endOfString(said []rune, start int, escapes bool) int {
	quote, at := said[start], start+1
	is := func(at int) bool { return at < len(said) && said[at] == quote }
	if is(at) && !is(at+1) {
		return at
	}
	for at < len(said) {
		switch {
		case said[at] == '\\' && escapes, is(at) && is(at+1):
			at += 2
		case is(at):
			return at
		default:
			at++
		}
	}
	return -1
}

func isAlnum(sign rune) bool { return unicode.IsLetter(sign) || unicode.IsNumber(sign) }

func withoutHeading(said string) string { return heading.ReplaceAllString(said, "") }

func withoutFrame(said string) string {
	bare := strings.TrimRight(said, whitespace)
	for _, end := range strings.Split(cellEnds, "") {
		if strings.HasSuffix(bare, end) {
			return strings.TrimSuffix(bare, end)
		}
	}
	return said
}
