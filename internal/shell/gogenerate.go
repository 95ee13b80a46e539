package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what is read for one go generate.
const (
	maxGoFiles = 400
	maxGoBytes = 8 << 20
)

// directive is one line //go:generate of a file.
type directive struct {
	file string
	line int
	text string // of a shell, in which it means the same
}

// goGenerate walks the commands that go generate would start: those of all
// files of the packages named, also of files that build tags or -run leave out.
func (a *analysis) goGenerate(inv *invocation) (done bool) {
	if len(inv.args) == 0 || !inv.args[0].known || inv.args[0].text != "generate" {
		return false
	}
	if !a.asWritten() {
		a.define(inv.name, "")
		return false
	}
	list, ok := a.goPackages(inv)
	if !ok {
		a.define(inv.name, "") // it may be any package's
	}
	flags, _ := a.inherits("GOFLAGS")
	ok = ok && flags == "" && inv.st.lookup("GOFLAGS") == nil
	var all []directive
	for _, file := range list {
		some, plain := a.directives(file)
		all, ok = append(all, some...), ok && plain
	}
	if !ok {
		return false
	}
	mark := a.mark()
	for _, d := range all {
		st := state{dir: path.Dir(d.file)}
		if b := inv.st.lookup("PATH"); b != nil {
			st = st.assign("PATH", b.value)
		}
		t := passage{file: d.file, key: d.file + "#" + strconv.Itoa(d.line), text: d.text, langs: []syntax.LangVariant{syntax.LangBash}, line: d.line}
		if !a.readText(t, st, inv) {
			a.rollback(mark)
			return false
		}
	}
	a.goToolchain(inv)
	e := Effect{Kind: Fetch, Target: "proxy.golang.org", Place: Network, Words: inv.raw, Part: PartWords}
	if u := (use{analysis: a, sheet: &sheet{heading: "generate"}, inv: inv}); u.goHome() {
		e.Declared = "go.mod"
	}
	a.effect(e)
	return true
}

// goPackages lists the Go files of the packages that the arguments name.
func (a *analysis) goPackages(inv *invocation) (files []string, ok bool) {
	ok = true
	var named []string
	for i := 1; i < len(inv.args); i++ {
		w := inv.args[i]
		option, _, given := strings.Cut(strings.TrimPrefix(w.text, "-"), "=")
		switch {
		case !w.known || w.many || w.glob > 0:
			return nil, false
		case w.text == "" || w.text[0] != '-':
			named = append(named, w.text)
		case len(named) > 0:
			ok = false // go takes it for a package
		case slices.Contains([]string{"-v", "-x", "-n", "-trimpath"}, "-"+strings.TrimPrefix(option, "-")) && !given:
		case slices.Contains([]string{"-run", "-skip", "-tags"}, "-"+strings.TrimPrefix(option, "-")):
			if !given {
				i++
			}
		default:
			ok = false
		}
	}
	if len(named) == 0 {
		named = []string{"."}
	}
	for _, name := range named {
		more, plain := a.goFiles(inv.st.dir, name)
		files, ok = append(files, more...), ok && plain
	}
	return files, ok && len(files) > 0 && len(files) <= maxGoFiles // without any it is no package
}

// goFiles lists the files of one argument: a directory, all below one, a file.
func (a *analysis) goFiles(dir, name string) (files []string, ok bool) {
	below, all := strings.CutSuffix(name, "/...")
	if below != "." && !strings.HasPrefix(below, "./") && !strings.HasSuffix(below, ".go") || strings.Contains(below, "...") || strings.Contains("/"+below+"/", "/../") {
		return nil, false
	}
	start := path.Join(dir, below)
	real, err := view.Resolve(a.env.Files, start)
	if err != nil || real != start || a.throughLinks(start) {
		return nil, false
	}
	if strings.HasSuffix(below, ".go") && !all {
		return []string{start}, true
	}
	a.watches(watched{path: strings.TrimSuffix(start, "/") + "/", command: a.command, heeded: true, begins: true})
	return a.goTree(start, all, 0)
}

