package watch

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/shown"
)

func (m Model) key(k tea.KeyPressMsg) (Model, tea.Cmd) {
	name := k.String()
	switch {
	case name == "ctrl+c":
		return m, tea.Quit
	case m.typing:
		return m.typed(name, k.Text), nil
	case m.page.title != "":
		return m.pageKey(name)
	}
	return m.listKey(name)
}

// typed changes the filter.
func (m Model) typed(name, text string) Model {
	switch name {
	case "enter":
		m.typing = false
	case "esc":
		m.typing, m.filter = false, ""
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(m.filter)
		m.filter = m.filter[:len(m.filter)-n]
	default:
		m.filter += text
	}
	return m
}

func (m Model) listKey(name string) (Model, tea.Cmd) {
	list := m.list()
	if moved, ok := move(name, m.pos, m.room(), len(list)); ok {
		m.notice = ""
		return m.choose(list, moved), nil
	}
	switch name {
	case "q":
		return m, tea.Quit
	case "esc":
		m.filter, m.notice = "", ""
	case "/":
		m.typing, m.notice = true, ""
	case "k":
		if keep := m.keep; keep != nil {
			m.keep = nil
			return m.do(keep)
		}
	}
	switch {
	case len(list) == 0:
	case name == "enter":
		return m.open(list[m.pos]), nil
	case name == "u":
		return m.undo(list[m.pos])
	}
	return m, nil
}

// move is where a key of movement leads from a place.
func move(name string, from, room, last int) (to int, ok bool) {
	to, ok = map[string]int{"up": from - 1, "down": from + 1, "pgup": from - room, "pgdown": from + room,
		"space": from + room, "home": 0, "end": last}[name]
	return to, ok
}

func (m Model) open(r shown.Row) Model {
	title := "decision " + r.ID
	if r.Question != nil {
		title = "question " + r.ID
	}
	return m.show(page{title: title, text: r.About, row: r, asked: r.Question})
}

func (m Model) undo(r shown.Row) (Model, tea.Cmd) {
	if !r.Kept {
		m.notice = "of that call no file is kept"
		return m, nil
	}
	return m.do(func() shown.Reply { return m.desk.Undo(m.ctx, r.ID) })
}

// pageKey takes a key on a page. One that answers counts after a time on the screen. That begins anew with each key, so
// that a key which repeats itself never counts.
func (m Model) pageKey(name string) (Model, tea.Cmd) {
	p, now := m.page, m.now()
	top, moved := move(name, p.top, m.pageRoom(), len(m.pageLines()))
	scope, yes, known := question.Once, name == "y", name == "n" || name == "y"
	if p.asked != nil {
		scope, yes, known = m.desk.Choice(*p.asked, name)
	}
	m.page.drawn, m.notice = now, ""
	switch {
	case moved:
		m.page.top = top
	case name == "esc", name == "q":
		m.page = page{}
	case p.busy, p.over:
	case p.asked == nil && p.ask == "":
		if name == "u" {
			return m.undo(p.row)
		}
	case known && yes && !p.whole:
		m.notice = "read it to its end first: space"
	case !known, now.Sub(p.drawn) < settle:
	case p.asked != nil:
		return m.do(func() shown.Reply { return m.desk.Answer(m.ctx, *p.asked, yes, scope) })
	case yes:
		return m.do(p.yes)
	default:
		m.page, m.notice = page{}, "nothing was done"
	}
	return m, nil
}
