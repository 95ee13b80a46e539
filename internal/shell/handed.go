package shell

import (
	"slices"
	"strings"
)

// A runner (uv run, npx, bundle exec) starts the command that its words are. What it
// runs is code of the project or of a package, and stays unread; but a rule, a secret
// and the irrecoverable are the same behind it. So the words are read as a command
// too, which stands in [Report.Handed] and can only speak against the line.

// handed are words that may be a command, in the directory where it would run.
type handed struct{ text, dir string }

// maxHanded bounds how many commands of one line are read so.
const maxHanded = 64

// handOver keeps what may be the command among the words of a runner. where is "here",
// or the words behind which it begins; with a + behind one, one more word later.
func handOver(u *use, where string, args []word) {
	for _, begin := range strings.Fields(where) {
		if begin == "here" {
			handBehind(u, args)
			continue
		}
		begin, later := strings.CutSuffix(begin, "+")
		for i, w := range args {
			if w.known && w.text == begin {
				handBehind(u, args[min(len(args), i+1+map[bool]int{true: 1}[later]):])
			}
		}
	}
}

// handBehind begins at each word that may be the first behind the runner's own
// options: an option's value may be the command, nod does not tell. A value with blanks
// may be a text for a shell.
func handBehind(u *use, args []word) {
	for i, w := range args {
		if !w.known {
			return
		}
		name, _, assigns := strings.Cut(w.text, "=")
		text := strings.ContainsAny(name, " \t\n") || !assigns && strings.ContainsAny(w.text, " \t\n")
		switch {
		case w.dashed():
			continue
		case text:
			hand(u, w.text)
			continue // others may stand behind it
		case assignmentLike(w):
			continue
		}
		hand(u, quoted(args[i:]))
		if i == 0 || !args[i-1].dashed() || args[i-1].text == "--" {
			return
		}
	}
}

// quoted is the text of words up to the first that nobody knows.
func quoted(words []word) string {
	var texts []string
	for _, w := range words {
		if !w.known {
			break
		}
		texts = append(texts, w.text)
	}
	return QuoteWords(texts)
}

func hand(u *use, text string) {
	h := handed{text, u.inv.st.dir}
	if len(u.out.handed) < maxHanded && !slices.Contains(u.out.handed, h) {
		u.out.handed = append(u.out.handed, h)
	}
}

// handedReport reads what was handed over, and what that hands on.
func handedReport(list []handed, m *machine) *Report {
	s := suspects{machine: m, seen: map[string]bool{}}
	for len(list) > 0 && s.looked < maxHanded {
		h := list[0]
		list = append(list[1:], s.commandIn(h.text, h.dir)...)
	}
	if len(s.report.Commands) == 0 && len(s.report.Effects) == 0 {
		return nil
	}
	return &s.report
}
