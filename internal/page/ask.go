package page

import (
	"net/http"
	"slices"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/shown"
	"github.com/nodgate/nod/internal/web"
)

// queue shows what waits.
func (s *Server) queue(w http.ResponseWriter, _ *http.Request, v *visit) error {
	var list []asked
	for _, q := range s.open() {
		list = append(list, s.asked(q))
	}
	return s.show(w, v, http.StatusOK, "questions", "Questions", list)
}

// asked is a question as it is shown.
type asked struct {
	question.Question
	Call  string
	Left  string
	Files []change
	Args  []web.Argument
}

func (s *Server) asked(q question.Question) asked {
	call := s.o.Words.Call(audit.Entry{Kind: audit.Question, Tool: q.Tool, Input: q.Input})
	return asked{Question: q, Args: web.Arguments(q.Input), Call: printable.Near(call, []string{q.Root}, s.o.Home),
		Left:  max(q.Until.Sub(s.o.Now()), 0).Round(time.Second).String(),
		Files: changes(nod.NewCall(q.Tool, q.Input, q.Dir, nil))}
}

// yes is a way to say yes, in words.
func yes(s question.Scope) string {
	return map[question.Scope]string{question.Once: "Yes, once", question.Session: "Yes, in this session",
		question.Repository: "Yes, always in this repository …", question.Always: "Yes, always …"}[s]
}

// question shows one that waits.
func (s *Server) question(w http.ResponseWriter, r *http.Request, v *visit) error {
	q, err := find(s.o, r)
	if err != nil {
		return err
	}
	return s.show(w, v, http.StatusOK, "question", "Question", s.asked(q))
}

// find finds the question of an address. An answer names the call's key as well.
func find(o shown.Page, r *http.Request) (question.Question, error) {
	q, err := question.Find(o.State, r.PathValue("id"), o.Now())
	if err == nil && r.Method == http.MethodPost && !web.Equal(r.PostForm.Get("key"), q.Key) {
		err = question.ErrFits
	}
	return q, err
}

// answer takes a person's answer. One that holds for longer than the session is shown first, with what else the rule
// would have let through.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, v *visit) error {
	q, err := find(s.o, r)
	said := question.Scope(r.PostForm.Get("answer"))
	yes := said != "no"
	if err == nil && yes && !slices.Contains(q.Scopes(), said) {
		err = question.ErrFits
	}
	e, lasts := shown.Edit{List: "allow", Text: q.Lasting}, said == question.Repository || said == question.Always
	if said == question.Repository {
		e.Root = q.Root
	}
	if err == nil && lasts && r.PostForm.Get("seen") != "yes" {
		return s.preview(w, r, v, e, map[string]any{"Question": q, "Scope": said})
	}
	if err == nil {
		err = q.Answer(s.o.State, yes, said, "the page", s.o.Now())
	}
	if err == nil && lasts { // not where somebody else has answered before
		err = s.o.Rules.Write(e)
	}
	return web.Leads(w, r, "/questions", err)
}
