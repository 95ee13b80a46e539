// Package watch is the page that nod watch draws in a terminal: the calls that wait for a person, and the decisions as
// they are made.
//
// The page draws and reads keys. A [shown.Desk] knows what there is to show, and does what a key asks for. [Model] is a
// value: its update and its view read no clock, file or terminal but what they were handed, so that tests play keys to
// it.
//
// A question is answered on its own page alone. A key counts there only once the question has been on the screen for a
// moment, and a yes only once the end of it was: neither a key that was typed ahead nor a key that repeats answers.
package watch

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/shown"
)

const (
	most  = 200                    // rows of the log that are kept
	every = 250 * time.Millisecond // between two looks
	// settle is how long a question is on the screen before a key answers it: longer than a person on a slow line needs
	// to see that it is there, shorter than reading it takes.
	settle = 500 * time.Millisecond
)

// Run draws the page, under its title, on a terminal until the person leaves it, or ctx ends.
func Run(ctx context.Context, title string, d shown.Desk, in io.Reader, out io.Writer, environ []string) error {
	m := New(ctx, d, time.Now)
	m.title = title
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out),
		tea.WithEnvironment(environ), tea.WithoutSignalHandler()).Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// Model is the state of the page.
type Model struct {
	title         string          // of the list
	ctx           context.Context // bubbletea hands none to an update
	desk          shown.Desk
	now           func() time.Time
	width, height int
	waiting, rows []shown.Row // of the log the newest first
	at            string      // the key of the chosen row; "" stays with the first
	pos, top      int         // where the chosen row is, and the first one shown
	filter        string
	typing        bool // a filter
	notice        string
	keep          func() shown.Reply
	page          page // over the list
}

// page is one text. The zero value is none.
type page struct {
	title, text string
	row         shown.Row
	ask         string
	yes         func() shown.Reply
	asked       *question.Question
	over        bool // the question is
	busy        bool // something is being done for it
	top         int
	whole       bool      // its end was on the screen
	drawn       time.Time // when what is shown of it, or the last key, came
}

// New is the page before its first look.
func New(ctx context.Context, d shown.Desk, now func() time.Time) Model {
	return Model{title: "nod watch", ctx: ctx, desk: d, now: now, width: 80, height: 24}
}

// Init looks for the first time.
func (m Model) Init() tea.Cmd { return func() tea.Msg { return m.desk.Look(m.ctx) } }

// replied is a reply to what was asked from the page with that title.
type replied struct {
	shown.Reply
	from string
}

// Update takes in what has come: a size, a look, a reply or a key.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.page.drawn = m.now()
	case shown.Seen:
		m = m.seen(msg)
		cmd = tea.Tick(every, func(time.Time) tea.Msg { return m.desk.Look(m.ctx) })
	case replied:
		m = m.replied(msg)
	case tea.KeyPressMsg:
		m, cmd = m.key(msg)
	}
	return m.placed(), cmd
}

func (m Model) seen(s shown.Seen) Model {
	newest := slices.Clone(s.New)
	slices.Reverse(newest)
	m.rows = append(newest, m.rows...)
	m.rows = m.rows[:min(len(m.rows), most)]
	m.waiting = s.Waiting
	if s.Problem != "" {
		m.notice = s.Problem
	}
	if q := m.page.asked; q != nil && !m.page.busy {
		m.page.over = !slices.ContainsFunc(s.Waiting, func(r shown.Row) bool { return r.Question.ID == q.ID })
	}
	return m
}

func (m Model) replied(r replied) Model {
	if r.Keep != nil {
		m.keep = r.Keep
	}
	if m.page.title != r.from || !m.page.busy { // the person has gone on: nothing is asked of them there
		m.notice, _, _ = strings.Cut(r.Text, "\n")
		return m
	}
	if m.page = (page{}); r.Ask == "" && !strings.Contains(r.Text, "\n") {
		m.notice = strings.Join(strings.Fields(r.Text), " ")
		return m
	}
	return m.show(page{title: cmp.Or(r.Title, r.from), text: r.Text, ask: r.Ask, yes: r.Yes})
}

func (m Model) show(p page) Model {
	p.drawn = m.now()
	m.page, m.notice = p, ""
	if p.ask != "" {
		m.page.text = strings.TrimRight(p.text, "\n") + "\n\n" + p.ask
	}
	return m
}

// do asks the desk beside the page.
func (m Model) do(what func() shown.Reply) (Model, tea.Cmd) {
	if m.page.title == "" {
		m = m.show(page{title: "one moment"})
	}
	m.page.busy = true
	from := m.page.title
	return m, func() tea.Msg { return replied{what(), from} }
}

// list is what can be chosen: all questions, and the rows that hold each word of the filter.
func (m Model) list() []shown.Row {
	words := strings.Fields(strings.ToLower(m.filter))
	list := slices.Clone(m.waiting)
	for _, r := range m.rows {
		text := strings.ToLower(r.Verdict + " " + r.About)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			list = append(list, r)
		}
	}
	return list
}

// placed brings what was chosen back into view after a change.
func (m Model) placed() Model {
	list := m.list()
	if i := slices.IndexFunc(list, func(r shown.Row) bool { return r.Key == m.at }); m.at == "" || i >= 0 {
		m.pos = max(i, 0)
	}
	m = m.choose(list, m.pos)
	room := m.room()
	m.top = max(0, min(m.top, m.pos, len(list)-room), m.pos-room+1)
	lines := len(m.pageLines())
	m.page.top = max(0, min(m.page.top, lines-m.pageRoom()))
	m.page.whole = m.page.whole || m.page.top+m.pageRoom() >= lines && m.height > pageFrame
	return m
}

// choose chooses a row by its place. The first place stays first, whatever comes.
func (m Model) choose(list []shown.Row, pos int) Model {
	m.pos, m.at = max(0, min(pos, len(list)-1)), ""
	if m.pos > 0 {
		m.at = list[m.pos].Key
	}
	return m
}
