package identity

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// bindsAll reports whether the call's name holds every word of the line and the
// hash of all that it is known to run. What a script makes of variables is the
// script's.
func (n *Call) bindsAll() bool {
	for _, d := range n.Report.Definitions {
		if d.SHA256 == "" {
			return false
		}
	}
	for _, c := range n.Report.Commands {
		if c.Foreign && c.Program != "" && !n.isBound(c.Program) {
			return false
		}
		if slices.ContainsFunc(c.Words, isOpen) && (c.Caller == 0 || runsItsWords(c)) {
			return false
		}
	}
	return n.Report.Exceeded == "" && !slices.ContainsFunc(n.Report.Effects, n.meansMoreLater) &&
		!slices.ContainsFunc(n.Report.Effects, n.runsUnbound) &&
		!slices.ContainsFunc(n.Report.Unknowns, n.unbound)
}

// runsItsWords reports whether a word of a script that nobody knows before it
// runs may name what runs: the program itself, or a file or a text that the
// program runs.
func runsItsWords(c shell.Command) bool {
	if isOpen(c.Words[0]) || len(c.Wrappers) > 0 {
		return true
	}
	return shell.RunsWords(path.Base(c.Words[0].Value))
}

// meansMoreLater reports whether an effect is on something else later, though
// the words stay the same: the files that a glob matches, what a tree holds, or
// what git has by then in its commits, stashes and index.
func (n *Call) meansMoreLater(e shell.Effect) bool {
	switch {
	case n.ofGit(e) && (e.Kind != shell.Read || !e.Names):
		return true
	case e.Kind > shell.Run || e.Place == shell.Network || e.Names:
		return false
	}
	return e.Pattern != "" || e.Recursive || e.Kind == shell.Write && n.Loss.CopiesTree(e) ||
		e.Kind != shell.Write && n.At.Machine.IsDirectory(e.Target)
}

// ofGit reports whether an effect comes from what a command of git is told.
func (n *Call) ofGit(e shell.Effect) bool {
	return e.Part != shell.PartRedirection && e.Command >= 0 && e.Command < len(n.Report.Commands) &&
		path.Base(n.Report.Commands[e.Command].Program) == "git"
}

func isOpen(w shell.Word) bool { return !w.Known }

// runsUnbound reports whether an effect runs what is not wholly in the name: all but a
// shell's script that is hashed and takes nothing of what it runs from elsewhere. What a program in another language
// starts or takes in (a module, breakpoint(), qx{}) no list of words tells.
func (n *Call) runsUnbound(e shell.Effect) bool {
	return e.Kind == shell.Run && (!path.IsAbs(e.Target) || !n.isBound(e.Target) ||
		!n.isWholeScript(e.Target, n.Report.ProgramOf(e)))
}

// unbound reports whether something unknown may change what the command does
// though the name stays the same.
func (n *Call) unbound(u shell.Unknown) bool {
	if strings.HasSuffix(u.What, " is not on PATH") {
		return false // where it is found is part of the name
	}
	if u.Command < 0 || u.Command >= len(n.Report.Commands) {
		return true
	}
	c := n.Report.Commands[u.Command]
	return c.Caller == 0 || !slices.ContainsFunc(c.Words, isOpen) || runsItsWords(c)
}

// isWholeScript reports whether a shell runs a file, and that starts no text that is not
// read. program runs it, or is the file itself.
func (n *Call) isWholeScript(file, program string) bool {
	data, err := n.At.Machine.Files.Read(file, inputBytes)
	return err == nil && isShellScript(string(data), file, program) && !shell.ScriptLoads(string(data))
}

// isShellScript reports whether a shell reads a file: by the program that is
// given it, by its first line, or since nothing says otherwise.
func isShellScript(text, file, program string) bool {
	if program == "." || shell.TraitsOf(program).Has(shell.ShellProgram) { // . is a builtin
		return true
	}
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") {
		return strings.Contains(first, "sh")
	}
	return program == path.Base(file)
}

func (n *Call) isBound(file string) bool {
	return slices.ContainsFunc(n.Report.Definitions, func(d shell.Definition) bool {
		return d.SHA256 != "" && (d.Path == file || strings.HasPrefix(d.Path, file+"#"))
	})
}
