package main

import "strings"

// oddity is a statement outside the language that nod settles.
func (g oddities) oddity() string {
	return g.choose(
		choice{10, g.function},
		choice{4, func() string { return g.of("f", "g", "f", "wc", "ls") + " " + g.word() }},
		choice{8, func() string { return g.assignment(g.name(), g.constant()) }},
		choice{4, func() string { return g.trap(g.nested()) }},
		choice{4, func() string {
			return g.of("eval ", ". ", "source ") + g.of(`"$x"`, "$x", `'wc k'`, "./x.sh", "<(echo wc k)",
				"/dev/stdin", "a.txt")
		}},
		choice{4, g.arithmetic},
		choice{3, g.caseClause},
		choice{4, g.test},
		choice{5, g.array},
		choice{5, g.option},
		choice{3, func() string {
			return "exec " + g.of("3<", "3>", ">", "<", "2>", ">>", "3<>") + g.glue() + g.of("a.txt", "new"+g.mark(),
				"/dev/null", "nofile")
		}},
		choice{4, func() string {
			return g.of("return", "break", "continue", "exit", "shift", "return 1", "break 2", "wait", "unset x",
				"unset -f f", "hash wc", "hash -p /usr/bin/ls wc", "enable -n echo", "unalias -a", "getopts a: x",
				"times", "ulimit -n 3", "umask 0", "unset PATH", "disown", "suspend", "logout", "rehash")
		}},
		choice{4, func() string {
			return g.of("alias ", "alias -g ", "alias -s ") + g.of("wc", "f", "x", "k1",
				"ls") + "=" + g.quoted("wc "+g.mark()+g.of("", " ", ";", " #", " |"))
		}},
		choice{2, func() string { return "coproc " + g.of("", "N ") + g.compound() }},
		choice{1, func() string { return "select x in a b; do " + g.block() + "done" }},
		choice{3, func() string {
			return g.of("pushd ", "popd ", "cd ", "chdir ", "dirs ", "cd -P ", "cd -e ", "cd -q ",
				"CDPATH=/tmp cd ") + g.directory()
		}},
		choice{4, func() string {
			return g.of("_", "IFS", "PATH", "HOME", "PWD", "OLDPWD", "CDPATH", "GLOBIGNORE", "PS4", "BASH_ENV", "ENV",
				"SECONDS", "REPLY", "path", "argv", "NULLCMD", "READNULLCMD", "FUNCNEST", "POSIXLY_CORRECT", "TMPDIR",
				"cdpath", "status", "histchars", "OPTIND", "UID", "BASHOPTS", "SHELLOPTS", "EXECIGNORE",
				"PROMPT_COMMAND", "LC_ALL", "fpath", "module_path") + g.of("=", "+=") + g.of("src", "k", "/tmp", "x",
				"''", "(k1)", "/usr/bin", ".", "z", "1", "*")
		}},
		choice{3, func() string { return g.zshOnly() }},
		choice{3, func() string {
			return g.compound() + g.glue() + g.of("|", "&&", "||", "|&", "&", ";", "") + g.glue() + g.statement()
		}},
		choice{2, func() string { return g.name() + " " + g.of("=", "=k", "+= k", "== k") }},
		choice{2, func() string {
			return g.of("<a.txt", "> new"+g.mark(), ">>a.txt", "<&3", "2>new"+g.mark(), "< nofile") + g.of("",
				" "+g.command())
		}},
		choice{4, func() string {
			return g.of("$x ", `"$x" `, "${x} ", "$y", "`echo wc` ", "$(echo wc) ", "${x:-wc} ", "$1 ", "* ", "w? ",
				"~/x.sh ", "./x.sh ", "x.sh ", "{wc,k} ", "$@ ", "% ", "= ", "[[ ") + g.word()
		}},
		choice{3, func() string {
			return "read " + g.of("", "-r ", "-t 'a[$(wc k)]' ", "-n 1 ", "-a ", "-u 3 ", "-A ", "-k 1 ",
				"-d '' ") + g.name() + g.of("", " <<< k1", " < a.txt", " < <(wc k1)", " y")
		}},
		choice{2, func() string {
			return g.of("printf -v ", "mapfile -t ", "mapfile -C 'wc k' -c 1 ", "print -v ", "vared ", "readarray ",
				"print -z ", "zstyle ", "getopts ab: ") + g.name() + " " + g.constant() + " < a.txt"
		}},
		choice{2, func() string {
			return g.of("-", "time -p", "exec -a", "exec -c", "exec -l", "command -p", "env -S", "builtin cd",
				"nocorrect", "noglob", "!", "! !", "time !", "coproc") + " " + g.command()
		}},
	)
}

