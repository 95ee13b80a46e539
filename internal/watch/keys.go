package watch

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
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
		if m.keep != nil {
			keep := m.keep
			m.keep = nil
			return m.do(keep)
		}
	case "enter":
		if len(list) > 0 {
			return m.open(list[m.pos]), nil
		}
	case "u":
		if len(list) > 0 {
			return m.undo(list[m.pos])
		}
	}
	return m, nil
}

// move is where a key of movement leads from a place.
func move(name string, from, room, last int) (to int, ok bool) {
	to, ok = map[string]int{"up": from - 1, "down": from + 1, "pgup": from - room, "pgdown": from + room,
		"space": from + room, "home": 0, "end": last}[name]
	return to, ok
}

func (m Model) open(r Row) Model {
	title := "decision " + r.ID
	if r.Question != nil {
		title = "question " + r.ID
	}
	return m.show(page{title: title, text: r.About, row: r, asked: r.Question})
}

func (m Model) undo(r Row) (Model, tea.Cmd) {
	if !r.Kept {
		m.notice = "of that call no file is kept"
		return m, nil
	}
	return m.do(func() Reply { return m.desk.Undo(m.ctx, r.ID) })
}

func (m Model) pageKey(name string) (Model, tea.Cmd) {
	if top, ok := move(name, m.page.top, m.pageRoom(), len(m.pageLines())); ok {
		m.page.top, m.page.drawn, m.notice = top, m.now(), ""
		return m, nil
	}
	switch {
	case name == "esc", name == "q":
		m.page, m.notice = page{}, ""
	case m.page.busy:
	case m.page.asked != nil:
		return m.answer(name)
	case m.page.ask != "" && name == "n":
		m.page, m.notice = page{}, "nothing was done"
	case m.page.ask != "" && name == "y":
		if m.counts(true) {
			return m.do(m.page.yes)
		}
		return m.early(), nil
	case name == "u" && m.page.ask == "":
		return m.undo(m.page.row)
	}
	return m.late(), nil
}

func (m Model) answer(name string) (Model, tea.Cmd) {
	q := *m.page.asked
	scope, yes, known := m.desk.Choice(q, name)
	switch {
	case m.page.over:
	case known && m.counts(yes):
		return m.do(func() Reply { return m.desk.Answer(m.ctx, q, yes, scope) })
	case known:
		return m.early(), nil
	}
	return m.late(), nil
}

// counts reports whether a key answers what is on the screen.
func (m Model) counts(yes bool) bool {
	return m.now().Sub(m.page.drawn) >= settle && (m.page.whole || !yes)
}

// early takes a key for an answer that does not count.
func (m Model) early() Model {
	if !m.page.whole {
		m.notice = "read it to its end first: space"
	}
	return m.late()
}

// late begins the time anew in which no key counts, so that a key that repeats itself never does.
func (m Model) late() Model {
	m.page.drawn = m.now()
	return m
}
