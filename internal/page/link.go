package page

import (
	"net/http"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/web"
)

// byLink answers who comes by the link in a notification, and has no session.
func (s *Server) byLink(
	serve func(w http.ResponseWriter, r *http.Request, v *visit, q question.Question) error) handler {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		q, err := find(s.o, r)
		if q.Link == "" || !web.Equal(hashed(r.PathValue("word")), q.Link) {
			err = question.ErrGone
		}
		if err != nil {
			return err
		}
		return serve(w, r, v, q)
	}
}

// showLinked shows the question that a link was sent for. A chat that looks at its links changes nothing.
func (s *Server) showLinked(w http.ResponseWriter, r *http.Request, v *visit, q question.Question) error {
	data := map[string]any{"Asked": s.asked(q)}
	if s.keys.needed() {
		data["Sign"] = "/sign/" + q.ID + "/" + r.PathValue("word")
	}
	return s.show(w, v, http.StatusOK, "answer", "Question", data)
}

// showSigned shows the question again, with a yes that was signed for.
func (s *Server) showSigned(w http.ResponseWriter, r *http.Request, v *visit, q question.Question) error {
	ticket, err := s.keys.signed(r, q)
	if err != nil {
		return web.Refuse(http.StatusForbidden, printable.Line(err.Error(), 300))
	}
	return s.show(w, v, http.StatusOK, "answer", "Question", map[string]any{"Asked": s.asked(q), "Ticket": ticket,
		"At": "/answer/" + q.ID + "/" + r.PathValue("word")})
}

// answerLinked takes the answer to it: yes holds once.
func (s *Server) answerLinked(w http.ResponseWriter, r *http.Request, v *visit, q question.Question) error {
	text, yes := "You said no. The call does not run.", false
	switch r.PostForm.Get("answer") {
	case "no":
	case "once":
		if s.keys.needed() && !s.keys.redeem(r.PostForm.Get("ticket"), q) {
			return web.Refuse(http.StatusForbidden,
				"A yes by this link takes a passkey's signature. Open the link again.")
		}
		text, yes = "You said yes. The call runs once.", true
	default:
		return question.ErrFits
	}
	if err := q.Answer(s.o.State, yes, question.Once, "a link", s.o.Now()); err != nil {
		return err
	}
	return s.show(w, v, http.StatusOK, "answer", "Question", map[string]any{"Text": text})
}
