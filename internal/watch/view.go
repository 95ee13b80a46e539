package watch

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/nodgate/nod/internal/shown"
)

// The looks of a text: one colour, and two weights. The terminal has them, or bubbletea leaves them out.
const (
	accent = "\x1b[36m"
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	plain  = "\x1b[m"
)

// Rows of the screen that the list, and a page, leave to what stands above and below.
const (
	listFrame = 5
	pageFrame = 4
)

func (m Model) room() int     { return max(1, m.height-listFrame) }
func (m Model) pageRoom() int { return max(1, m.height-pageFrame) }

// View draws the page, or the list.
func (m Model) View() tea.View {
	lines := m.listLines()
	if m.page.title != "" {
		lines = m.drawPage()
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	return v
}

// fit is a text in so many cells, cut off or filled up.
func fit(text string, cells int) string {
	text = ansi.TruncateWc(narrow(text), max(cells, 0), "…")
	return text + strings.Repeat(" ", max(0, cells-ansi.StringWidthWc(text)))
}

// narrow takes out what makes a character wider in one terminal than in another.
func narrow(text string) string { return strings.ReplaceAll(text, "\uFE0F", "") }

// ends is a line with a text at each end.
func (m Model) ends(left, right string) string {
	return fit(left, m.width-ansi.StringWidthWc(right)) + right
}

// framed puts lines between a head and a foot, over the whole height.
func (m Model) framed(head, lines []string, foot ...string) []string {
	for len(head)+len(lines)+len(foot) < m.height {
		lines = append(lines, "")
	}
	return append(append(head, lines...), foot...)
}

func (m Model) listLines() []string {
	list := m.list()
	fits := len(list) - len(m.waiting)
	right := fmt.Sprintf("%d shown", fits)
	if m.filter != "" {
		right = fmt.Sprintf("%q: %d of %d shown", ansi.TruncateWc(m.filter, 20, "…"), fits, len(m.rows))
	}
	if n := len(m.waiting); n > 0 {
		right = accent + fmt.Sprintf("%d waiting", n) + plain + "  " + right
	}
	titles := shown.Row{Verdict: "VERDICT", Agent: "AGENT", Tool: "TOOL", Call: "CALL"}
	head := []string{m.ends(bold+m.title+plain, right), "", faint + m.line("  ", "TIME", titles) + plain}
	var lines []string
	for i := m.top; i < min(len(list), m.top+m.room()); i++ {
		lines = append(lines, m.row(list[i], i == m.pos))
	}
	if len(list) == 0 {
		lines = append(lines, "  nothing yet: what your agents do appears here")
	}
	return m.framed(head, lines, m.told(list), m.keys(list))
}

// line lays a row out in the columns that the width has room for.
func (m Model) line(mark, at string, r shown.Row) string {
	agent, tool := "", 6
	if m.width >= 72 {
		agent, tool = fit(cmp.Or(r.Agent, "-"), 11)+"  ", 8
	}
	line := mark + fit(at, 8) + "  " + fit(cmp.Or(r.Verdict, "-"), 10) + "  " + agent
	line += fit(cmp.Or(r.Tool, "-"), tool) + "  "
	return line + fit(cmp.Or(r.Call, "-"), m.width-ansi.StringWidthWc(line))
}

func (m Model) row(r shown.Row, chosen bool) string {
	at, mark, look := m.clock(r.Time), "  ", ""
	if r.Question != nil {
		at, look = m.left(r.Question.Until), accent
	}
	if chosen {
		mark, look = "> ", accent+bold
	}
	return look + m.line(mark, at, r) + plain
}

// clock is a time of today, or another day.
func (m Model) clock(t time.Time) string {
	t, now := t.Local(), m.now().Local()
	if t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return t.Format("Jan _2")
	}
	return t.Format(time.TimeOnly)
}

func (m Model) left(until time.Time) string {
	return max(0, until.Sub(m.now())).Round(time.Second).String()
}

// told is the line above the keys: what came of the last key, else why the chosen call was decided so.
func (m Model) told(list []shown.Row) string {
	switch {
	case m.notice != "":
		return fit(m.notice, m.width)
	case len(list) > 0 && list[m.pos].Why != "":
		return faint + fit("why: "+list[m.pos].Why, m.width) + plain
	}
	return ""
}

func (m Model) keys(list []shown.Row) string {
	if m.typing {
		return fit("filter: "+m.filter+"_", m.width-23) + faint + "  enter keep  esc clear" + plain
	}
	keys := "up down choose  enter open  / filter  "
	if len(list) > 0 && list[m.pos].Kept {
		keys += "u undo  "
	}
	if m.keep != nil {
		keys += "k rule  "
	}
	return faint + fit(keys+"q quit", m.width) + plain
}

func (m Model) drawPage() []string {
	p, lines := m.page, m.pageLines()
	right, notice := "", m.notice
	switch below := len(lines) - p.top - m.pageRoom(); {
	case p.over:
		notice = "over: it was answered elsewhere, its time is up, or its agent has gone"
	case p.busy:
		notice = "one moment ..."
	case notice == "" && below > 0:
		notice = fmt.Sprintf("%d more below: space", below)
	}
	if p.asked != nil {
		right = accent + "no in " + m.left(p.asked.Until) + plain
	}
	lines = lines[p.top:min(len(lines), p.top+m.pageRoom())]
	head := []string{m.ends(bold+p.title+plain, right), ""}
	return m.framed(head, lines, fit(notice, m.width), faint+fit(m.pageKeys(), m.width)+plain)
}

func (m Model) pageKeys() string {
	keys := "esc back"
	if len(m.pageLines()) > m.pageRoom() {
		keys += "  up down space move"
	}
	switch p := m.page; {
	case p.over, p.busy:
	case p.asked != nil:
		keys += "  answer with a listed letter"
	case p.ask != "":
		keys += "  y yes  n no"
	case p.row.Kept:
		keys += "  u undo"
	}
	return keys
}

// pageLines is the page's text, broken to the width.
func (m Model) pageLines() (lines []string) {
	for line := range strings.SplitSeq(strings.Trim(m.page.text, "\n"), "\n") {
		lines = append(lines, wrapped(narrow(line), m.width)...)
	}
	return lines
}

// wrapped breaks a line. What follows the first is set in: to where a label before a tab ends, else by two cells.
func wrapped(line string, width int) []string {
	label, body, labelled := strings.Cut(line, "\t")
	in := ansi.StringWidthWc(label)
	if !labelled {
		body = strings.TrimLeft(line, " ")
		label, in = line[:len(line)-len(body)], len(line)-len(body)+2
	}
	if in > width/2 { // no room is left beside it
		label, body, in = "", label+body, 0
	}
	const joint = "\uE000" // for a hyphen, at which ansi breaks a flag; no text that is fit to be shown holds it
	lines := strings.Split(ansi.WrapWc(strings.ReplaceAll(body, "-", joint), max(1, width-in), ""), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], joint, "-")
		if lines[i] = strings.Repeat(" ", in) + lines[i]; i == 0 {
			lines[i] = label + lines[i][in:]
		}
	}
	return lines
}
