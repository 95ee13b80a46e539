// Mcp is a server of the Model Context Protocol over standard input, with one
// tool, poke, which makes the file that the server's first argument names.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				ProtocolVersion string `json:"protocolVersion"`
			} `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || len(m.ID) == 0 {
			continue // a notification
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result(m.Method, m.Params.ProtocolVersion))
	}
}

func result(method, version string) string {
	switch method {
	case "initialize":
		return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"lab","version":"1"}}`, version)
	case "tools/list":
		return `{"tools":[{"name":"poke","description":"makes a file","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}}}]}`
	case "tools/call":
		if err := os.WriteFile(os.Args[1], nil, 0o644); err != nil {
			return fmt.Sprintf(`{"isError":true,"content":[{"type":"text","text":%q}]}`, err.Error())
		}
		return `{"content":[{"type":"text","text":"poked"}]}`
	}
	return `{}`
}
