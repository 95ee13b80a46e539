//go:build unix

package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

const callID = "toolu_nod_proof"

// model is on loopback, and has the host make one call.
type model struct {
	url    string
	server *http.Server
	played atomic.Int32 // how often the call was made
}

func listen() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String()}
	m.server = &http.Server{Handler: m}
	go m.server.Serve(l)
	return m, nil
}

// ServeHTTP speaks as much of Anthropic's Messages API as one call takes.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	var q struct{ Stream bool }
	if r.URL.Path != "/v1/messages" || err != nil || json.Unmarshal(body, &q) != nil || !q.Stream {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	// What asks for a title and the like offers no tool.
	if !bytes.Contains(body, []byte(`"name":"Bash"`)) || bytes.Contains(body, []byte(callID)) {
		fmt.Fprintf(w, stream, `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`, "end_turn")
		return
	}
	m.played.Add(1)
	input, _ := json.Marshal(`{"command":"` + original + `","description":"proof"}`) // a text of JSON
	fmt.Fprintf(w, stream, `{"type":"tool_use","id":"`+callID+`","name":"Bash","input":{}}`,
		`{"type":"input_json_delta","partial_json":`+string(input)+`}`, "tool_use")
}

// stream is an answer of one block: its empty beginning, the rest of it, and
// why the model stopped.
const stream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_proof","type":"message","role":"assistant",` +
	`"model":"claude-proof","content":[],"stop_reason":null,"stop_sequence":null,` +
	`"usage":{"input_tokens":1,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":%s}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":%s}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`
