package main

import "strings"

// ending is a word of quotes, substitutions and here-documents in each other, with what
// ends them in their texts: where a shell ends another than the parser does, a command
// of the text runs, or the shell cannot read the rest (refused).
func (g tricks) ending() string {
	if g.chance(20) {
		text := "cat <<" + g.of("E", "-E", "'E'") + g.of("", " | wc", " > new"+g.mark()) + "\n" + g.scraps() + "\nE\n"
		return strings.ReplaceAll(text+g.of("", g.command(), g.scraps()), "E", g.of("E", "wc", "EOF"))
	}
	word := g.enclosed(1 + g.r.IntN(2))
	return g.of("echo "+word, "echo "+word, "x="+word, `echo "`+word+`"`, `git commit -m "`+word+`"`, "wc "+word,
		"cat <<< "+word, "[ -n "+word+" ]", "for i in "+word+"; do wc; done", "wc > new"+word) +
		g.of("", "", " "+g.mark(), "\n"+g.command(), "; "+g.command(), " | wc")
}

// enclosed is a word, or a part of a word.
func (g tricks) enclosed(depth int) string {
	var b strings.Builder
	for range 1 + g.r.IntN(2) + g.r.IntN(2) {
		b.WriteString(g.enclosure(depth))
	}
	return b.String()
}

func (g tricks) enclosure(depth int) string {
	if depth == 0 {
		return g.of("k", g.mark(), "{k,"+g.mark()+"}", "$x", "$$", "\\"+g.of("'", `"`, "`", "$", "(", "k"))
	}
	inner := func() string { return g.enclosed(depth - 1) }
	program := g.of("wc ", "echo ", "cat ", "cat <<'E'\n"+g.scraps()+"\nE\n", "cat <<E\n"+g.scraps()+"\nE\n",
		"wc k; wc ", "wc # "+g.scrap()+"\n")
	return g.choose(
		choice{4, func() string { return "'" + strings.ReplaceAll(g.scraps(), "'", "") + "'" }},
		choice{4, func() string { return `"` + inner() + `"` }},
		choice{2, func() string { return `"` + g.scraps() + `"` }},
		choice{2, func() string { return "$'" + strings.ReplaceAll(g.scraps(), "'", "\\'") + "'" }},
		choice{3, func() string { return "$(" + program + inner() + ")" }},
		choice{2, func() string { return "`" + program + inner() + "`" }},
		choice{1, func() string { return "<(" + program + inner() + ")" }},
		choice{1, func() string { return "${x}" + inner() }},
		choice{2, func() string {
			return g.of("$", "$$", "$?", "$#", "$!", "$-", "$0", "$@", "$_", "$x",
				"\\$") + inner()
		}},
		choice{1, func() string { return g.scraps() }},
		choice{4, func() string {
			document := "cat <<" + g.of("'E'", "E", "-E", `"E"`) + "\n" + g.scraps() + "\nE\n"
			document = strings.ReplaceAll(document, "E", g.of("E", "E", "wc", "EOF"))
			return g.of("$("+document+")", `"$(`+document+`)"`, "`"+document+"`", "\"`"+document+"`\"",
				"<("+document+")")
		}},
		choice{1, func() string { return "$((" + g.of("1", "1+1", "x", g.scrap()) + "))" }},
	)
}

// scraps are signs that end or begin something, with commands between them.
func (g tricks) scraps() string {
	var b strings.Builder
	for range g.r.IntN(5) {
		b.WriteString(g.scrap())
	}
	return b.String()
}

func (g tricks) scrap() string {
	run := "wc " + g.mark()
	return g.of("'", `"`, "`", "(", ")", "{", "}", "\\", "\\", "$", "$$", "$(", "${", "$$(", "$${", "[", "]", "\nE\n",
		"\nE)", "\nE", "E", "#", " # ", "\n", " ", ";", "k", "((", "))", "|", "&", "<<E", "~", "*", "!",
		"{k,"+g.mark()+"}", "{1..2}",
		"; "+run+"; ", "\n"+run+"\n", "$("+run+")", "`"+run+"`", ";"+run+"; #", "`; "+run+"; echo `",
		`")"$(`+run+")", `"}"$(`+run+")",
		"${x}E\n", "$(wc)E\n", "$\tE\n", "\n'\nE\n"+run+" #'", "\nE)\n"+run+"\nE\n", ")\n"+run+"\n(",
		`"; `+run+`; echo "`)
}

