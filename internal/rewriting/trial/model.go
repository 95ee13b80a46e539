//go:build unix

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

const (
	callID      = "toolu_nod_proof"
	description = "proof"
)

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

func (m *model) close() { _ = m.server.Close() }

// question is what the model reads of a request.
type question struct {
	Model  string
	Stream bool
	Tools  []struct{ Name string }
}

// offers reports whether the host lets its model use a tool. It does not where it
// asks for a title and the like.
func (q question) offers(tool string) bool {
	for _, t := range q.Tools {
		if t.Name == tool {
			return true
		}
	}
	return false
}

// ServeHTTP speaks as much of Anthropic's Messages API as one call takes.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	var q question
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" || err != nil || json.Unmarshal(body, &q) != nil {
		http.NotFound(w, r)
		return
	}
	content, stop := object{"type": "text", "text": "done"}, "end_turn"
	if q.offers("Bash") && !bytes.Contains(body, []byte(callID)) {
		m.played.Add(1)
		content, stop = object{"type": "tool_use", "id": callID, "name": "Bash",
			"input": object{"command": original, "description": description}}, "tool_use"
	}
	message := object{"id": "msg_proof", "type": "message", "role": "assistant", "model": q.Model,
		"content": []object{content}, "stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": 1, "output_tokens": 1}}
	if q.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, streamed(message, content))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(message)
}

// streamed is a message of one block as the events of the API.
func streamed(message, content object) string {
	var all strings.Builder
	emit := func(kind string, data object) {
		data["type"] = kind
		text, _ := json.Marshal(data) // made here, of what JSON has
		fmt.Fprintf(&all, "event: %s\ndata: %s\n\n", kind, text)
	}
	start, delta := opening(content)
	stop, usage := message["stop_reason"], message["usage"]
	message["content"], message["stop_reason"] = []object{}, nil
	emit("message_start", object{"message": message})
	emit("content_block_start", object{"index": 0, "content_block": start})
	emit("content_block_delta", object{"index": 0, "delta": delta})
	emit("content_block_stop", object{"index": 0})
	emit("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	emit("message_stop", object{})
	return all.String()
}

// opening is a block's empty beginning, and all the rest of it.
func opening(content object) (start, delta object) {
	if content["type"] == "text" {
		return object{"type": "text", "text": ""}, object{"type": "text_delta", "text": content["text"]}
	}
	input, _ := json.Marshal(content["input"])
	return object{"type": "tool_use", "id": content["id"], "name": content["name"], "input": object{}},
		object{"type": "input_json_delta", "partial_json": string(input)}
}
