package agent_test

import (
	"context"
	"fmt"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// A hook reads the host's payload, has the call decided and answers in the host's words.
func Example() {
	host, _ := agent.ByName("claude-code")
	payload := `{"hook_event_name":"PreToolUse","session_id":"s","transcript_path":"","cwd":"/home/dev/shop",` +
		`"permission_mode":"default","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"rm -rf ~"}}`
	event, err := host.Decode([]byte(payload), []string{"PATH=/usr/bin"})
	if err != nil {
		fmt.Printf("%s\n", host.Block(err.Error()).Stdout)
		return
	}
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Home: "/home/dev"})
	answer := host.Encode(event, gate.Check(context.Background(), event.Call), agent.Default, false)
	fmt.Println(answer.Said)
	// Output: deny
}
