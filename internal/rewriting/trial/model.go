//go:build linux

package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// api is how a host speaks with its model.
type api struct {
	path       string // how the address ends
	stream     string // an answer: ITEM is what the model says, STOP why it ends
	call, done said   // a call of TOOL with ARGUMENTS (or QUOTED, as a text); and the end of the turn
}

type said struct{ item, stop string }

// model is on loopback, and has the host make one call.
type model struct {
	host
	url    string
	server *http.Server
	played atomic.Int32 // how often the call was made
}

func listen(h host) (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{host: h, url: "http://" + l.Addr().String()}
	m.server = &http.Server{Handler: m}
	go m.server.Serve(l)
	return m, nil
}

// ServeHTTP speaks as much of the API as one call takes. What asks for a title and the like
// offers no tool.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, m.path) || err != nil {
		http.NotFound(w, r)
		return
	}
	says := m.done
	ran := bytes.Contains(body, []byte("echo original")) || bytes.Contains(body, []byte("echo rewritten"))
	if bytes.Contains(body, []byte(`"name":"`+m.tool+`"`)) && !ran {
		m.played.Add(1)
		says = m.call
	}
	quoted, _ := json.Marshal(m.arguments) // a text
	item := strings.NewReplacer("TOOL", m.tool, "ARGUMENTS", m.arguments, "QUOTED", string(quoted)).Replace(says.item)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, strings.NewReplacer("ITEM", item, "STOP", says.stop).Replace(m.stream))
}

var messages = api{
	path: "/v1/messages",
	stream: `event: message_start
data: {"type":"message_start","message":{"id":"msg_proof","type":"message","role":"assistant",` +
		`"model":"claude-proof","content":[],"stop_reason":null,"stop_sequence":null,` +
		`"usage":{"input_tokens":1,"output_tokens":1}}}

ITEM

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"STOP","stop_sequence":null},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`,
	call: said{`event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":` +
		`{"type":"tool_use","id":"toolu_nod_proof","name":"TOOL","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":QUOTED}}`, "tool_use"},
	done: said{`event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"done"}}`, "end_turn"},
}

var responses = api{
	path: "/responses",
	stream: `data: {"type":"response.created","response":{"id":"resp_proof"}}

data: {"type":"response.output_item.done","output_index":0,"item":ITEM}

data: {"type":"response.completed","response":{"id":"resp_proof","usage":{"input_tokens":1,` +
		`"input_tokens_details":null,"output_tokens":1,"output_tokens_details":null,"total_tokens":2}}}

`,
	call: said{item: `{"type":"function_call","call_id":"nod_proof","name":"TOOL","arguments":QUOTED}`},
	done: said{item: `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}`},
}

var completions = api{
	path: "/chat/completions",
	stream: `data: {"id":"proof","object":"chat.completion.chunk","created":1,"model":"proof",` +
		`"choices":[{"index":0,"delta":ITEM,"finish_reason":"STOP"}]}

data: [DONE]

`,
	call: said{`{"role":"assistant","tool_calls":[{"index":0,"id":"nod_proof","type":"function",` +
		`"function":{"name":"TOOL","arguments":QUOTED}}]}`, "tool_calls"},
	done: said{`{"role":"assistant","content":"done"}`, "stop"},
}

var content = api{
	path: ":streamGenerateContent",
	stream: `data: {"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[ITEM]}}]}

`,
	call: said{`{"functionCall":{"name":"TOOL","args":ARGUMENTS}}`, "STOP"},
	done: said{`{"text":"done"}`, "STOP"},
}
