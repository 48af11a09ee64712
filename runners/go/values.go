package readfirst

import (
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"strings"
)

type object []any // the values of a JSON object, in their order

// stringsOfJSON returns the lines of all strings in an answer that is JSON or JSON Lines. If several objects have one
// number and one string each, the number precedes the string.
func stringsOfJSON(answer string) []string {
	start := strings.TrimLeft(answer, whitespace)
	if start == "" || !strings.Contains(`{["`, start[:1]) {
		return nil
	}
	var values []any
	if value, is := parsed(answer); is {
		values = []any{value}
	} else {
		for _, line := range lineBreaks.Split(answer, -1) {
			if isBlank(line) {
				continue
			}
			value, is := parsed(line)
			if !is {
				return nil
			}
			values = append(values, value)
		}
	}
	rows := values
	if len(values) == 1 {
		rows = firstList(values[0])
	}
	var pairs, lines []string
	for _, row := range rows {
		if pair, is := numberedString(row); is {
			pairs = append(pairs, pair)
		}
	}
	if len(pairs) > 1 && len(pairs) == len(rows) {
		return pairs
	}
	for _, each := range values {
		eachText(each, func(text string) { lines = append(lines, splitLines(text)...) })
	}
	return lines
}

// firstList returns a value that is a list of objects, or the first such list inside the value.
func firstList(value any) []any {
	if parts, is := value.(object); is {
		value = nil
		for _, each := range parts {
			if list, is := each.([]any); is {
				value = list
				break
			}
		}
	}
	list, _ := value.([]any)
	for _, each := range list {
		switch each.(type) {
		case object, []any:
		default:
			return nil
		}
	}
	return list
}

func numberedString(row any) (string, bool) {
	parts, is := row.([]any)
	if !is {
		parts, _ = row.(object)
	}
	if len(parts) != 2 {
		return "", false
	}
	if _, is := parts[0].(string); is {
		parts = []any{parts[1], parts[0]}
	}
	number, is := parts[0].(json.Number)
	text, too := parts[1].(string)
	text = strings.TrimRight(text, "\r\n")
	if !is || !too || strings.ContainsAny(string(number), ".eE") || strings.Contains(text, "\n") {
		return "", false
	}
	return string(number) + "\t" + text, true
}

func eachText(value any, take func(string)) {
	switch value := value.(type) {
	case string:
		take(value)
	case []any:
		for _, each := range value {
			eachText(each, take)
		}
	case object:
		for _, each := range value {
			eachText(each, take)
		}
	}
}

// parsed reads JSON, and returns the values of objects in their order.
func parsed(text string) (any, bool) {
	if !json.Valid([]byte(text)) {
		return nil, false
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	value, err := nextValue(decoder)
	return value, err == nil || err == io.EOF
}

func nextValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	delimiter, is := token.(json.Delim)
	if err != nil || !is {
		return token, err
	}
	list, where := []any{}, map[any]int{}
	for decoder.More() {
		key := any(nil)
		if delimiter == '{' {
			if key, err = decoder.Token(); err != nil {
				return nil, err
			}
		}
		value, err := nextValue(decoder)
		if err != nil {
			return nil, err
		}
		if at, again := where[key]; again && delimiter == '{' {
			list[at] = value
			continue
		}
		where[key] = len(list)
		list = append(list, value)
	}
	if _, err = decoder.Token(); delimiter == '{' {
		return object(list), err
	}
	return list, err
}

// notebook returns the members and the cells of a notebook. nil if the data is not a notebook, or contains an invalid
// cell.
func notebook(data string) (beside map[string]any, cells []cell) {
	text := strings.TrimPrefix(data, mark)
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	if !json.Valid([]byte(text)) || decoder.Decode(&beside) != nil {
		return nil, nil
	}
	exactly(beside)
	list, is := beside["cells"].([]any)
	if !is {
		return nil, nil
	}
	for _, each := range list {
		fields, is := each.(map[string]any)
		if !is {
			return nil, nil
		}
		cells = append(cells, fields)
	}
	delete(beside, "cells")
	return beside, cells
}

type exactNumber string

// exactly replaces decimal numbers by rational numbers, so that 1.0 equals 1 and no digit is lost.
func exactly(value any) any {
	switch value := value.(type) {
	case json.Number:
		if strings.ContainsAny(string(value), ".eE") {
			number, _ := value.Float64()
			if exact := new(big.Rat).SetFloat64(number); exact != nil {
				return exactNumber(exact.RatString())
			}
		}
		exact, _ := new(big.Int).SetString(string(value), 10)
		if exact == nil {
			return value
		}
		return exactNumber(exact.String())
	case []any:
		for index := range value {
			value[index] = exactly(value[index])
		}
	case map[string]any:
		for key := range value {
			value[key] = exactly(value[key])
		}
	}
	return value
}
