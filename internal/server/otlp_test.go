//go:build unix

package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	collogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	"google.golang.org/protobuf/proto"

	"github.com/nodgate/nod/internal/hang"
)

// collector is an OpenTelemetry collector on loopback.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	away    bool
	poison  string // a decision that it cannot read
	refused int
	took    map[string]int // how often, by machine and decision
}

func newCollector(t *testing.T) *collector {
	c := &collector{took: map[string]int{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var logs collogs.ExportLogsServiceRequest
	err := proto.Unmarshal(body, &logs)
	c.mu.Lock()
	defer c.mu.Unlock()
	var came []string
	for _, record := range logs.ResourceLogs[0].ScopeLogs[0].LogRecords {
		said := map[string]string{}
		for _, one := range record.Attributes {
			said[one.Key] = one.Value.GetStringValue()
		}
		id := said["host.name"] + " " + said["nod.machine"] + " " + said["nod.decision.id"]
		came = append(came, id)
		if said["nod.input"] != "" || said["nod.org"] == "" || id == c.poison {
			err = io.ErrUnexpectedEOF
		}
	}
	if c.away || err != nil {
		c.refused++
		w.WriteHeader(map[bool]int{true: http.StatusInternalServerError, false: http.StatusBadRequest}[c.away])
		return
	}
	for _, id := range came {
		c.took[id]++
	}
}

// has is how many decisions came, and how many requests were refused.
func (c *collector) has() (took, refused int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.took), c.refused
}

func (c *collector) set(away bool, poison string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away, c.poison = away, poison
}

// What machines ship while the collector is away reaches it, though the server that took it is killed. A decision that
// the collector refuses holds up no other.
func TestTheCollectorGetsWhatIsShipped(t *testing.T) {
	on(t, func(w *world, db string) {
		c := newCollector(t)
		first := w.replica(db, "--otlp", c.URL)
		m, state := w.join("box", "http://"+first.address)
		poison := "box " + m.Machine + " d77"
		c.set(true, poison)
		w.logs(state, 250)
		w.ship(m, state, atOnce)
		hang.Until(w, "the collector is asked", func() bool { _, n := c.has(); return n > 0 })
		first.kill()
		second := w.replica(db, "--otlp", c.URL)
		defer second.kill()
		c.set(false, poison)
		hang.Until(w, "nothing waits", func() bool {
			rows := 0
			if err := w.db.DB.QueryRow(`SELECT COUNT(*) FROM outbox`).Scan(&rows); err != nil {
				w.Fatal(err)
			}
			return rows == 0
		})
		if n, _ := c.has(); n != 249 || c.took[poison] != 0 {
			w.Error(n, c.took[poison])
		}
	})
}
