package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A text is made of harmless commands only, each with words of its own (k1, k2
// ...). nod therefore has no reason to refuse any of them, and what counts is
// whether it knows which of them run, with which words, in which place: one
// that runs unsaid might as well have been another.

// generator makes one text. The zero value of wild keeps to the language that
// nod settles; more of it lets in the rest of bash, zsh and dash.
type generator struct {
	r     *rand.Rand
	marks int
	depth int
	wild  int // of 10
	names []string
	docs  []string // here-documents that the current line still owes
}

// tricks are texts that looked harmless once, and more of their kind; scenes say
// something of a variable and use it later; oddities are what lies outside of the
// language.
type (
	tricks   struct{ *generator }
	scenes   struct{ *generator }
	oddities struct{ *generator }
)

// generate returns the text of a number.
func generate(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x6e6f64)), names: []string{"x", "y", "z"}}
	switch kind := g.r.IntN(100); {
	case kind < 44:
		return g.script(1 + g.r.IntN(3))
	case kind < 47:
		g.wild = 2
		return g.script(1 + g.r.IntN(4))
	case kind < 48:
		g.wild = 7
		return g.script(1 + g.r.IntN(4))
	case kind < 69:
		return tricks{g}.tricky()
	case kind < 82:
		g.wild = 2 * g.r.IntN(2)
		return scenes{g}.scenario()
	case kind < 84:
		return scenes{g}.soup()
	case kind < 87:
		return tricks{g}.spliced(g.script(1 + g.r.IntN(2)))
	case kind < 91:
		return tricks{g}.ending()
	case kind < 95:
		g.wild = g.r.IntN(3)
		return scenes{g}.mutated(g.script(1 + g.r.IntN(2)))
	}
	return scenes{g}.session()
}

// choice is one way to go on, and how often.
type choice struct {
	weight int
	make   func() string
}

func (g *generator) choose(list ...choice) string {
	sum := 0
	for _, c := range list {
		sum += c.weight
	}
	n := g.r.IntN(sum)
	for _, c := range list {
		if n -= c.weight; n < 0 {
			return c.make()
		}
	}
	return ""
}

// of picks one of the strings.
func (g *generator) of(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *generator) chance(percent int) bool { return g.r.IntN(100) < percent }

// odd says whether to leave the plain language here.
func (g *generator) odd() bool { return g.r.IntN(10) < g.wild }

// mark is a word that stands nowhere else in the text.
func (g *generator) mark() string {
	g.marks++
	return fmt.Sprintf("k%d", g.marks)
}

func (g *generator) name() string { return g.of(g.names...) }

// space is what may stand between two words, or around an operator.
func (g *generator) space() string {
	if g.chance(90) {
		return " "
	}
	return g.of("  ", "\t", " \\\n", "\\\n ", " \\\n\\\n")
}

// glue is a space that need not be there.
func (g *generator) glue() string {
	if g.chance(35) {
		return ""
	}
	return g.space()
}

// separator ends a statement.
func (g *generator) separator() string {
	if len(g.docs) > 0 {
		text := "\n" + strings.Join(g.docs, "")
		g.docs = nil
		return text
	}
	return g.choose(
		choice{50, func() string { return ";" + g.glue() }},
		choice{30, func() string { return "\n" }},
		choice{6, func() string { return " # " + g.of("c", "it's", "$(wc hid)", "\\", "`", "\"", ")", "}") + "\n" }},
		choice{2, func() string { return "#c\n" }},
		choice{1, func() string { return ";;" }},
		choice{4, func() string { return "\n\n" }},
		choice{1, func() string { return "&\n" }},
		choice{1, func() string { return "\r\n" }},
	)
}

// script is a list of statements.
func (g *generator) script(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(g.separator())
		}
		b.WriteString(g.statement())
	}
	if len(g.docs) > 0 {
		b.WriteString(g.separator())
	}
	return b.String()
}

