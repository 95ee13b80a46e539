package install

import (
	"path"

	"github.com/tailscale/hujson"
)

// statusKey is where Claude Code keeps the command of its status line.
const statusKey = "statusLine"

// statusWords is the command line of nod's status line.
func (o Options) statusWords() []string {
	words := []string{o.Nod, "statusline"}
	for _, a := range []struct{ flag, path string }{{"--settings", o.Settings}, {"--managed", o.Managed},
		{"--state", o.State}} {
		if a.path != "" {
			words = append(words, a.flag, a.path)
		}
	}
	return words
}

// showStatus writes nod's status line, where no other program's stands.
func showStatus(d *document, root *hujson.Object, o Options) error {
	value := ordered{{"type", "command"}, {"command", quoteAll(o.statusWords())}}
	there := find(root, statusKey)
	switch {
	case there == nil:
		d.appendMember(root, "", statusKey, value)
	case !isStatus(there):
		return d.errorAt(there, "%s is another program's; nod's can be called from it: %s", statusKey,
			quoteAll(o.statusWords()))
	case !d.holds(there, value):
		there.Value = d.render(value, memberIndent(root, statusKey, ""), d.inline)
	}
	return nil
}

// isStatus reports whether a value is nod's status line.
func isStatus(v *hujson.Value) bool {
	line, ok := v.Value.(*hujson.Object)
	if !ok {
		return false
	}
	command := find(line, "command")
	if command == nil {
		return false
	}
	text, ok := command.Value.(hujson.Literal)
	if !ok || text.Kind() != '"' {
		return false
	}
	program, rest := cutWord(text.String())
	word, _ := cutWord(rest)
	return path.Base(program) == "nod" && word == "statusline"
}

// HasStatusLine reports whether a settings file of Claude Code names a status
// line, nod's or another program's.
func HasStatusLine(text []byte) bool {
	d, err := parse("", text)
	if err != nil {
		return false
	}
	root, ok := d.root.Value.(*hujson.Object)
	return ok && find(root, statusKey) != nil
}

// hideStatus takes nod's status line out.
func hideStatus(d *document, root *hujson.Object) {
	for i := len(root.Members) - 1; i >= 0; i-- {
		if nameOf(&root.Members[i]) == statusKey && isStatus(&root.Members[i].Value) {
			d.remove(objectSequence{root}, i)
		}
	}
}
