package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/code"
	"github.com/nodgate/nod/internal/shell/grammar"
)

// inlineCode keeps code given as an argument to an interpreter, until what
// follows it is known too.
func (u *use) inlineCode(w word) { u.inline = append(u.inline, w) }

// finishInline reports the code that an interpreter was given, once all its
// options and arguments are known. nod reads no language but those of shells,
// so such code may do anything; the names in it are told to the model.
func (u *use) finishInline() {
	for _, w := range u.inline {
		if !w.known {
			u.out.unknown(PartWords, u.inv.raw, "this runs code that nod does not know")
		}
		u.out.runsCode(u.inv, w)
	}
}

// runsCode reports code that nod does not read. What may be a command in it is
// looked at by the guard.
func (d *draft) runsCode(inv *invocation, w word) {
	e := Effect{Kind: Run, Target: "inline code", Words: inv.raw, Part: PartWords}
	if w.known {
		d.unread(w.text)
		if names := code.Mentions(w.text); len(names) > 0 {
			e.Note = grammar.Shorten("it mentions " + strings.Join(names, ", "))
		}
	}
	d.effect(e)
}

// filter reports what a filter of jq, or an expression of yq, can see and do
// besides its input.
func (u *use) filter(role string, w word) {
	switch {
	case !w.known:
		u.out.does(Secret, "environment", u.inv.raw)
	case strings.HasPrefix(role, "yq"):
		u.coded(code.YQ(w.text))
	default:
		u.coded(code.JQ(w.text))
	}
}

// coded reports what a program in a small language does.
func (u *use) coded(list []code.Effect) {
	for _, e := range list {
		w := word{value: value{text: e.Name, known: e.Known}, raw: u.inv.raw}
		switch e.Kind {
		case code.Read:
			u.out.path(Read, w, u.inv.st, 0)
		case code.Write:
			u.out.path(Write, w, u.inv.st, 0)
		case code.Secret:
			u.out.does(Secret, e.Name, u.inv.raw)
		case code.Run:
			u.out.does(Run, e.Name, u.inv.raw)
		case code.Send:
			u.out.does(Send, e.Name, u.inv.raw)
		case code.Fetch:
			u.out.does(Fetch, e.Name, u.inv.raw)
		case code.Shell:
			u.shellText(w)
		default:
			u.out.unknown(PartWords, u.inv.raw, e.Name)
		}
	}
}

// sedScript reports what a script of sed does.
func (u *use) sedScript(w word) {
	switch {
	case w.known && !(w.glob > 0 && w.many):
		effects, ok := code.Sed(w.text)
		if u.coded(effects); !ok {
			u.out.unknown(PartWords, u.inv.raw, "this runs a sed script that nod cannot read")
		}
	case !w.known:
		u.out.unknown(PartWords, u.inv.raw, "this runs a sed script that nod does not know")
	}
}

// awkProgram reports what a program of awk does.
func (u *use) awkProgram(w word) {
	if !w.known {
		u.out.unknown(PartWords, u.inv.raw, "this runs an awk program that nod does not know")
		return
	}
	u.coded(code.Awk(w.text))
}

// special dispatches to the readers of programs whose arguments need more than
// the data can say. done is false where the data goes on.
func (a *analysis) special(s *sheet, inv *invocation) (done bool) {
	switch s.code {
	case "git":
		a.git(s, inv)
		return true
	case "test":
		a.builtins.testArgs(inv)
		return true
	case "tmux":
		for _, w := range inv.args {
			if !w.known || strings.HasSuffix(w.text, ";") {
				a.out.unknown(PartWords, inv.raw, "this may give tmux a further command")
			}
		}
	case "exiftool":
		inv.args = exifTags(inv.args)
	}
	return false
}