// function is a definition in any of its forms, with what may follow it.
func (g oddities) function() string {
	name := g.of("f", "f", "f", "g", "wc", "ls", "echo", "cd")
	head := g.of(name+"()", name+" ()", "function "+name, "function "+name+" ()", name+"( )", name+"()\n",
		"function f g", "f g ()", "()", "function")
	body := g.compound()
	if g.chance(75) {
		body = "{ " + g.body() + "}"
	}
	text := head + g.of(" ", " ", "\n", "") + body + g.redirections()
	return text + g.choose(
		choice{6, func() string { return "" }},
		choice{6, func() string { return g.of("; ", "\n") + name + " " + g.word() }},
		choice{5, func() string { return g.glue() + g.of("&&", "||", "|", "|&", "&") + g.glue() + g.statement() }},
	)
}

// body is what stands in a function.
func (g oddities) body() string {
	if g.chance(40) {
		return g.of("return; ", "local x=k; ", "shift; ", "set -- k; ", "break; ", "local x; ", "cd src; ",
			"unset x; ", "wc \"$1\" $#; ", "setopt localoptions; ", "return 1\n") + g.block()
	}
	return g.block()
}

// compound is a command with its own end.
func (g oddities) compound() string {
	return g.choose(
		choice{5, func() string { return "{ " + g.block() + "}" }},
		choice{4, func() string { return "(" + g.block() + ")" }},
		choice{4, func() string { return g.arithmetic() }},
		choice{3, func() string { return g.test() }},
		choice{3, func() string { return g.caseClause() }},
		choice{3, func() string { return g.forLoop() }},
		choice{3, func() string { return g.condition() }},
		choice{1, func() string { return g.whileLoop() }},
	)
}

func (g oddities) arithmetic() string {
	e := g.of("1", "0", "x", "x=1", "x++", "x=y=2", "1/0", "a[$(wc "+g.mark()+")]", "$x", "x+=1", "x<y", "x>3",
		"x?1:2", "x,y", "x==1", "1<<2", "2#1", "x#1", "$(wc "+g.mark()+")", "`wc "+g.mark()+"`", "16#ff", "'k'",
		"\"$x\"", "x|y", "x||y", "!x", "~x", "x--", "0x1")
	return g.choose(
		choice{4, func() string { return "((" + g.glue() + e + g.glue() + "))" }},
		choice{5, func() string { return "let " + g.of(e, g.quoted(e), "x", "x y", "x=1") }},
		choice{1, func() string { return "for ((i=0;i<" + g.of("2", e) + ";i++)); do " + g.block() + "done" }},
		choice{1, func() string { return "for ((;;)) { " + g.block() + "break; }" }},
		choice{1, func() string { return "((" + e + ") )" }},
		choice{1, func() string { return ": $((" + e + "))" }},
	)
}

func (g oddities) caseClause() string {
	var b strings.Builder
	b.WriteString("case " + g.word() + g.of(" in ", " in\n"))
	for range 1 + g.r.IntN(2) {
		b.WriteString(g.of("", "(") + g.of(g.word(), "*", "k*|x", "[a-z]", `"$x"`, "k|(b)", "a b", "#") + g.of(")",
			" ) ", ")\n") + g.block() + g.of(";;", ";;\n", ";&", ";;&", "\n;; ", ";|"))
	}
	return b.String() + " esac"
}

