package page

import (
	"net/http"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
)

// links answers who comes by the link in a notification, and has no session.
type links struct{ *Server }

// linkedQuestion finds the question that a link was sent for.
func linkedQuestion(o Options, r *http.Request) (question.Question, error) {
	q, err := find(o, r)
	if err == nil && (q.Link == "" || !equal(hashed(r.PathValue("word")), q.Link)) {
		err = question.ErrGone
	}
	return q, err
}

// gone tells that a link answers nothing any more.
func (l links) gone(w http.ResponseWriter, v *visit) {
	l.tell(w, v, http.StatusGone, sentence(question.ErrGone))
}

func (l links) tell(w http.ResponseWriter, v *visit, status int, text string) {
	l.Server.show(w, v, status, "answer", "Question", map[string]any{"Text": text})
}

// show shows the question that a link was sent for. A chat that looks at its links changes nothing.
func (l links) show(w http.ResponseWriter, r *http.Request, v *visit) {
	q, err := linkedQuestion(l.o, r)
	if err != nil {
		l.gone(w, v)
		return
	}
	data := map[string]any{"Asked": l.asked(q)}
	if l.keys.needed() {
		data["Sign"] = "/sign/" + q.ID + "/" + r.PathValue("word")
	}
	l.Server.show(w, v, http.StatusOK, "answer", "Question", data)
}

// sign asks for the signature that a yes takes.
func (l links) sign(w http.ResponseWriter, r *http.Request, v *visit) {
	q, err := linkedQuestion(l.o, r)
	if err != nil || len(q.Scopes()) == 0 {
		l.gone(w, v)
		return
	}
	l.keys.sign(w, r, v, q)
}

// signed shows the question again, with a yes that was signed for.
func (l links) signed(w http.ResponseWriter, r *http.Request, v *visit) {
	q, err := linkedQuestion(l.o, r)
	if err != nil || !equal(r.PostForm.Get("key"), q.Key) {
		l.gone(w, v)
		return
	}
	ticket, err := l.keys.signed(r, q)
	if err != nil {
		l.tell(w, v, http.StatusForbidden, printable.Line(sentence(err), 300))
		return
	}
	l.Server.show(w, v, http.StatusOK, "answer", "Question", map[string]any{"Asked": l.asked(q), "Ticket": ticket,
		"At": "/answer/" + q.ID + "/" + r.PathValue("word")})
}

// answer takes the answer to it: yes holds once.
func (l links) answer(w http.ResponseWriter, r *http.Request, v *visit) {
	q, err := linkedQuestion(l.o, r)
	said := r.PostForm.Get("answer")
	if err == nil && (!equal(r.PostForm.Get("key"), q.Key) || said != "no" && said != "once") {
		err = question.ErrFits
	}
	if err == nil && said == "once" && l.keys.needed() && !l.keys.redeem(r.PostForm.Get("ticket"), q) {
		l.tell(w, v, http.StatusForbidden, "A yes by this link takes a passkey's signature. Open the link again.")
		return
	}
	if err == nil {
		err = q.Answer(l.o.State, said == "once", question.Once, "a link", l.o.Now())
	}
	status, text := http.StatusOK, "You said no. The call does not run."
	switch {
	case err != nil:
		status, text = statusOf(err), sentence(err)
	case said == "once":
		text = "You said yes. The call runs once."
	}
	l.tell(w, v, status, text)
}