// block is a list inside other syntax. It always ends with a separator.
func (g *generator) block() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 3 {
		return ":;"
	}
	owed := g.docs
	g.docs = nil
	text := g.script(1 + g.r.IntN(2)*g.r.IntN(2))
	if !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "&") {
		text += g.of("; ", "\n", ";", ";\n")
	}
	g.docs = owed
	return text
}

func (g *generator) statement() string {
	if g.depth > 3 {
		return g.simple()
	}
	if g.odd() {
		return oddities{g}.oddity()
	}
	return g.choose(
		choice{45, g.simple},
		choice{8, func() string { return g.name() + "=" + g.constant() }},
		choice{10, func() string { return g.simple() + g.glue() + "|" + g.glue() + g.simple() }},
		choice{12, func() string { return g.simple() + g.glue() + g.of("&&", "||") + g.glue() + g.statement() }},
		choice{3, func() string {
			return "(" + g.glue() + strings.TrimSuffix(g.block(),
				";") + ")" + g.redirections()
		}},
		choice{3, func() string { return "{ " + g.block() + "}" + g.redirections() }},
		choice{6, g.forLoop},
		choice{4, g.condition},
		choice{3, g.whileLoop},
		choice{6, func() string {
			return "cd" + g.space() + g.directory() + g.of(" && ", "; ", "\n", " || ") + g.statement()
		}},
		choice{2, func() string { return "export " + strings.ToUpper(g.name()) + "=" + g.constant() }},
		choice{2, func() string { return "! " + g.simple() }},
		choice{1, func() string {
			return g.of("set -e", "set -euo pipefail", "set -x", "set -u", "exit", "exit 1", "break", "continue")
		}},
		choice{1, func() string { return g.simple() + " &" }},
		choice{1, func() string { return "time " + g.simple() }},
	)
}

// simple is a command with words and redirections.
func (g *generator) simple() string {
	text := g.choose(
		choice{80, g.command},
		choice{8, func() string { return g.wrapper() }},
		choice{4, func() string { return g.of("bash", "sh", "zsh") + " -c " + g.quoted(g.nested()) }},
		choice{4, func() string { return g.of("FOO", "x", "LC_ALL", "y") + "=" + g.constant() + " " + g.command() }},
		choice{4, func() string { return "{ " + g.command() + "; }" }},
	)
	return text + g.redirections()
}

func (g *generator) nested() string {
	g.depth += 2
	defer func() { g.depth -= 2 }()
	owed := g.docs
	g.docs = nil
	text := g.script(1)
	g.docs = owed
	return text
}

// command is a harmless program with words.
func (g *generator) command() string {
	program := g.choose(
		choice{30, func() string { return "wc" }},
		choice{14, func() string { return "ls" }},
		choice{10, func() string { return "cat" }},
		choice{14, func() string { return "echo" }},
		choice{3, func() string { return "printf %s" }},
		choice{6, func() string {
			return g.of("head", "tail", "sort", "uniq", "stat", "file", "du", "grep k1", "diff", "strings")
		}},
		choice{3, func() string { return g.of("test", "[", "true", "false", ":", "pwd", "date", "nproc", "whoami") }},
		choice{2, func() string {
			return g.of("'wc'", `"wc"`, `w\c`, `w""c`, "/usr/bin/wc", "/bin/wc", `$'wc'`, "command wc", `\wc`, "w''c")
		}},
		choice{2, func() string {
			return g.of("touch", "mkdir", "mkdir -p", "tee", "tee -a", "cp a.txt", "dd if=a.txt", "ln -s a.txt")
		}},
		choice{1, func() string { return g.of("git status", "git log", "git diff", "find . -name", "find") }},
	)
	var b strings.Builder
	b.WriteString(program)
	for range g.r.IntN(3) + g.r.IntN(2) {
		b.WriteString(g.space() + g.word())
	}
	if program == "[" {
		b.WriteString(" ]")
	}
	return b.String()
}