func (g oddities) test() string {
	w := g.word()
	e := g.of("-n "+w, "-z $x", w+" == "+g.word(), "$x =~ ^k(a|b)$", "-f a.txt && -d src",
		"x -eq a[$(wc "+g.mark()+")]", w+" < "+g.word(), "! -e nofile", "(a == b) || c", "-v x[$(wc "+g.mark()+")]",
		w, "a > b", "$x = k*", "-o x", "x -lt y", "# ]]", "-t 'a[$(wc k)]'")
	return g.of("[[ "+e+" ]]", "[[ "+e+" ]]", "[ "+e+" ]", "test "+e, "[[ "+e+"\n]]", "[["+e+"]]")
}

func (g oddities) array() string {
	x := g.name()
	a, b := g.mark(), g.mark()
	return g.choose(
		choice{6, func() string {
			return x + "=(" + g.of(a+" "+b, "", "*", a+"\n"+b, "["+a+"]="+b, "$y", `"$(wc `+a+`)"`, "[0]=a [5]=b",
				a+" # c\n", "[$(wc "+a+")]=b") + ")" + g.of("", "", "#c", g.of(";", "#c;", "&&", "|", " ", "#c\n",
				"|#c\n")+g.command())
		}},
		choice{3, func() string {
			return x + g.of("[1]=", "[0]=", "[-1]=", "[x]=", "[$(wc "+a+")]=", "[1]+=", "[@]=", "[x=1]=") + b
		}},
		choice{2, func() string { return x + "+=(" + a + ")" + g.of("", "; wc \"${"+x+"[@]}\"", "; wc $"+x) }},
		choice{2, func() string {
			return g.of("declare -A ", "declare -a ", "typeset -A ", "local -a ", "export ", "readonly ",
				"set -A ") + x + g.of("=("+a+")", "=([a]=b)", " "+a)
		}},
		choice{2, func() string {
			return x + "=(" + g.quoted("wc "+a) + " " + b + "); " + g.of(`"${x[@]}"`, "${x[0]}", "eval ${x[0]}", "$x",
				`wc ${x[@]:1}`, "unset x[0]; wc $x", "${x[@]}", "eval ${x[1]}")
		}},
	)
}

func (g oddities) option() string {
	return g.of("set ", "set ", "shopt -s ", "setopt ", "unsetopt ", "shopt -u ") + g.of("-f", "-e", "-u", "-k", "-n",
		"-v", "-x", "-a", "-o noglob", "+e", "-B", "+B", "-H", "-P", "-T", "-E", "-m", "-- "+g.mark()+" "+g.mark(),
		"- "+g.mark(), "-", "--", "-o posix", "-o pipefail",
		"dotglob", "nocaseglob", "nullglob", "failglob", "extglob", "globstar", "expand_aliases", "lastpipe",
		"extdebug", "xpg_echo", "inherit_errexit", "autocd", "cdable_vars", "nocasematch", "sourcepath",
		"localvar_inherit", "noexec",
		"shwordsplit", "globsubst", "ksharrays", "extendedglob", "rcexpandparam", "errexit", "autocd", "cshnullglob",
		"shnullcmd", "noglob", "nobareglobqual", "interactivecomments", "multios", "kshglob", "shfileexpansion",
		"magicequalsubst", "braceccl", "posixbuiltins", "allexport", "chaselinks", "warncreateglobal", "nomatch")
}

// trap arranges that a text runs later.
func (g oddities) trap(text string) string {
	return "trap " + g.of("", "-- ") + g.quoted(text) + " " + g.of("EXIT", "ERR", "DEBUG", "RETURN", "CHLD", "0",
		"INT", "ZERR", "USR1", "SIGCHLD", "TERM EXIT", "exit") + g.of("; false", "; wc "+g.mark(), "\n",
		"; kill -USR1 $$", "; true | true")
}

