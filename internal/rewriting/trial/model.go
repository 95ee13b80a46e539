//go:build linux

package trial

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// answers are those of each API to a request: a call of TOOL with ARGUMENTS (or QUOTED, as a
// text), and the end of the turn.
//
//go:embed answers
var answers embed.FS

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

// ServeHTTP speaks as much of the API as one call takes. What asks for a title and the like offers no tool.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, m.path) || err != nil {
		http.NotFound(w, r)
		return
	}
	says := ".done"
	ran := bytes.Contains(body, []byte("echo original")) || bytes.Contains(body, []byte("echo rewritten"))
	if bytes.Contains(body, []byte(`"name":"`+m.tool+`"`)) && !ran {
		m.played.Add(1)
		says = ".call"
	}
	text, _ := answers.ReadFile("answers/" + m.api + says) // it is linked in
	quoted, _ := json.Marshal(m.arguments)                 // a text
	fill := strings.NewReplacer("TOOL", m.tool, "ARGUMENTS", m.arguments, "QUOTED", string(quoted))
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, fill.Replace(string(text)))
}
