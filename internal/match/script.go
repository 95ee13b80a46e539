package match

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// A rule that names a file by a path means that file, by any other path and with any interpreter:
// ./deploy.sh is deploy.sh for bash, and ../deploy.sh from below.

// asScript returns a command of the line as rules of these words would spell it, if the
// command starts the file that the words name; else ok is false.
func (m *Call) asScript(words []string, command int) (c shell.Command, ok bool) {
	c = m.Report.Commands[command]
	at := fileIn(words)
	if at < 0 || len(c.Words) == 0 {
		return c, false
	}
	var files []string // the real paths that the word may mean
	for _, dir := range m.startingPoints() {
		if real, err := m.At.Machine.Locate(dir, words[at]); err == nil {
			files = append(files, real)
		}
	}
	i := m.startsFile(files, command)
	if i < 0 {
		return c, false
	}
	var spelled []shell.Word
	for _, word := range words[:at+1] {
		spelled = append(spelled, shell.Word{Value: word, Known: true})
	}
	c.Words, c.Source = append(spelled, c.Words[i+1:]...), ""
	return c, true
}

// fileIn is which word of a rule names a file that it means to start: the first, or what
// stands behind a program that runs what it is given; -1 for none.
func fileIn(words []string) int {
	switch {
	case len(words) > 0 && strings.Contains(words[0], "/"):
		return 0
	case len(words) > 1 && !strings.HasPrefix(words[1], "-") && path.Ext(words[1]) != "" &&
		shell.TraitsOf(words[0])&(shell.ShellProgram|shell.MayRunWords) != 0:
		return 1
	}
	return -1
}

// startsFile is which word of a command names one of the files, where the command starts
// it; -1 for none. Before the file stand the program that runs it, options, and a word
// behind an option, which may be its value (bash -euo pipefail FILE).
func (m *Call) startsFile(files []string, command int) int {
	c := m.Report.Commands[command]
	for i, word := range c.Words {
		real, err := m.At.Machine.Locate(c.Dir, word.Value)
		if word.Known && err == nil && slices.Contains(files, real) && (i == 0 || m.runs(command, real)) {
			return i
		}
		if i > 0 && !option(word) && !option(c.Words[i-1]) || c.Dir == "" {
			return -1
		}
	}
	return -1
}

func option(w shell.Word) bool { return strings.HasPrefix(w.Value, "-") }

// runs reports whether a command runs a file: as a shell does, or by its effects.
func (m *Call) runs(command int, real string) bool {
	return m.Report.Commands[command].Has(shell.ShellProgram) ||
		slices.ContainsFunc(m.Report.Effects, func(e shell.Effect) bool {
			return e.Kind == shell.Run && e.Command == command && e.Target == real
		})
}