func (g oddities) zshOnly() string {
	return g.of(
		"repeat 2 "+g.command(), "for x (a b) "+g.command(), "foreach x (a b); "+g.command()+"; end",
		"{ "+g.block()+"} always { "+g.block()+"}",
		"if [[ a == a ]] { "+g.command()+" }", "while false { "+g.command()+" }", "() { "+g.command()+"; } "+g.mark(),
		"=wc "+g.mark(), "x=(*(N)); wc $x",
		"wc *(e:'x=1':)", "print -P '%(1j.a.$(wc "+g.mark()+"))'", "autoload f; f", "zmodload zsh/system",
		"typeset -T X x", "wc $x:h", "echo ${:-wc}", "if (true) "+g.command(), "for x in a b; "+g.command(),
		"case a (a) "+g.command()+";; esac",
		"sched +0 wc "+g.mark(), "wc "+g.mark()+" &!", "wc "+g.mark()+" &|", "TRAPEXIT() { "+g.command()+"; }",
		"TRAPDEBUG() { "+g.command()+"; }", "precmd() { "+g.command()+"; }", "functions[f]='"+g.command()+"'; f",
		"command_not_found_handler() { "+g.command()+"; }; nosuch",
		"command_not_found_handle() { "+g.command()+"; }; nosuch", "aliases[wc]=ls; eval wc "+g.mark(),
		"! { "+g.block()+"} ", "time { "+g.block()+"}", "> new"+g.mark()+" > new"+g.mark()+" echo k",
		"cat < a.txt < b.txt", "until true { "+g.command()+" }", "function { "+g.command()+" }",
		"wc ${x/k/$(wc "+g.mark()+")}", "nocorrect wc "+g.mark(), "x=k; x[1]=j; wc $x",
		"wc ${(e):-'$(wc "+g.mark()+")'}", "integer i=1; i='a[$(wc "+g.mark()+")]'", "float f; f=1",
		"let 'x=a[$(wc "+g.mark()+")]'")
}

// assignment gives a name a value in one of many ways.
func (g oddities) assignment(name, value string) string {
	return g.choose(
		choice{20, func() string { return name + "=" + value }},
		choice{14, func() string {
			return g.of("local ", "declare ", "typeset ", "readonly ", "export ", "local ", "declare -g ",
				"local -g ", "declare -l ", "declare -u ", "typeset -l ", "typeset -u ", "declare -i ", "declare -r ",
				"declare -x ", "declare -c ", "declare -n ", "typeset -L2 ", "private ", "typeset -Z3 ",
				"integer ") + name + "=" + value
		}},
		choice{2, func() string { return name + "+=" + value }},
		choice{2, func() string { return "read " + name + " <<< " + value }},
		choice{2, func() string { return "printf -v " + name + " %s " + value }},
		choice{2, func() string { return ": ${" + name + g.of(":=", "=") + value + "}" }},
		choice{2, func() string { return "eval " + name + "=" + value }},
		choice{2, func() string { return "unset " + name }},
		choice{2, func() string { return "for " + name + " in " + value + "; do :; done" }},
		choice{2, func() string { return "y=" + value + " " + name + "=$y" }},
		choice{2, func() string {
			return g.of("declare", "local", "export", "typeset") + " y=" + value + " " + name + "=$y"
		}},
		choice{1, func() string {
			return g.of("declare ", "",
				"export ") + name + "={" + value + "," + g.mark() + "}"
		}},
		choice{1, func() string { return name + "=" + value + " :" }},
		choice{1, func() string {
			return name + "=" + value + " " + g.of("eval :", "wc", "export z", "f", "set --", "exec", "command :",
				"true")
		}},
		choice{1, func() string { return "set -- " + value }},
		choice{1, func() string { return name + "[0]=" + value }},
		choice{1, func() string { return ": " + value }},
	)
}
