// A server whose parallel calls write to one map: `bare` without a lock, `locked` with one. It speaks MCP or `lines`.
// Usage: racing.go (mcp|lines) (bare|locked)
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

type object = map[string]any

type call struct {
	Tool      string
	Name      string
	Arguments struct {
		Path string `json:"file_path"`
	}
}

type message struct {
	ID     json.RawMessage
	Do     string
	Method string
	Params call
	Calls  []call
	call
}

var (
	seen    = map[string]int{}
	lock    sync.Mutex
	calls   int32
	locked  = os.Args[2] == "locked"
	writing sync.Mutex
)

// read waits for a second call, and then writes to the map for a while, so that two calls write at the same time.
func read(one call) string {
	number := atomic.AddInt32(&calls, 1)
	for waited := 0; waited < 1000 && atomic.LoadInt32(&calls) < 2; waited++ {
		time.Sleep(time.Millisecond)
	}
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		if locked {
			lock.Lock()
		}
		seen[one.Arguments.Path] = int(number)
		if locked {
			lock.Unlock()
		}
	}
	data, _ := os.ReadFile(one.Arguments.Path)
	return string(data)
}

func answer(value object) {
	line, _ := json.Marshal(value)
	writing.Lock()
	defer writing.Unlock()
	fmt.Println(string(line))
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var asked message
		if json.Unmarshal(input.Bytes(), &asked) != nil || asked.ID == nil {
			continue
		}
		if os.Args[1] == "lines" {
			overLines(asked)
		} else {
			go overMCP(asked)
		}
	}
}

func overLines(asked message) {
	switch asked.Do {
	case "hello":
		answer(object{"id": asked.ID, "protocol": 1, "capabilities": []string{"Read", "Edit", "Write", "parallel"}})
	case "call":
		answer(object{"id": asked.ID, "text": read(asked.call), "refused": false})
	case "calls":
		results := make([]object, len(asked.Calls))
		var all sync.WaitGroup
		for index := range asked.Calls {
			all.Add(1)
			go func(index int) {
				defer all.Done()
				results[index] = object{"text": read(asked.Calls[index]), "refused": false}
			}(index)
		}
		all.Wait()
		answer(object{"id": asked.ID, "results": results})
	default:
		answer(object{"id": asked.ID})
	}
}

func overMCP(asked message) {
	result := object{}
	switch asked.Method {
	case "initialize":
		result = object{"protocolVersion": "2024-11-05", "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "racing", "version": "1"}}
	case "tools/list":
		var tools []object
		for _, name := range []string{"Read", "Edit", "Write"} {
			tools = append(tools, object{"name": name, "inputSchema": object{"type": "object"}})
		}
		result = object{"tools": tools}
	case "tools/call":
		result = object{"content": []object{{"type": "text", "text": read(asked.Params)}}}
	}
	answer(object{"jsonrpc": "2.0", "id": asked.ID, "result": result})
}
