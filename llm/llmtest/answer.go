package llmtest

import (
	"io"
	"net/http"
)

// classifyTool is the tool that nod forces. It is spelled out here, since the
// server judges what nod sends rather than sharing its constant.
const classifyTool = "classify_result"

// Answer is what goes back for one request. The zero value is an empty body
// with status 200.
type Answer struct {
	Status int // 0 means 200
	Header map[string]string
	Body   string
	// Hang says that no answer comes until the client goes away.
	Hang bool

	verdict *verdict // encoded in the dialect of the request
}

type verdict struct {
	block  bool
	reason string
}

// Allow is a well-formed classification that lets the call run.
func Allow(reason string) Answer { return Answer{verdict: &verdict{reason: reason}} }

// Block is a well-formed classification that does not.
func Block(reason string) Answer { return Answer{verdict: &verdict{block: true, reason: reason}} }

// Raw is any JSON body under any status.
func Raw(status int, body string) Answer { return Answer{Status: status, Body: body} }

// send writes the answer.
func (a Answer) send(w http.ResponseWriter, r *http.Request) {
	if a.Hang {
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("request-id", "req_scripted")
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	io.WriteString(w, a.Body)
}