// goTree lists the Go files of a directory, and of those below: also of what
// belongs to another module.
func (a *analysis) goTree(dir string, all bool, depth int) (files []string, ok bool) {
	names, err := a.env.Files.List(dir, 4096)
	if a.looked += 4096; err != nil || depth > maxClimbed || a.looked > maxGoBytes {
		return nil, false
	}
	for _, n := range names {
		name := below(dir, n)
		info, err := a.env.Files.Lstat(name)
		switch {
		case err != nil:
			return nil, false
		case info.Mode.IsDir():
			if !all || n[0] == '.' || n[0] == '_' || n == "testdata" {
				continue
			}
			more, ok := a.goTree(name, true, depth+1)
			if files = append(files, more...); !ok || len(files) > maxGoFiles {
				return files, false
			}
		case strings.HasSuffix(n, ".go"):
			files = append(files, name)
		}
	}
	return files, true
}

// directives reads the directives of one file. ok is false where one is not
// understood.
func (a *analysis) directives(file string) (list []directive, ok bool) {
	real, err := view.Resolve(a.env.Files, file)
	if err != nil {
		return nil, false
	}
	data, err := a.env.Files.Read(real, maxGoBytes)
	if a.looked += len(data); err != nil || a.looked > maxGoBytes || !a.settledFile(real) {
		return nil, false
	}
	if a.watch(real); !strings.Contains(string(data), "//go:generate") {
		return nil, true
	}
	if _, data, ok = a.defined(file); !ok {
		return nil, false
	}
	aliases := map[string][]string{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		rest, found := strings.CutPrefix(line, "//go:generate")
		if !found || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		words, ok := generateWords(strings.TrimSuffix(strings.TrimSuffix(rest[1:], "\n"), "\r"))
		switch {
		case !ok || len(words) == 0:
			return list, false
		case words[0] == "-command":
			if len(words) < 3 || aliases[words[1]] != nil || strings.Contains(strings.Join(words, ""), "$") {
				return list, false
			}
			aliases[words[1]] = words[2:]
			continue
		case aliases[words[0]] != nil:
			words = append(slices.Clip(aliases[words[0]]), words[1:]...)
		}
		d := directive{file: file, line: number}
		for _, w := range words {
			text, ok := generated(w, file, number)
			if !ok {
				return list, false
			}
			d.text += text + " "
		}
		list = append(list, d)
	}
	return list, true
}

// generateWords splits a directive as go does: at blanks, but for what a
// double quote begins, which is a string of Go.
func generateWords(line string) (words []string, ok bool) {
	for {
		if line = strings.TrimLeft(line, " \t"); line == "" {
			return words, true
		}
		end := strings.IndexAny(line, " \t")
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, false
			}
			word, err := strconv.Unquote(quoted)
			rest := line[len(quoted):]
			if err != nil || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				return nil, false
			}
			words, line = append(words, word), rest
			continue
		}
		if end < 0 {
			end = len(line)
		}
		words, line = append(words, line[:end]), line[end:]
	}
}

// generated renders a word for a shell. Variables that go sets are put in,
// others are not known: $GOARCH stands for all of them.
func generated(w, file string, line int) (text string, ok bool) {
	if strings.ContainsAny(w, "\r\n\x00") {
		return "", false
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(w, "$")
		b.WriteString(grammar.Quoted(before))
		if !found {
			return b.String(), true
		}
		name := rest
		if braced := strings.HasPrefix(rest, "{"); braced {
			if name, rest, found = strings.Cut(rest[1:], "}"); !found {
				return "", false
			}
		} else {
			n := 0
			for n < len(rest) && grammar.Letter(rest[n]) {
				n++
			}
			name, rest = rest[:n], rest[n:]
		}
		if !grammar.Identifier(name) || name[0] >= '0' && name[0] <= '9' {
			return "", false
		}
		switch name {
		case "GOFILE":
			b.WriteString(grammar.Quoted(path.Base(file)))
		case "GOLINE":
			b.WriteString(strconv.Itoa(line))
		case "DOLLAR":
			b.WriteString("'$'")
		case "HOME":
			b.WriteString(`"$HOME"`)
		default:
			b.WriteString(`"$GOARCH"`)
		}
		w = rest
	}
}
