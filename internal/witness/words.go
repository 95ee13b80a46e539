package main

import "strings"

// word is one argument. Its parts stand beside each other without a space.
func (g *generator) word() string {
	return g.choose(
		choice{36, g.mark},
		choice{8, g.file},
		choice{8, func() string { return g.quoted(g.mark()) }},
		choice{6, func() string { return g.part() + g.part() }},
		choice{6, g.glob},
		choice{8, g.expansion},
		choice{4, g.substitution},
		choice{4, g.tilde},
		choice{1, g.braces},
		choice{1, g.hash},
		choice{2, func() string { return "-" + g.of("l", "a", "n", "-", "e", "rf", "la", "c", "o") }},
		choice{2, func() string { return g.path() }},
	)
}

func (g *generator) part() string {
	return g.choose(
		choice{10, g.mark},
		choice{6, func() string {
			return g.quoted(g.of("a b", "$x", "*", "k", "#", "\\", ";", "|", "`", "!", "~", "{a,b}", "'", `"`,
				"\t") + g.mark())
		}},
		choice{4, func() string {
			return `\` + g.of("*", " ", ";", "$", "'", `"`, `\`, "#", "~", "{", "k", "&", "|", "<", "\n", "!")
		}},
		choice{4, g.expansion},
		choice{3, g.substitution},
		choice{2, func() string {
			return g.of("*", "?", "[ab]", "[!k]", "{", "}", "=", ":", "~", "#", "!", "^", "@", "%", "+", ",", "-",
				"]", "[")
		}},
		choice{1, func() string { return `"` + g.mark() + g.expansion() + g.of("", " ", "*") + `"` }},
		choice{1, func() string {
			return g.of(`$'\x6b'`, `$'\n'`, `$'a\tb'`, `$"k"`, `$'\''`, `''`, `""`, `$'\u006b'`, `$'\0'`, `$'\ck'`)
		}},
	)
}

func (g *generator) file() string {
	return g.of("a.txt", "b.txt", "README.md", "src/tax.js", "src", ".", "..", "docs/k1", "nofile", "lnk/tax.js",
		"'a b/c d.txt'", "z/1", "1", "/tmp", "/dev/null", "up", ".git/config", "./a.txt", "src//tax.js",
		"src/../a.txt")
}

func (g *generator) glob() string {
	if g.odd() {
		return g.of("*(.)", "**/*", "!(a*)", "@(a|b)*", "+(k)", "*(e:'wc g':)", "(a|b).txt", "*~a*", "^a*", "*#",
			"[[:alpha:]]*", "[]a]*", "=wc", "<1-9>", "*(N)", "?(a).txt")
	}
	return g.of("*", "*.txt", "?", "[ab].txt", "src/*", "*/*", "k*", "nomatch*", ".*", "z/*", "[!a]*", "[a-b]*.txt",
		"*.js*", "./*", "src/*.js", "~/*", `"a"*`, `*".txt"`, `\**`, "a'*'", "[1w]*")
}

// tilde stands where a shell may take it for a home directory.
func (g *generator) tilde() string {
	name := g.mark()
	return g.of("~", "~/"+name, "of=~/"+name, "a=~/"+name, "--o=~/"+name, "x:~/"+name, "a=b:~/"+name, "~+/"+name,
		"~-", "~root/"+name, `"~"/`+name, `\~/`+name, "a=~", "if=~/"+name, "k~", "~nobody", "_a1=~/"+name,
		"a+=~/"+name, "a[1]=~/"+name, "1a=~/"+name, "a='b':~/"+name, "x=~:~", "=~/"+name)
}

func (g *generator) braces() string {
	a, b := g.mark(), g.mark()
	return g.of("{"+a+","+b+"}", "{1..3}", "a{"+a+",}b", "{"+a+"}", "{,}", "{a..c}", `{"a,b",`+a+"}", "{"+a+","+b,
		"x={"+a+","+b+"}", "{01..03}", "{1..5..2}", `{a\,b,c}`, "${x}{"+a+","+b+"}", "{{a,b},"+b+"}", "{$x,"+a+"}",
		"$x{1..2}", "~{,/k1}", "{~,k}/"+a, "{1..$x}", "{}")
}

