package teampage

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/web"
)

// questionPages are the pages of questions.
type questionPages struct{ *Server }

func (s questionPages) routes() []route {
	return []route{
		{"GET", "/questions", store.Viewer, false, s.page("questions", "Questions", s.questions)},
		{"GET", "/questions/{id}", store.Viewer, false, s.page("question", "Questions", s.question)},
		{"POST", "/questions/{id}", store.Approver, false, s.answer},
	}
}

// asked is a question as it is shown. Its texts are a machine's.
type asked struct {
	question.Question
	Waits   store.Question
	Machine string
	Call    string
	Left    string
	Files   []struct{ Path, Note, Lines string } // nobody here can see the machine's
	Args    []web.Argument
	Ways    []string
	May     bool
}

func (s questionPages) questions(r *http.Request, v *visit) (any, error) {
	list, err := s.o.Store.Waiting(r.Context(), v.person.Org, v.person.Team)
	shown := make([]asked, len(list))
	for i, q := range list {
		shown[i] = s.asked(r, q)
	}
	return shown, err
}

func (s questionPages) asked(r *http.Request, q store.Question) asked {
	a := asked{Waits: q, Machine: s.o.Store.MachineName(r.Context(), q.Org, q.Machine),
		Ways: strings.FieldsFunc(q.Scopes, func(r rune) bool { return r == ',' }),
		Left: max(q.Ends.Sub(s.o.Store.Now()), 0).Round(time.Second).String()}
	_ = json.Unmarshal(q.Text, &a.Question) // what cannot be read is not shown, and nobody says yes to it
	a.Args, a.Call = web.Arguments(a.Input), printable.Near(printable.Call(a.Input), []string{a.Root}, "")
	return a
}

func (s questionPages) question(r *http.Request, v *visit) (any, error) {
	list, err := s.o.Store.Waiting(r.Context(), v.person.Org, v.person.Team)
	i := slices.IndexFunc(list, func(q store.Question) bool { return q.ID == r.PathValue("id") })
	if err != nil || i < 0 {
		over := web.Refuse(http.StatusGone, "That question is over: it was answered, or its time is up.")
		return nil, cmp.Or(err, over)
	}
	a := s.asked(r, list[i])
	a.May = v.person.May(store.Approver)
	if len(a.Input) == 0 {
		a.Ways = nil
	}
	return a, nil
}

// answer takes a person's answer. Its key says which call was seen.
func (s questionPages) answer(w http.ResponseWriter, r *http.Request, v *visit) error {
	f := r.PostForm
	q := store.Question{Org: v.person.Org, ID: r.PathValue("id"), Key: f.Get("key"), Who: v.person.Shown()}
	switch said := f.Get("answer"); said {
	case "once", "session":
		q.Yes, q.Scope = true, said
	case "no":
	default:
		return wrong("An answer is no, or a way of yes.")
	}
	err := s.o.Store.Tx(r.Context(), func(tx *store.Tx) error { return tx.Answer(r.Context(), q, v.person.Team) })
	for _, late := range []error{store.ErrAnswered, store.ErrLate, store.ErrFits} {
		if errors.Is(err, late) {
			err = web.Refuse(http.StatusGone, late.Error())
		}
	}
	return web.Leads(w, r, "/questions", err)
}
