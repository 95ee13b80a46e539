package server

import (
	"net/http"
	"regexp"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
)

// verdicts is the server as a team's machines share what their models said. A machine can say what it likes, so that a
// verdict is told to machines that asked for it by their settings, and to those of its own team alone.
type verdicts struct{ *Server }

func (s verdicts) routes() []route {
	return []route{
		{"GET", "/v1/verdicts/{key}", scopeCheck, 0, s.remembered},
		{"PUT", "/v1/verdicts/{key}", scopeCheck, maxBody, s.remember},
	}
}

func (s verdicts) kept() store.Verdicts { return store.Verdicts{Store: s.o.Store} }

// of is the key that a request of a machine names, "" where it is none, or where no machine asks.
func (verdicts) of(r *http.Request, v *visit) string {
	key := r.PathValue("key")
	if is, _ := regexp.MatchString(`^[0-9a-f]{64}$`, key); !is || v.who.Machine == "" {
		return ""
	}
	return key
}

func (s verdicts) remembered(w http.ResponseWriter, r *http.Request, v *visit) {
	key := s.of(r, v)
	if key == "" {
		refuse(w, *badRequest.because("a machine asks, by a key of 64 hexadecimal digits"))
		return
	}
	said, err := s.kept().Remembered(r.Context(), v.who, key)
	s.reply(w, said, err)
}

func (s verdicts) remember(w http.ResponseWriter, r *http.Request, v *visit) {
	key := s.of(r, v)
	var said store.Verdict
	if err := decode(v.body, &said); err != nil || key == "" || said.Model == "" {
		refuse(w, *badRequest.because("a machine tells what its model said, by a key of 64 hexadecimal digits"))
		return
	}
	said.Reason, said.Model = printable.Line(said.Reason, 1000), printable.Line(said.Model, 200)
	s.reply(w, health{"ok"}, s.kept().Remember(r.Context(), v.who, key, said))
}
