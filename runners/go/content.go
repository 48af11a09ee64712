package readfirst

import (
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// content is the text of a file, its byte order mark, and whether it is UTF-16. Bytes that are not UTF-8 stay
// unchanged, and half of a surrogate pair is represented by three bytes, so that the text can be converted back.
type content struct {
	mark  string
	order binary.ByteOrder // nil: UTF-8
	text  string
}

func contentOf(data string) content {
	switch {
	case strings.HasPrefix(data, "\xef\xbb\xbf"):
		return content{data[:3], nil, data[3:]}
	case strings.HasPrefix(data, "\xff\xfe") && len(data)%2 == 0:
		return content{data[:2], binary.LittleEndian, fromUTF16(data[2:], binary.LittleEndian)}
	case strings.HasPrefix(data, "\xfe\xff") && len(data)%2 == 0:
		return content{data[:2], binary.BigEndian, fromUTF16(data[2:], binary.BigEndian)}
	}
	return content{"", nil, data}
}

func fromUTF16(data string, order binary.ByteOrder) string {
	var text strings.Builder
	units := []byte(data)
	for at := 0; at < len(units); at += 2 {
		one := rune(order.Uint16(units[at:]))
		if utf16.IsSurrogate(one) && at+2 < len(units) {
			if whole := utf16.DecodeRune(one, rune(order.Uint16(units[at+2:]))); whole != utf8.RuneError {
				one = whole
				at += 2
			}
		}
		if utf16.IsSurrogate(one) {
			text.Write([]byte{0xe0 | byte(one>>12), 0x80 | byte(one>>6)&0x3f, 0x80 | byte(one)&0x3f})
		} else {
			text.WriteRune(one)
		}
	}
	return text.String()
}

// half reads the three bytes that represent half of a surrogate pair.
func half(text string) (rune, bool) {
	if len(text) < 3 || text[0] != 0xed || text[1] < 0xa0 || text[1] > 0xbf || text[2] < 0x80 || text[2] > 0xbf {
		return 0, false
	}
	return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f), true
}

// data returns the bytes of a different text, with the mark and the encoding of this content.
func (c content) data(text string) string {
	if c.order == nil {
		return c.mark + text
	}
	var data []byte
	unit := make([]byte, 2)
	put := func(value uint16) {
		c.order.PutUint16(unit, value)
		data = append(data, unit...)
	}
	for at := 0; at < len(text); {
		one, size := utf8.DecodeRuneInString(text[at:])
		if alone, is := half(text[at:]); is && one == utf8.RuneError {
			one, size = alone, 3
		}
		if one > 0xffff {
			high, low := utf16.EncodeRune(one)
			put(uint16(high))
			put(uint16(low))
		} else {
			put(uint16(one))
		}
		at += size
	}
	return c.mark + string(data)
}

func (c content) isCRLF() bool {
	count := strings.Count(c.text, "\r\n")
	return count > 0 && count == strings.Count(c.text, "\n")
}

// lines returns the lines without their ends. An empty file has no lines.
func (c content) lines() []string {
	lines := strings.Split(strings.ReplaceAll(c.text, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" {
		return lines[:len(lines)-1]
	}
	return lines
}

func withLineEnds(text, end string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", end)
}

const whitespace = "\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
	"\u2028\u2029\u202f\u205f\u3000"

func isBlank(text string) bool { return strings.Trim(text, whitespace) == "" }

var trailingWhitespace = regexp.MustCompile(`[\t\v\f\x1c-\x1f \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]+([\r\n]|$)`)

// withoutTrailingWhitespace removes whitespace, also byte order marks, at the ends of all lines.
func withoutTrailingWhitespace(text string) string {
	return trailingWhitespace.ReplaceAllString(text, "$1")
}

// span is the start and the end of a text inside a different text.
type span struct{ start, end int }

// reduced returns a text with straight instead of curly quotes, or LF instead of CRLF, and the original position of
// each byte.
func reduced(text string, fold, bare bool) (string, []int) {
	var short strings.Builder
	from := make([]int, 0, len(text)+1)
	for at := 0; at < len(text); {
		put, size := text[at:at+1], 1
		switch {
		case bare && strings.HasPrefix(text[at:], "\r\n"):
			put, size = "\n", 2
		case fold && (strings.HasPrefix(text[at:], "\u2018") || strings.HasPrefix(text[at:], "\u2019")):
			put, size = "'", 3
		case fold && (strings.HasPrefix(text[at:], "\u201c") || strings.HasPrefix(text[at:], "\u201d")):
			put, size = `"`, 3
		}
		short.WriteString(put)
		from = append(from, at)
		at += size
	}
	return short.String(), append(from, len(text))
}

func folded(text string) string {
	short, _ := reduced(text, true, false)
	return short
}

// places returns the positions of a text in a different text, from the left, without overlaps.
func places(text, old string, fold, bare bool) []span {
	bare = bare && strings.Contains(old, "\n")
	from := []int(nil)
	if fold || bare {
		text, from = reduced(text, fold, bare)
		old, _ = reduced(old, fold, bare)
	}
	var found []span
	for at := 0; ; {
		next := strings.Index(text[at:], old)
		if next < 0 {
			return found
		}
		start, end := at+next, at+next+len(old)
		at = end
		if from != nil {
			start, end = from[start], from[end]
		}
		found = append(found, span{start, end})
	}
}
