package main

import (
	"slices"
	"strings"
)

// scenario gives something a meaning, does what may or may not change it, and
// uses it. Where nod is wrong about the middle, something runs unsaid.
func (g scenes) scenario() string {
	var middle []string
	first, again, use := g.subject()
	for range 1 + g.r.IntN(2)*g.r.IntN(2) {
		middle = append(middle, g.around(again(), 0))
	}
	if g.chance(20) {
		middle = append(middle, g.statement())
	}
	parts := append(append([]string{first}, middle...), use)
	if g.chance(30) {
		parts = append(parts, g.statement())
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteString(g.of("; ", "; ", "\n"))
		}
		b.WriteString(p)
	}
	return b.String()
}

// subject is what the text is about: how it is set, set anew, and used.
func (g scenes) subject() (first string, again func() string, use string) {
	switch g.r.IntN(15) {
	case 6, 7, 8:
		return g.plain()
	case 5:
		return "_=" + g.mark(), func() string { return g.of(": ", "wc ", "true ", "_=") + g.mark() }, g.of(`wc "$_"`,
			"wc $_", "echo k > new$_", "wc ${_}")
	case 0, 1:
		return g.of(":", "cd src", "cd docs", "cd src < "+g.of("nofile",
				"nodir/new1")), func() string { return "cd " + g.directory() }, g.of("echo k > new"+g.mark(),
				"wc "+g.mark()+" > new"+g.mark(), "cd ..; echo k > new"+g.mark(), "echo k >> a.txt", "wc *.txt")
	case 2, 3:
		f := g.of("f", "f", "f", "wc", "ls", "g")
		define := func() string {
			return f + "() { " + g.of("wc", "ls", ":", "command wc", "echo") + " " + g.mark() + "; }"
		}
		again = func() string {
			return g.of(define(), define(), "unset -f "+f, "alias "+f+"='wc "+g.mark()+"'", "readonly -f "+f,
				f+"() { :; } | cat", "("+define()+")", "("+define()+")", "export -f "+f, "unset "+f)
		}
		return g.of(define(), ":", define()), again, g.of(f+" "+g.mark(), f+" "+g.mark(), f+" "+g.mark(),
			"command "+f+" "+g.mark(), "eval "+f+" "+g.mark(), `\`+f+" "+g.mark())
	case 4:
		return "set -- " + g.mark() + " " + g.mark(), func() string {
				return g.of("shift", "set -- "+g.mark(), "set "+g.mark(), "shift 2", "set - "+g.mark(),
					"f() { set -- "+g.mark()+"; }; f "+g.mark(), "for i; do shift; done", "set -"+g.of("e", "u",
						"f")+" "+g.mark())
			}, g.of("wc $1", `wc "$@"`, "wc $*", "wc ${2}", "wc $#", `eval "wc $1"`, "for i; do wc $i; done",
				"echo k > new$1")
	}
	return g.variable()
}

// plain is a variable with one word for a value, and a plain use of it.
func (g scenes) plain() (first string, again func() string, use string) {
	name := g.of("x", "y", "z")
	value := func() string { return g.of(g.mark(), "New"+g.mark()) }
	first = g.of("", "", "", "readonly ", "declare -l ", "declare -u ", "export ",
		"typeset -l ") + name + "=" + value()
	return first, func() string { return name + "=" + value() }, g.of("wc $"+name, `wc "$`+name+`"`,
		"echo k > $"+name, "cat < $"+name, `wc "${`+name+`}"`)
}

// variable is the subject of most scenarios.
func (g scenes) variable() (first string, again func() string, use string) {
	name := g.of("x", "x", "x", "_", "y", "IFS", "REPLY", "path")
	asCommand := g.chance(50)
	value := func() string {
		if asCommand {
			return g.quoted(g.of("wc ", "ls ", "cat ", "wc ") + g.mark())
		}
		return g.of(g.mark(), g.mark(), g.mark(), "new"+g.mark(), "src/new"+g.mark(), "SRC/New"+g.mark(), "k1.js*",
			"k1.js", "'a b'")
	}
	use = g.of("wc $"+name, "wc $"+name, `wc "$`+name+`"`, "wc ${"+name+"%"+g.of(`".js*"`, `'*'`, ".*", `"*"`)+"}",
		"echo k > $"+name, `echo k > "$`+name+`"`, "cat < $"+name, "wc "+g.operator(name),
		"cd $"+name+"; echo k > new"+g.mark(), "wc pre$"+name, "touch $"+name,
		"echo k > "+strings.Trim(g.operator(name), `"`), "cp a.txt $"+name)
	if asCommand {
		use = g.of(`eval "$`+name+`"`, "eval $"+name, "$"+name, `"$`+name+`"`, `bash -c "$`+name+`"`,
			`sh -c "$`+name+`"`, `bash <<< "$`+name+`"`, `wc "$`+name+`"`, `echo "$`+name+`" | sh`, "${"+name+"}",
			`trap "$`+name+`" EXIT`, "zsh -c \"$"+name+"\"", "env $"+name, "$"+name+" "+g.mark(), "$(echo $"+name+")")
	}
	if name == "_" && g.chance(70) {
		return g.of("_=", ": ", "wc ", "true ") + value(), func() string {
			return g.of("_=", ": ",
				"wc ") + value()
		}, use
	}
	first = g.of(name+"="+value(), oddities(g).assignment(name, value()), name+"="+value())
	if g.chance(15) {
		first = g.of("readonly ", "readonly ", "readonly ", "declare -r ", "declare -l ", "declare -u ", "export ",
			"declare -i ", "typeset -l ", "declare -n ", "local ") + first
	}
	return first, func() string {
		if g.chance(40) {
			return name + "=" + value()
		}
		return oddities(g).assignment(name, value())
	}, use
}

// around puts a change where it may not happen, not here, or not only once.
func (g scenes) around(text string, depth int) string {
	if g.chance(15) {
		return text
	}
	never := g.of("nofile", "/nonexistent/x", "nodir/new1", "$nofile", "src")
	ways := []string{
		text, text, text,
		"f() { " + text + "; }; f", "f() { " + text + "; }", "f() { return; " + text + "; }; f",
		"f() { if true; then return; fi; " + text + "; }; f", "f() { local " + strings.TrimPrefix(text,
			"local ") + "; }; f",
		"f() { " + text + "; return; }; f", "f() { " + text + "; } < " + never + "; f",
		"f() { " + text + "; }; f < " + never, "f() { " + text + "; }; f | cat", "f() ( " + text + " ); f",
		"function f { " + text + "; }; f", "f() { " + text + "; }; (f)", "f() { " + text + "; }; $(f)",
		"f() { g; }; g() { " + text + "; }; f",
		"for i in 1 2; do break; " + text + "; done", "for i in 1 2; do continue; " + text + "; done",
		"for i in 1; do " + text + "; done", "for i in; do " + text + "; done",
		"for i in nomatch*; do " + text + "; done", "while true; do " + text + "; break; done",
		"while false; do " + text + "; done", "until false; do break; " + text + "; done",
		"{ " + text + "; } < " + never, "{ " + text + "; } > " + never, text + " < " + never, text + " > " + never,
		text + " 2> " + never, text + " <&9", "{ " + text + "; } <&9", "{ " + text + "; }",
		"(" + text + ")", text + " | :", ": | " + text, text + " &", text + " & wait", "$(" + text + ")",
		": $(" + text + ")", ": <(" + text + ")", "[ -n \"$(" + text + ")\" ]",
		"true && " + text, "false && " + text, "true || " + text, "false || " + text, "wc k && " + text,
		"wc k || " + text, "! " + text, text + " && false", text + " || true",
		"if true; then " + text + "; fi", "if false; then " + text + "; fi", "if wc k; then " + text + "; fi",
		"if wc k; then :; else " + text + "; fi", "if " + text + "; then :; fi",
		"case k in k) " + text + ";; esac", "case k in b) " + text + ";; esac",
		"case k in k) :;& b) " + text + ";; esac", "[[ a == b ]] && " + text, "[ a = b ] || " + text,
		"(( 0 )) || " + text,
		"eval " + g.quoted(text), "eval " + g.quoted(text) + " < " + never, "command " + text, "builtin " + text,
		"time " + text, "coproc " + text, "exec " + text, "env " + text,
		"trap " + g.quoted(text) + " ERR; false", "trap " + g.quoted(text) + " CHLD; wc k",
		"trap " + g.quoted(text) + " DEBUG; :", "trap " + g.quoted(text) + " EXIT",
		"trap " + g.quoted(text) + " RETURN; f() { :; }; f", "trap " + g.quoted(text) + " ZERR; false",
		"trap " + g.quoted(text) + " USR1; kill -USR1 $$",
		"k=$((1/0)) " + text, "k=$((1/0)); " + text, ": ${nosuch?}; " + text, "shopt -s failglob\n: nomatch*; " + text,
		"set -u\n: $nosuch; " + text, "set -e\nfalse; " + text, "set -n; " + text, "set -f; " + text,
		"readonly k=1\nk=2; " + text, "cd nodir && " + text, "exit; " + text, "return; " + text, ": nomatch*; " + text,
		text + "\n#", "# " + text, "#\\\n" + text, ": \\\n" + text, ": <<E; " + text + "\nE\n",
		": <<E\n" + text + "\nE\n", ": '\n" + text + "\n'", ": $((\n1)); " + text, "alias k='" + "'; " + text,
		"noglob " + text, "repeat 0 " + text,
		"f() { :; } && " + text, "f() { :; } || " + text, "f() { :; } | " + text, "x=(a)#; " + text, "let k||" + text,
		"f() ((1))|&" + text, "x=(a)#;" + text, "let k=1;" + text, "f() [[ a ]] && " + text, "wc k#; " + text,
	}
	if g.chance(45) {
		ways = g.often(text, never)
	}
	text = ways[g.r.IntN(len(ways))]
	if depth < 2 && g.chance(25) {
		return g.around(text, depth+1)
	}
	return text
}

// often are the ways that went wrong before.
func (g scenes) often(text, never string) []string {
	return []string{
		"f() { local " + strings.TrimPrefix(text,
			"local ") + "; }; f", "f() { return; " + text + "; }; f",
		"f() { if true; then return; fi; " + text + "; }; f",
		"for i in 1 2; do " + g.of("break",
			"continue") + "; " + text + "; done", "{ " + text + "; } < " + never, text + " < " + never,
		"f() { " + text + "; }; f < " + never,
		"(" + text + ")", text + " | :", text + " &", "false && " + text, "true || " + text, "k=$((1/0)) " + text,
		": $(" + text + ")",
		"trap " + g.quoted(text) + " " + g.of("ERR; false", "CHLD; wc k", "DEBUG; :", "EXIT"), "readonly x; " + text,
	}
}

// tokens are what soup is made of.
func (g scenes) token() string {
	return g.choose(
		choice{30, g.command},
		choice{16, func() string {
			return g.of(";", "\n", "&&", "||", "|", "&", "|&", ";;", "(", ")", "{", "}", "((", "))", "[[", "]]", "!",
				"<", ">", ">>", "<<<", "<(", "$(", "`", "$((", "${", "=(", ";&", "&>", "<&")
		}},
		choice{12, func() string {
			return g.of("if", "then", "else", "fi", "for", "in", "do", "done", "while", "until", "case", "esac",
				"function", "time", "coproc", "select", "let", "eval", "local", "declare", "export", "f()", "return",
				"exec", "set", "trap", "foreach", "end", "repeat", "x=", "x=(", "$x", "!", "[", "]")
		}},
		choice{10, g.word},
		choice{8, func() string {
			return g.of("'", `"`, `\`, "#", "\\\n", "$", "~", "*", "?", "%", "^", "=", "+", "-", "@", ",", ":", ".",
				"\t", "\r", "\x01", "\u00a0", "é")
		}},
	)
}

// soup is tokens in any order, a few of them.
func (g scenes) soup() string {
	var b strings.Builder
	for range 2 + g.r.IntN(5) {
		b.WriteString(g.token() + g.of(" ", " ", " ", "", "\n"))
	}
	return b.String()
}

// mutated changes a few bytes of a text.
func (g scenes) mutated(text string) string {
	b := []byte(text)
	for range 1 + g.r.IntN(2) {
		if len(b) < 2 {
			break
		}
		at := g.r.IntN(len(b))
		switch g.r.IntN(4) {
		case 0:
			b = slices.Delete(b, at, at+1)
		case 1:
			b = slices.Insert(b, at, []byte(g.of("#", "'", `"`, `\`, " ", "\n", ";", "&", "|", "(", ")", "{", "}",
				"<", ">", "$", "`", "!", "*", "?", "~", "=", "\\\n", "\t", "&&", "|&", "#c\n", "''", `""`, "$x", "()",
				"[", "]", "^", ";;"))...)
		case 2:
			to := g.r.IntN(len(b))
			b[at], b[to] = b[to], b[at]
		case 3:
			end := min(len(b), at+1+g.r.IntN(8))
			b = slices.Insert(b, g.r.IntN(len(b)), slices.Clone(b[at:end])...)
		}
	}
	return string(b)
}

// session is a line like those that agents write, with words of its own and
// sometimes a change.
func (g scenes) session() string {
	a, b := g.mark(), g.mark()
	text := g.of(
		"cd src && ls -la "+a+" | head -20", "git status && git diff --stat "+a, "grep -rn '"+a+"' src | head -5",
		"find . -name '*.js' -not -path './node_modules/*' | xargs wc -l | tail -1",
		"ls "+a+" 2>/dev/null || echo none", "cat "+a+" | sort | uniq -c | sort -rn > new"+b,
		"for f in a b; do echo \"== $f\"; wc -l $f; done", "wc -l $(find . -name '*.txt')",
		"cat > new"+a+" <<'EOF'\nline $x\nEOF\nwc "+b, "cd src; ls; cd ..; wc "+a,
		"if [ -f "+a+" ]; then cat "+a+"; else echo no; fi", "x=$(git rev-parse HEAD); echo \"$x\" "+a,
		"echo \"a: $(wc -l < a.txt)\" && ls "+b, "diff <(ls "+a+") <(ls "+b+")", "head -5 "+a+"; echo ---; tail -5 "+b,
		"sed -n '1,5p' "+a+" | cat -n", "mkdir -p out/"+a+" && echo x > out/"+a+"/f", "export A="+a+" && echo $A",
		"cat package.json | grep '\"name\"' # "+a, "FILE="+a+"; wc -l \"$FILE\"; head \"$FILE\"",
		"(cd docs && ls "+a+") && wc "+b, "timeout 5 ls "+a+"; echo $?", "set -e; ls "+a+"; wc "+b,
		"echo 'it'\"'\"'s' "+a, "awk '{print $1}' "+a+" | sort -u",
		"for i in 1 2 3; do echo $i; done | wc "+a, "while read -r l; do echo \"$l\"; done < a.txt",
		"printf '%s\\n' "+a+" "+b+" >> a.txt", "ls -la ~/"+a+" /tmp 2>&1 | grep -v "+b,
		"test -d src && echo yes || wc "+a, "n=0; for f in *.txt; do n=$((n+1)); done; echo $n",
	)
	switch g.r.IntN(4) {
	case 0:
		return g.mutated(text)
	case 1:
		return text + g.separator() + g.statement()
	case 2:
		return g.around(text, 1)
	}
	return text
}