// testArgs checks the arguments of test and [. bash evaluates the name after -v
// and -R, zsh both sides of a comparison of numbers: an index in them runs
// commands (zsh 5.9: [ 'a[$(cmd)]' -eq 1 ] runs cmd).
func (b *builtins) testArgs(inv *invocation) {
	zsh := b.now.zsh()
	for i, w := range inv.args {
		before, after := word{}, word{}
		if i > 0 {
			before = inv.args[i-1]
		}
		if i+1 < len(inv.args) {
			after = inv.args[i+1]
		}
		switch {
		case (before.text == "-v" || before.text == "-R") && (!w.known || !grammar.Identifier(w.text)),
			i > 0 && !before.known && len(inv.args) > 4:
			b.out.unknown(PartWords, inv.raw, "this names a variable that nod does not know")
		case zsh && (comparesNumbers(before.text) || comparesNumbers(after.text)) && !(w.known && w.isNumber()) &&
			!w.numeric && !onlyStatus(w.raw):
			b.out.unknown(PartWords, inv.raw, "this calculates with a value that nod does not know")
		}
	}
}

func comparesNumbers(op string) bool {
	switch op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// exec reads the command of find -exec, up to ; or +, and returns how many
// words it takes. With batch, or with +, one call gets all names.
func (u *use) exec(rest []word, batch bool) int {
	end := len(rest)
	for i, w := range rest {
		if w.known && (w.text == ";" || w.text == "+" && i > 0 && rest[i-1].text == "{}") {
			end = i
			break
		}
	}
	words := rest[:end]
	if len(words) == 0 {
		u.unknownOption("-exec without a command")
		return len(rest)
	}
	roots := u.pos
	if len(roots) == 0 {
		roots = []word{{value: constant("."), raw: "."}}
	}
	if u.finds == "pattern" {
		roots = u.fdRoots(roots, end == len(rest))
	}
	if u.finds == "" || len(roots) > 4 {
		roots = []word{{raw: "{}"}}
	}
	if batch = batch || end < len(rest) && rest[end].text == "+" && u.finds == "roots"; batch {
		u.execUnder(words, slices.Concat(roots, roots)...) // a name may stand where a second one means more: uniq a b
		return min(end+1, len(rest))
	}
	for _, root := range roots {
		u.execUnder(words, root)
	}
	return min(end+1, len(rest))
}

// fdRoots is where fd looks: what comes after the pattern, if the command is
// the last of its line and no option says otherwise.
func (u *use) fdRoots(pos []word, last bool) []word {
	switch {
	case !last || u.drop:
		return []word{{raw: "{}"}}
	case len(u.pos) < 2:
		return []word{{value: constant("."), raw: "."}}
	}
	return pos[1:]
}

// execUnder walks the command for the files under starting points.
func (u *use) execUnder(words []word, roots ...word) {
	found := make([]word, len(roots))
	for i, root := range roots {
		found[i] = u.foundUnder(root)
	}
	if u.finds != "roots" && !mentions(words, "{") {
		words = append(words[:len(words):len(words)], found...)
	}
	var out []word
	for i, w := range words {
		switch {
		case w.text == "{}" && w.known:
			out = append(out, found...)
			continue
		case strings.Contains(w.text, "{}"):
			if isCode(words, i) {
				// The name becomes part of the text, and so of the code.
				u.out.unknown(PartWords, u.inv.raw, "this makes names of files part of a command, and a name can hold one")
			}
			w = word{raw: w.raw}
		}
		out = append(out, w)
	}
	command := u.out.command
	u.out.enter(u.inv.raw)
	inv := *u.inv
	u.out.inRounds(func() { u.insideFed(&inv, out, command+1) })
	u.out.command = command
}

// foundUnder is the word for what a search finds under one starting point.
func (u *use) foundUnder(root word) word {
	found := word{raw: "{}", picked: u.sift.picked()}
	if root.known && !root.many {
		text := strings.TrimSuffix(root.text, "/") + "/*"
		found.value = value{text: text, known: true, glob: len(text)}
		if root.glob > 0 {
			found.glob = root.glob
		}
		found.one = true
	}
	return found
}

func isCode(words []word, i int) bool {
	return i > 0 && strings.HasPrefix(words[i-1].text, "-") && strings.HasSuffix(words[i-1].text, "c")
}

func mentions(words []word, text string) bool {
	for _, w := range words {
		if strings.Contains(w.text, text) {
			return true
		}
	}
	return false
}
