package e2e

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// trap is a model behind a certificate that no system trusts, under the name
// example.com.
type trap struct {
	srv         *llmtest.Server
	url, pem    string
	connections atomic.Int64
}

func newTrap(t *testing.T) *trap {
	tr := &trap{srv: llmtest.NewServer(t, llmtest.Script{Classifier: func(llmtest.Request) llmtest.Answer {
		return llmtest.Allow("whoever reads this trusted the trap")
	}})}
	h := httptest.NewUnstartedServer(tr.srv)
	h.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			tr.connections.Add(1)
		}
	}
	h.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes are meant to fail
	h.StartTLS()
	t.Cleanup(h.Close)
	tr.url = strings.Replace(h.URL, "127.0.0.1", "example.com", 1)
	tr.pem = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw}))
	return tr
}