// hash puts the sign of a comment where it may be none.
func (g *generator) hash() string {
	name := g.mark()
	return g.of(name+"#"+name, "#"+name+"\nwc "+name, `\#`+name, "''#"+name, "$#", "${#}", "${#x}", "'a'#"+name,
		"$x#"+name, "$(:)#"+name, "`:`#"+name, "{a,b}#"+name, "*#"+name, "$((1))#"+name, "#", "$'a'#b", "=#"+name)
}

// path has a shape that programs and shells may read differently.
func (g *generator) path() string {
	return strings.Join([]string{g.of("", "./", "/tmp/", "src/", "lnk/", "../", "up/", "~/", "$HOME/", "//"),
		g.of("src", "new", "sub", "..", ".", "", "a.txt"), g.of("", "/", "//", "/.", "/..", "/../x", ".js")}, "")
}

// expansion is a parameter.
func (g *generator) expansion() string {
	name := g.name()
	if g.chance(70) && !g.odd() {
		return g.of("$"+name, `"$`+name+`"`, "${"+name+"}", `"${`+name+`}"`)
	}
	return g.choose(
		choice{3, func() string {
			return g.of("$?", "$HOME", `"$PWD"`, "$((1+2))", "$((x))", "$(( $x ))", "$(($x+1))", "$[1+1]", "$((x=5))",
				"$((x++))", "$((a[0]))")
		}},
		choice{3, func() string {
			return g.of("$1", `"$@"`, "$*", `"$*"`, "$#", "$$", "$!", "$_", "$-", "$0", "$LINENO", "$RANDOM",
				"$SECONDS", "$OLDPWD", "$IFS", "$UID", "$PATH", "$REPLY", "$BASH_VERSION", "$status", "$argv",
				"$path", "$USER", "$UNSET")
		}},
		choice{6, func() string { return g.operator(name) }},
	)
}

// operator is an expansion that does something with the value.
func (g *generator) operator(name string) string {
	pattern := g.of("*", "k", "k*", `".js*"`, `'*'`, `\*`, `"*"`, "?", "[a-z]", ".js", `"v*"`, `.js\*`, "$y", `"$y"`,
		"*/", "/*", "${y}*", "'.'*", `*"1"`)
	word := g.of(g.mark(), `"$(wc `+g.mark()+`)"`, "", "$y", "'a b'", "*", "~", `\}`, "`wc "+g.mark()+"`", `"}"`,
		`'}'`)
	op := g.of("%", "%%", "#", "##", ":-", "-", ":=", "=", ":+", "+", ":?", "?", "/", "//", "/#", "/%", "^", "^^",
		",", ",,", ":", "@Q", "@P", "@E", "@A", "@U")
	switch op {
	case "%", "%%", "#", "##":
		op += pattern
	case "/", "//", "/#", "/%":
		op += pattern + "/" + word
	case ":":
		op += g.of("1", "0:2", " -1", "1:1", "$y", "x", "$(wc "+g.mark()+")", "a[$(wc "+g.mark()+")]")
	case "^", "^^", ",", ",,", "@Q", "@P", "@E", "@A", "@U":
	default:
		op += word
	}
	text := "${" + g.of("", "", "", "", "!", "#") + name + op + "}"
	if g.chance(10) {
		text = g.of("${(U)"+name+"}", "${="+name+"}", "${~"+name+"}", "${^"+name+"}", "${(e)"+name+"}",
			"${"+name+"[1]}", "${"+name+"[@]}", "${"+name+"[0]}", "${!"+name+"}", "${#"+name+"}", "${(P)"+name+"}",
			"${name:h}", "$"+name+"[1]", "$"+name+":h", "${(s:k:)"+name+"}", "${"+name+"[$(wc "+g.mark()+")]}")
	}
	if g.chance(50) {
		return `"` + text + `"`
	}
	return text
}

// substitution runs something.
func (g *generator) substitution() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 4 {
		return g.mark()
	}
	return g.choose(
		choice{8, func() string { return "$(" + g.inner() + ")" }},
		choice{6, func() string { return `"$(` + g.inner() + `)"` }},
		choice{9, func() string {
			return `"$(` + g.of("dirname", "basename", "echo", "printf %s", "realpath") + " " + g.path() + g.of("",
				" ", " -- ") + `)/` + g.mark() + `"`
		}},
		choice{3, func() string { return "`" + g.inner() + "`" }},
		choice{2, func() string { return g.of("<(", ">(", "=(") + g.inner() + ")" }},
		choice{2, func() string { return g.of("$(echo ", "$(printf %s ") + g.word() + ")" }},
		choice{1, func() string {
			return g.of("$(<a.txt)", "$(< nofile)", "${ wc k; }", "$(pwd)", "$(cat <<E\nk1\nE\n)",
				"$(case x in x) wc k;; esac)", "$(wc k # c\n)", "$(:)", "$( (wc k) )", "$((wc k) )")
		}},
	)
}