// calculating hands a shell a text where it may take a number or a name.
func (g tricks) calculating() string {
	code := g.of("'path[$(wc "+g.mark()+")]'", "'a[$(wc "+g.mark()+")]'", "'a[`wc "+g.mark()+"`]'",
		"'x[$(wc "+g.mark()+")]=1'", `"x[\$(wc `+g.mark()+`)]"`)
	variable := g.of("COLUMNS", "LINES", "HISTSIZE", "SHLVL", "SAVEHIST", "OPTIND", "KEYTIMEOUT", "LISTMAX",
		"MAILCHECK",
		"ZLE_RPROMPT_INDENT", "FUNCNEST", "RANDOM", "SECONDS", "LOGCHECK", "BAUD", "x", "TMOUT", "HISTCMD",
		"UID", "TRY_BLOCK_ERROR",
		"REPORTTIME", "DIRSTACKSIZE", "ERRNO", "HISTFILESIZE", "BASH_COMPAT", "FCEDIT", "IGNOREEOF", "LINENO")
	return g.of(
		variable+"="+code+" wc k", variable+"="+code, "export "+variable+"="+code,
		"for "+variable+" in "+code+"; do wc k; done",
		"read "+variable+" <<< "+code, "[ -t "+code+" ]", "test -t "+code, "[ ! -t "+code+" ]", "[ -v "+code+" ]",
		"[ "+code+" -eq 1 ]", "[ 1 -lt "+code+" ]", "[ -R "+code+" ]", "[ -o "+code+" ]", "[ -n k -o -t "+code+" ]",
		"[ $(echo -v) "+code+" ]", "x=-v; [ $x "+code+" ]", "x=-t; [ \"$x\" "+code+" ]", "printf %d "+code,
		"printf '%*d' "+code+" 1", "read -t "+code+" x", "read -n "+code+" x", "wait "+code, "exit "+code,
		"break "+code,
		"kill -0 "+code, "sleep "+code, "umask "+code, "ulimit -n "+code, "cd +"+code, "shift "+code,
		"head -n "+code+" a.txt",
		"test "+code, "[ k "+code+" ]", "[ -f "+code+" ]", "echo $(("+strings.Trim(code, "'\"")+"))",
		"env "+variable+"="+code+" wc k",
		"x='-v a[$(wc${IFS}"+g.mark()+")]'; [ $x ]", "x="+code+"; [ $x -eq 1 ]", "x="+code+"; echo $((x))",
	)
}

// renamed gives a variable another value by a way that does not name it plainly.
func (g tricks) renamed() string {
	name := g.of(`"f"`, "'f'", "$x", "${x}", `"$x"`, "$'f'", "{f,g}", `f""`, "\\f", "$(echo f)", "f")
	change := g.of("read "+name, "read -r "+name, "command read "+name, "read -r a "+name, "'read' "+name,
		"\\read "+name,
		"printf -v "+name+" new"+g.mark(), "getopts f "+name, "unset "+name, "export "+name+"=new"+g.mark(),
		"mapfile -t "+name, "builtin read "+name, "{read,f}", "read -d '' "+name, "read -p k "+name)
	if strings.Contains(change, "read") || strings.Contains(change, "mapfile") {
		change += g.of(" <<< new"+g.mark(), " <<E\nnew"+g.mark()+"\nE\n", " < a.txt")
	}
	use := g.of("echo k > $f", `echo k > "$f"`, "touch $f", "wc $f", "wc k >> $f", "env $f k", "sh -c \"$f\"",
		"cp a.txt $f")
	return "f=" + g.of("a.txt", "new0", "wc", "ls") + g.of("; ", "\n") + "x=f" + g.of("; ", "\n") +
		g.of(change, "if "+change+"; then :; fi", "for x in f; do "+change+"; done",
			"true && "+change) + g.of("; ", "\n") + use
}

// refused is the line in which a shell says that it cannot read a text, "" where it said
// nothing of the kind: then it took the text apart in another way than nod.
func refused(output string) string {
	for line := range strings.Lines(output) {
		for _, what := range [...]string{"syntax error", "Syntax error", "parse error near", "unexpected EOF",
			"missing end of string",
			"unmatched ", "bad substitution"} {
			before, _, found := strings.Cut(line, what)
			if found && complains(before) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// complains reports whether a line begins as a shell's complaint does: bash: line 1:,
// zsh:1:, dash: 1:, (eval):1:.
func complains(before string) bool {
	for _, shell := range [...]string{"bash: ", "zsh:", "dash: ", "sh: ", "(eval):", "/shells/"} {
		if strings.HasPrefix(before, shell) && !strings.Contains(before, "[: ") && !strings.Contains(before,
			"test: ") {
			return true
		}
	}
	return false
}
