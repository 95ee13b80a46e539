package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/llm"
	"github.com/nodgate/nod/transcript"
)

// A vendor's model answers what nod cannot tell, from the rules and the conversation.
// Here the vendor is a server on this machine; without Endpoint it is Anthropic.
func Example() {
	const answer = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5",
		"content":[{"type":"tool_use","id":"1","name":"classify_result","input":{
			"thinking":"a typo needs no migration","should_block":true,"reason":"nobody has asked for this"}}],
		"stop_reason":"tool_use","usage":{"input_tokens":100,"output_tokens":20}}`
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer)
	}))
	defer vendor.Close()
	model, err := llm.New(llm.Options{Provider: llm.ProviderAnthropic, Key: "secret", Endpoint: vendor.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: nod.OnDisk(), Home: "/home/dev", Model: model})
	call := nod.NewCall("bash", json.RawMessage(`{"command":"npm run migrate"}`), "/home/dev/shop", nil)
	call.Transcript = transcript.Of(transcript.Turn{Origin: transcript.Person, Text: "fix the typo in the README"})
	d := gate.Check(context.Background(), call)
	fmt.Println(d.Verdict, d.Reason)
	// Output: deny nobody has asked for this
}