func (g *generator) inner() string {
	owed := g.docs
	g.docs = nil
	text := g.command()
	if g.chance(20) {
		text = g.nested()
	}
	g.docs = owed
	return text
}

// redirections are mostly none.
func (g *generator) redirections() string {
	var b strings.Builder
	for g.chance(22) {
		b.WriteString(g.glue() + g.redirection())
	}
	return b.String()
}

func (g *generator) redirection() string {
	if g.odd() || g.chance(6) {
		return g.descriptor()
	}
	target := "new" + g.mark()
	return g.choose(
		choice{10, func() string { return " >" + g.glue() + target }},
		choice{8, func() string { return " >>" + g.glue() + g.of(target, "a.txt", "src/"+target, "~/"+target) }},
		choice{10, func() string {
			return " " + g.of("2>/dev/null", "2>&1", ">/dev/null", "> /dev/null 2>&1", "2>&1 >/dev/null",
				"&>/dev/null", "</dev/null")
		}},
		choice{5, func() string {
			return " <" + g.glue() + g.of("a.txt", "nofile", "README.md", "src/tax.js",
				g.word())
		}},
		choice{3, func() string { return " > " + g.word() }},
		choice{3, func() string {
			return " > " + g.of("src/", "docs/", "/tmp/", "./", "lnk/", "nodir/", "'a b'/") + target
		}},
		choice{4, g.hereDocument},
		choice{2, func() string { return " <<<" + g.glue() + g.word() }},
	)
}

// descriptor is about numbers of open files, and their names.
func (g *generator) descriptor() string {
	target := "new" + g.mark()
	n := g.of("0", "1", "2", "3", "3", "9", "", "")
	return g.choose(
		choice{6, func() string {
			return " >" + g.of("", ">", "|") + g.glue() + g.of("/dev/stdin", "/dev/stdout", "/dev/stderr",
				"/dev/fd/"+g.of("0", "1", "2", "3", "3"), "/proc/self/fd/"+g.of("0", "1", "3"))
		}},
		choice{4, func() string {
			return " " + n + "<" + g.glue() + g.of("a.txt", "README.md", "notes.txt", "src/tax.js", "nofile")
		}},
		choice{4, func() string { return " " + n + g.of(">", ">>") + g.glue() + target }},
		choice{4, func() string {
			return " < " + g.of("a.txt", "README.md", "~/.bashrc") + " >" + g.of("", ">") + " " + g.of("/dev/stdin",
				"/dev/fd/0", "/proc/self/fd/0")
		}},
		choice{3, func() string {
			return " 3<" + g.of("a.txt", "README.md") + " > " + g.of("/dev/fd/3", "/proc/self/fd/3")
		}},
		choice{3, func() string {
			return " " + g.of(">&2", "<&3", ">&3", "3>&1", "3>&-", "<&-", "1>&-", ">&"+target, "&>"+target,
				"&>>"+target, "<>"+target, "1<>"+target, "{fd}>"+target, "3<&0", ">|"+target, ">!"+target,
				"2>&1>"+target, ">&$x", "9>&1")
		}},
	)
}

func (g *generator) hereDocument() string {
	end := g.of("E", "EOF", "E1")
	body := strings.Join([]string{g.of("", "k1\n", "$x\n", "$(wc "+g.mark()+")\n", "`wc "+g.mark()+"`\n", "it's\n",
		"$x:h\n", "$x\u00e9\n", "\\\n",
		" "+end+"\n", end+" \n", "wc "+g.mark()+"\n", "\t"+end+"\n", `${x:-$(wc `+g.mark()+")}\n",
		"$((x))\n")}, "")
	quoted := g.of(end, "'"+end+"'", `"`+end+`"`, `\`+end)
	dash := g.of("", "", "-")
	if len(g.docs) > 1 {
		return ""
	}
	g.docs = append(g.docs, body+g.of("", "", "")+end+"\n")
	return " <<" + dash + g.of("", " ") + quoted
}