// wrapper is a program that runs another.
func (g *generator) wrapper() string {
	return g.choose(
		choice{4, func() string { return "nice -n " + g.value("5") + " " + g.command() }},
		choice{2, func() string { return "timeout " + g.of("", "-k ") + g.value("5") + " " + g.command() }},
		choice{2, func() string {
			return "env " + g.of("", "A=1 ", "-u ",
				"-i ") + g.value("B=2") + " " + g.command()
		}},
		choice{1, func() string { return "nohup " + g.command() }},
		choice{2, func() string { return "stdbuf -o" + g.glue() + g.value("L") + " " + g.command() }},
		choice{4, func() string {
			return g.simple() + " | xargs " + g.of("", "-n ", "-I {} ", "-0 ") + g.value("1") + " " + g.command()
		}},
		choice{2, func() string {
			return "find " + g.value("src") + " -name " + g.word() + " -exec " + g.command() + g.of(` {} \;`, " {} +",
				` \;`)
		}},
		choice{3, func() string {
			return g.of("command ", "exec ", "builtin ", "eval ", "command -v ", "noglob ", "nocorrect ", "- ",
				"time ") + g.command()
		}},
	)
}

// value is an option's value that is mostly the plain one.
func (g *generator) value(plain string) string {
	if g.chance(50) {
		return plain
	}
	if g.chance(50) {
		return g.of("*", "?", "[1w]*", "z/*", "[0-9]", "[1-9a-b]*", "$x", "{1,wc}")
	}
	return g.word()
}

// constant is what a variable is given: mostly one literal word.
func (g *generator) constant() string {
	return g.choose(
		choice{50, g.mark},
		choice{20, func() string {
			return g.quoted(g.of("k1", "wc ", "a b", "*", "~", "-n", "k.js",
				"a.txt") + g.mark())
		}},
		choice{10, func() string { return g.of("a.txt", "src", "k1.js", "src/tax.js", "~/k1", "1", "''", `""`, "") }},
		choice{8, func() string { return g.word() }},
		choice{5, func() string { return g.of("1", "0", "007", "0x1f", "-1", "1+1", "a", "x") }},
	)
}

// quoted writes a text in quotes that keep it.
func (g *generator) quoted(text string) string {
	if g.chance(60) || strings.Contains(text, "\n") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	if g.chance(70) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
	}
	return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

func (g *generator) forLoop() string {
	name := g.of("i", "x", "f")
	g.names = append(g.names, name)
	list := g.choose(
		choice{4, func() string { return g.mark() + " " + g.mark() }},
		choice{3, func() string { return g.of("*.txt", "src/*", "*", "{1..3}", "z/*", "nomatch*") }},
		choice{2, func() string { return g.word() + " " + g.word() }},
		choice{1, func() string { return g.of("", "$(seq 3)", "$(ls)", `"$@"`, "a b") }},
	)
	return "for " + name + " in " + list + g.of("; do ", "\ndo\n", ";do ") + g.block() + "done" + g.redirections()
}

func (g *generator) condition() string {
	text := "if " + g.nested() + g.of("; then ", "\nthen\n") + g.block()
	if g.chance(30) {
		text += "elif " + g.nested() + "; then " + g.block()
	}
	if g.chance(40) {
		text += "else " + g.block()
	}
	return text + "fi" + g.redirections()
}

func (g *generator) whileLoop() string {
	body := g.block()
	if g.chance(80) {
		body += "break; "
	}
	condition := g.of(g.nested(), g.nested(), "test", "[ k ]", "test k")
	return g.of("while ", "until ") + condition + g.of("; do ", "\ndo ") + body + "done" + g.redirections()
}

func (g *generator) directory() string {
	return g.choose(
		choice{10, func() string { return g.of("src", "docs", "z", "src/sub", "..", ".", "'a b'", "lnk", "build") }},
		choice{4, func() string {
			return g.of("nodir", "up", "lnk/..", "./src", "src/", "~", "/tmp", "$HOME", `"$PWD"`, "~/project/src",
				"-", "--", "-P lnk", "-- src", "")
		}},
		choice{2, func() string { return g.word() }},
	)
}
