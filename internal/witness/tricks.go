package main

import (
	"strings"
)

// tricky is a short text about one corner of a shell, between plain commands.
// What it is made of was collected from manuals and from what other parsers
// got wrong, apart from what the grammar of script knows.
func (g tricks) tricky() string {
	var parts []string
	for range 1 + g.r.IntN(2) {
		parts = append(parts, g.housed(g.trick()))
	}
	if g.chance(50) {
		parts = append(parts, g.command()+g.redirections())
	}
	text := strings.Join(parts, g.of("; ", "\n", "\n", " && ", " || ", " | ", " & "))
	if len(g.docs) > 0 {
		text += g.separator()
	}
	if g.chance(12) {
		text = g.spliced(text)
	}
	return text
}

func (g tricks) trick() string {
	return g.choose(
		choice{10, func() string {
			return g.plainProgram() + " " + g.oddWord() + g.of("", " "+g.oddWord(),
				" "+g.mark())
		}},
		choice{6, g.oddTarget},
		choice{6, g.oddDocument},
		choice{4, g.oddPrefix},
		choice{4, g.wandering},
		choice{4, g.looping},
		choice{4, g.oddBlock},
		choice{4, g.computed},
		choice{3, g.handedOn},
		choice{3, g.bound},
		choice{2, g.oddComment},
		choice{3, g.swapping},
		choice{1, g.linking},
		choice{3, g.carried},
		choice{3, g.ending},
		choice{3, g.calculating},
		choice{2, g.renamed},
	)
}

// housed puts a text into something that may read it otherwise.
func (g tricks) housed(text string) string {
	if g.chance(70) || len(g.docs) > 0 {
		return text
	}
	return g.of(
		"("+text+")", "{ "+text+"\n}", "{ "+text+"; }", "wc $("+text+")", `wc "$(`+text+`)"`, "wc `"+text+"`",
		"wc <("+text+")",
		"bash -c "+g.quoted(text), "sh -c "+g.quoted(text), "zsh -c "+g.quoted(text), "eval "+g.quoted(text),
		"for i in 1 2; do "+text+"; done", "if "+text+"; then "+g.command()+"; fi",
		"while "+text+"; do break; done", "! "+text, "time "+text, text+" | cat", ": | "+text, text+" && "+g.command(),
		"true || "+text, text+" &", "echo "+g.mark()+" | "+text, "(("+text+"))", "( ("+text+") )", "$("+text+")",
		"wc \"a $(echo \"b $("+text+")\")\"", "wc ${UNSET:-$("+text+")}", "cat <<E\n$("+text+")\nE\n",
		"cat <<E\n`"+text+"`\nE\n", "wc $(("+text+"))", "x=$("+text+")", "x=$("+text+") wc",
		"case k in k) "+text+";; esac", "[[ -n $("+text+") ]]",
	)
}

func (g tricks) plainProgram() string { return g.of("wc", "ls", "echo", "cat", "wc", "stat") }

// spliced continues the line somewhere.
func (g tricks) spliced(text string) string {
	for range 1 + g.r.IntN(2) {
		at := g.r.IntN(len(text) + 1)
		text = text[:at] + g.of("\\\n", "\\\n", "\\\n", "\\\n\\\n", "\\\r\n", "\\ ", "\\\t", "''", `""`, "$''",
			"${UNSET}", "$()", "``", "\r", "\v", "\f", "\u00a0", "\u3000", "\u2028", "\u200b", "\xff", "\xc2", "\x85",
			"\x7f", "\b", "\x01") + text[at:]
	}
	return text
}

// oddWord is one word, or what looks like one.
func (g tricks) oddWord() string {
	a, b := g.mark(), g.mark()
	return g.choose(
		choice{3, func() string {
			return g.of("=wc", "=ls", "=nosuch", "~+", "~-", "~0", "~1", "~+0", "~-0", "~dev", "~dev/"+a, "~nosuch",
				"~nosuch/"+a, "~+/"+a, "~-/"+a, "~/", "~//", "~\\/"+a, "~'/'"+a, "~$x", "~\"\"", "~/~", a+":~",
				"~:"+a, "~=~", a+"=~root", "\\~", "~#", "~[k]", "~!", "~%", "~,~", "~{a,b}", "{~,~/}"+a, "{~,"+a+"}",
				"~*", "~?")
		}},
		choice{2, func() string {
			return g.of("!!", "!$", "!*", "!wc", "!"+a, a+"!", `"!!"`, `"`+a+`!"`, "^a^b", "^"+a, "!1", "!-1", "!?k",
				"!{k}", "!(k)", "!#", `!"k"`, "! ")
		}},
		choice{4, func() string {
			return g.of("{"+a+","+b+"}{c,d}", "{"+a+",{b,c}}", "{,"+a+"}", "{3..1}", "{a..}", "{-1..1}", "{001..3}",
				"{1..3..0}", "{a..e..2}", "{Z..a}", "{1..3}{a,b}", "{1..a}", "{a..1}", "{1...3}", "{..}", "{1..}",
				"a{b", "}a", "{"+a+"}", `{"a,b"}`, "{a\\,b}", "{'a',b}", `{"$x",k}`, "{$x,k}", "$x{a,b}", "${x}{a,b}",
				"{$x..3}", "{1..$x}", "{a,b", "a,b}", "{ a,b}", "{a,b }", "{a,\\}", "{a,}}", "{{a,b}", "{a,b}}",
				"x{,}y", "{,,}", "{a,*}", "{*,.}txt", "a{,.bak}", "{a,b}$(echo k)", "{$(echo a,b),c}", "{a,b}/{1..2}",
				"$'{a,b}'", "{a$'b',c}", "{a,b}\\", "\\{a,b}", "{a,b\\}", "{a#b,c}", "{a,#b}", "{a,~}", "{a;b}",
				"{abc}", "{a-c}", "{1..3}k", "{+1..3}", "{0x1..3}", "{'1'..3}", "{1..3'}'", "{a..c}{1,2}", "{\\a..c}",
				"{*..c}", "{a..c..d}", "{1..2..1..1}", "{k1,k2")
		}},
		choice{4, func() string {
			return g.of("*(.)", "*(/)", "*(N)", "*(D)", a+"(N)", "*.txt(N)", "*(om[1])", "(a|b)*", a+"(|x)",
				"("+a+")", a+"()", "<1-3>", "<->", a+"<1-3>", "<-3>", "^a*", "a*~*.txt", "*#", "a##", "a#", "**/*",
				"***/*", "**", "**/", "[^a]*", "[[:alpha:]]", "[[:alpha:]*", "[a-", "[", "]", "[]", "[!]", "[^]",
				"[a", "a]", `\[a]`, `"["a]`, "[a]", "[']']", "[\\]]", "[a/b]", "[--/]", "[b-a]", "?", "??", "a?txt",
				"a\\*", "@(a|b).txt", "+(a)", "!(a*)", "?(a)b*", "*(a)", "a*(e:wc:)", "*(#q.)", "(#i)A*", "a.txt(:t)",
				"a.txt(:h)", "*(:t)", "*(+wc)", "%1", "%", "%%", "=", "==", "=k", "=*", "k==k", ".*", "..*", "./.*",
				"*/.", "*/..", "*/../*", "*//", "/*", "//*", "$x*", "*$x", `"*"`, "'*'*", "*''", "[!.]*", "[.]*",
				"?e*", "*\n", "-*", "--*", "*=*")
		}},
		choice{3, func() string {
			return g.of("$", a+"$", `"$"`, `"k$"`, "$\\k", "$'k'", `$"k"`, `"$'k'"`, "'$k'", `"\k"`, `"\$x"`,
				"\"\\`\"", `"\\"`, `'\'`, `'\\'`, `\\`, `"\"k"`, `$'\''k`, `$'\\'`, `$'\"k'`, `$'\x6b\x31'`,
				`$'\153'`, `$'\u006b'`, `$'\cA'`, `$'\e'`, `$'a\0b'`, `$'\x'`, `$'\777'`, `$'k\
k'`, `"a'b'c"`, `'a"b"c'`, `"a"'b'\c`,
				`''`, `""`, `""''`, `'`+"\n"+`'`, `"a`+"\n"+`b"`, "\"a\\\nb\"", "'a\\\nb'", "a\\\nb",
				`$"k$x"`, `"${x}"`, `"${x}k"`, `"$xk"`, `"$x'k'"`, `"`+"`echo k`"+`"`,
				`"$(echo "k")"`, `"$(echo 'k"')"`, `"$(echo ")")"`,
				"$(echo ')')", "$(echo \\))", "$(echo k #)\n)", "$(echo \"#)\")",
				"`echo \\`echo k\\``", "`echo \\$x`", "`echo '\\\\'k`", "`echo \"k\"`", "\"`echo \\\"k\\\"`\"",
				"`echo k #`", "`#`", "`# k`", "$(#)\n)", "$( )", "``")
		}},
		choice{3, func() string {
			return g.of("$x[1]", "$x:h", "$x:t", "${x:h}", "$HOME:h", `"$HOME:h"`, "$PWD:t", "$HOME[1]", `"$HOME[1]"`,
				"$PWD[1,3]", "$#x", "$+x", "$^x", "$=x", "$~x", `"$=x"`, `"$#x"`, "$#", "$#k", "$?k", "$$k", "$!k",
				"$-k", "$@k", "$*k", "$1k", "$10", "${10}", "$0", "$_", "$_k", "${_}", "$é", `"$é"`, "$xé", "${x}é",
				"é", "é=k", "$UNSET", `"$UNSET"`, "$UNSET"+a, "${UNSET}"+a, "$HOME", "$HOME/"+a, `"$HOME"/`+a,
				"${HOME}", "${HOME}"+a, "$PWD/"+a, "$USER", "$LANG", "$RANDOM", "$UID", "$SECONDS", "$IFS", "$path",
				"$PATH", "$OLDPWD", "$SHLVL", "$ZSH_VERSION", "$BASH", "$HOSTNAME", "$LINENO", "$PPID", "$status",
				"$argv", "$ARGC", "$0", "$(1)", "${#HOME}", "${HOME}[1]", "${HOME}:h", "$HOME/..", "$HOME//",
				"$HOME'/'", "$HOME\\/k", "$x/", "/$x", "$x/..", "$x-", "-$x", "$x.txt", "$x$x", "$x=k", "k=$x",
				"k$x=k")
		}},
		choice{2, func() string {
			return g.of("if", "then", "fi", "do", "done", "in", "esac", "case", "{", "}", "[[", "]]", "!", "time",
				"function", "for", "while", "select", "coproc", "else", "elif", "until", "foreach", "end",
				"nocorrect", "repeat", "always", "}"+a, a+"}", "{"+a, "do"+a, "]] "+a, "} "+a, "{ "+a+" }")
		}},
		choice{2, func() string {
			return a + g.of("\u00a0", "\u3000", "\v", "\f", "\r", "\x85", "\u2028", "\u200b", "\xff", "\xc2",
				"\u00a0 ", " \u00a0", "\r ", " \r", "\x01", "\x7f", "\b", "\u0430", "\U0001f600", "\xe2\x80") + b
		}},
		choice{2, func() string {
			return g.of("-", "--", "-- -k", "+", "+k", "-k=v", "--k=~/k", "-I~/k", "k=v", "k+=v", "k[1]=v",
				"k[$(wc "+a+")]=v", "k=(v)", "k=()", "k+=(v)", "k=$x", "k={a,b}", "k=*", "k=~/*", "1=k", "k-k=~",
				"k.k=~/k", "k/k=~", "=~", "k==~/k", "k=k=~/k", "k=:~", `"k"=~/k`, `k"="~/k`, `k=""~/k`, "k\\=~/k",
				"k:=~/k", "k=~:k:~/k")
		}},
		choice{1, func() string { return strings.Repeat(a, 300) + g.of("", "*", "{1,2}") }},
		choice{2, func() string { return a + "#" + b }},
		choice{2, func() string { return g.word() + g.oddGlue() + g.word() }},
	)
}

// oddGlue joins two words without a blank.
func (g tricks) oddGlue() string {
	return g.of("", "''", `""`, "\\\n", "$''", `$""`, "$()", "``", "${UNSET}", "$UNSET", "=", ":", ",", "/", "#", "~",
		"{", "}", "[", "]", "^", "!", "%", "@", "+", "-", ".", "\\ ", "\\\t")
}

// oddTarget is a redirection that shells read in their own ways.
func (g tricks) oddTarget() string {
	n, m := "new"+g.mark(), "new"+g.mark()
	command := g.plainProgram() + " " + g.mark()
	redirect := g.choose(
		choice{8, func() string {
			return g.of(">"+n+">"+m, ">"+n+" >>"+m, "<a.txt<b.txt", "< a.txt < b.txt", ">"+n+" 2>"+m, "2>&1 >"+n,
				">"+n+" 2>&1 >"+m, ">&"+n, ">& "+n, "&>"+n, "&>>"+n, "& >"+n, "&> "+n+" "+m, ">|"+n, ">!"+n, ">! "+n,
				">>|"+n, ">>!"+n, ">&|"+n, "&>|"+n, "&>!"+n, "<>"+n, "<> a.txt", "1<>"+n, ">&-", ">&1-", "3>&1-",
				"3>"+n+" >&3", ">&3 3>"+n, "3>"+n+" 1>&3-", "4>&3", "{fd}>"+n, "{fd}>&1", "{x}>"+n, "{x[1]}>"+n,
				"{1}>"+n, "{fd} >"+n, "10>"+n, "1 >"+n, " 1>"+n, "1\\\n>"+n, "\\1>"+n, `"1">`+n, "$x>"+n,
				"1>"+n+" 2>&1 1>"+m, ">"+n+"&", ">"+n+"& wc", ">"+n+"#k", ">"+n+" #k", ">\\\n"+n, ">\n"+n,
				"> "+n+" "+m, ">"+n+" "+m+" >"+m, "2>"+n+">"+m, "0>"+n, "12345678901>"+n, "007>"+n, "2147483648>"+n,
				"9>"+n, "<&0", "<&2", "2<&1", ">&2>"+n, "2>&1>&2", "&1>"+n, "&2>"+n, " 2&>"+n, " 1&>>"+n, " 2&> "+n,
				"2>& 1", "2>&1"+g.mark(), "2>&1 "+g.mark(), "2>&$x", ">&$x", ">&\"$x\"", ">&"+`"`+n+`"`, ">&~/"+n,
				">& 2", ">&2"+n, ">&p", "<&p", ">&1a", "<&-", "2>-", ">-", ">--", "> -"+n)
		}},
		choice{5, func() string {
			return g.of("> ", ">", ">> ", "2> ", "< ", "&> ", ">| ") + g.of("~/"+n, "~", "$HOME/"+n, `"$HOME"/`+n,
				"$PWD/"+n, "$x", `"$x"`, n+"$x", "$x"+n, "*", "a*", "nomatch*", "?.txt", "{"+n+","+m+"}", n+"{1,2}",
				n+"{1..2}", n+"{", "{"+n+"}", "{1..2}", "{"+n, "~{,/k}", "<(wc k)", ">(wc k)", "=(wc k)",
				"$(echo "+n+")", "\"$(echo "+n+")\"", "`echo "+n+"`", "$(echo a b)", "$((1))", "'"+n+" k'", n+"\\ k",
				`"`+n+`"k`, "$'"+n+"\\n'", "$'\\x6e'", `$"`+n+`"`, n+"\r", n+"\u00a0k", n+"é", "src/../"+n, "lnk/"+n,
				"lnk/../"+n, "up/"+n, "./"+n, ".//"+n, "src//"+n, "src/./"+n, "nodir/../"+n, n+"/", n+"/.", "''",
				`""`, "/dev/null", "/dev/stdout", "/dev/../tmp/"+n, "/dev/fd/1", "/dev/tcp/localhost/1", "/tmp/"+n,
				"//tmp/"+n, "/tmp/../tmp/"+n, "of=~/"+n, n+"=~/k", "~+/"+n, "~-/"+n, "~dev/"+n, "~nosuch/"+n, "=wc",
				n+"#k", "#"+n, n+"(", "("+n+")", n+"(N)", n+"~", "^"+n, "[n]*", "["+n, n+"]", "!"+n, "%"+n, "@",
				"$UNSET"+n, "${UNSET}"+n, "$_", "$0", "$$", "$?"+n, "$#", "$@", "-", "&1", "& 1", "$x:h",
				"$HOME:h/"+n, "$PWD[1]"+n)
		}},
	)
	return g.of(command+" "+redirect, redirect+" "+command, command+redirect, redirect, "x=k "+redirect+" "+command,
		redirect+" x=k "+command, command+" "+redirect+" "+g.mark(), "{ "+command+"; } "+redirect,
		"("+command+") "+redirect, "("+command+")"+redirect, "for i in 1; do "+command+"; done "+redirect,
		"if "+command+"; then :; fi "+redirect, "x=k "+redirect, "cd src "+redirect+"; "+command+" > "+m,
		"exec "+redirect, command+" "+redirect+" | cat", command+" | cat "+redirect, ": "+redirect,
		"while read x; do wc $x; break; done "+redirect, "time "+command+" "+redirect, "! "+command+" "+redirect)
}

// oddDocument is a here-document with an unusual delimiter, body or place.
func (g tricks) oddDocument() string {
	a, b := g.mark(), g.mark()
	type form struct{ word, end string }
	forms := []form{
		{"E", "E"}, {"'E'", "E"}, {`"E"`, "E"}, {`\E`, "E"}, {"E'F'", "EF"}, {`"E F"`, "E F"}, {`E\ F`, "E F"}, {"$E",
			"$E"}, {"${E}", "${E}"}, {"$(E)", "$(E)"}, {"`E`", "`E`"}, {`""`, ""}, {"''", ""}, {"$'E'", "E"}, {"$'E'",
			"$E"}, {`$"E"`, "E"}, {`$"E"`, "$E"}, {"E\\\nF", "EF"}, {"E#", "E#"}, {"~", "~"},
		{"*", "*"}, {"{E,F}", "{E,F}"}, {"!", "!"}, {"E;", "E"}, {"E|cat", "E"}, {"E>new" + a, "E"}, {"E&&wc " + a,
			"E"}, {"E)", "E"}, {"-E", "-E"}, {"- E", "E"}, {"-'E'", "E"}, {"-E", "\tE"}, {" E", "E"}, {"\tE",
			"E"}, {"E", "E\r"}, {"E", "E "}, {"E", " E"}, {"E", "E;"}, {"E", "E)"}, {"E", "\tE"}, {"E\r",
			"E\r"}, {"E\r", "E"}, {"'E'\r", "E"}, {"E", "E # c"}, {"E", "E\\"}, {"é", "é"}, {"E\u00a0",
			"E\u00a0"}, {"E\u00a0", "E"}, {"\"E\n\"", "E\n"}, {"'a\nE'", "a\nE"}, {"=E", "=E"}, {"E=~", "E=~"}, {"1",
			"1"}, {"E # c", "E"}, {"E#c", "E#c"}, {"E <<F", "E\nk\nF"}, {"E <<E", "E\nk\nE"}, {"'E' <<F",
			"E\n$(wc " + b + ")\nF"}, {"$x", "$x"}, {"$x", "k"}, {"\\$x", "$x"}, {"<", "<"}, {"E\\", "E"}, {"E\"",
			"E"}, {"'E\\'", "E\\"}, {`"E\\"`, `E\`}, {`"E\""`, `E"`}, {`"\E"`, `\E`}, {`"\E"`, "E"}, {"E''",
			"E"}, {"''E", "E"}, {"E$", "E$"}, {"&", "&"},
	}
	f := forms[g.r.IntN(len(forms))]
	if g.chance(30) {
		f = forms[g.r.IntN(4)]
	}
	line := func() string {
		return g.of("k", "wc "+g.mark(), "$(wc "+g.mark()+")", "`wc "+g.mark()+"`", "\\$(wc "+g.mark()+")", "$x",
			"${x}", "'", `"`, "\\", "k\\", "$", "$(", "`", ")", "${x:-$(wc "+g.mark()+")}", "$((1+1))", "$((",
			"\"$(wc "+g.mark()+")\"", "'$(wc "+g.mark()+")'", "# c", "E2", " E", "\tE", "E ", "EF", "\r", "k\r", "",
			"$(cat <<G\nwc\nG\n)", "$(wc '"+g.mark()+"')", "$(wc \")\")", "\\\\$(wc "+g.mark()+")",
			"\\`wc "+g.mark()+"\\`", "$'k'", "~", "*", "{a,b}", "${x", "$\\\n(wc "+g.mark()+")", "\\\nE", "E\\\nF",
			"${", "$[1+1]", "<(wc "+g.mark()+")", "!!", "\xff")
	}
	body := ""
	for range g.r.IntN(3) {
		body += line() + "\n"
	}
	op := g.of("<<", "<<", "<<", "<<-", "0<<", "3<<", "<<~", "<\\\n<", "<<\\\n")
	end := f.end + g.of("\n", "\n", "\n", "", "\r\n")
	after := g.of("", "", "; wc "+a, " && wc "+a, " | wc "+a, " > new"+a, " &", " # c", "; (wc "+a+")", ")", " |",
		" &&", " \\\n", "\\", " || {", " `wc "+a+"`", " $(wc "+a+")", " '", "\r", ";", " \"a\nb\"", " 'a\nb'",
		" $(wc "+a+"\n)")
	first := g.of("cat", "wc "+b, "", "cat > new"+b, "tee new"+b, "while read x; do wc $x; done", "x=$(cat", "(cat",
		"{ cat", "bash", "cat - a.txt", "if cat", "for i in $(cat", "wc \"$(cat", "wc `cat", "read x")
	text := first + " " + op + f.word + after + "\n" + body + end
	return text + g.of("", "", "", "wc "+g.mark(), ")", ")\n", "}", "`", ")\"", "; then wc; fi", "; do wc; done",
		"; }", "E\n", "wc "+g.mark()+"\nE\n")
}

// oddPrefix stands before a command.
func (g tricks) oddPrefix() string {
	command := g.of(g.command(), "wc $x "+g.mark(), "cd src", "echo "+g.mark())
	for range 1 + g.r.IntN(2) {
		command = g.of("time ", "time -p ", "time -- ", "! ", "! ! ", "!", "coproc ", "noglob ", "nocorrect ",
			"command ", "command -p ", "command -v ", "command -- ", "builtin ", "exec ", "exec -a k ", "exec -- ",
			"eval ", "eval -- ", "env ", "env -i ", "env -- ", "env x=k ", "env -u x ", "env -S ", "nohup ",
			"timeout 1 ", "timeout -s KILL 1 ", "timeout -- 1 ", "nice ", "nice -5 ", "nice -n5 ",
			"nice --adjustment=5 ", "stdbuf -oL ", "x=k ", "x= ", "x=k y=$x ", "x=~ ", "x=$(wc k) ", "x+=k ",
			"x=(k) ", "x[0]=k ", "HOME=/tmp ", "PATH=/usr/bin ", "IFS=k ", "LC_ALL=C ", "PWD=/tmp ", "_=k ", "\\",
			"''", "- ", "-- ", "{ ", "( ", "> new"+g.mark()+" ", "2>&1 ", "</dev/null ", "\\\n", "\\\n ", ";", "&& ",
			"| ", "", "function ", "repeat 2 ", "xargs ", "xargs -I{} ", "xargs -n1 ", "echo k | xargs ",
			"find . -exec ", "sudo ", "if ", "then ", "do ", "while ", "export ", "local ", "declare ", "typeset ",
			"readonly ", "set -- ", "set -e; ", "set -x; ", "set +e; ", "set -f; ", "set -o noglob; ", "set -a; ",
			"set -k; ", "set -n; ", "set -eu; ", "set -Eeuo pipefail; ", "set -; ", "set --; ", "set; ", "set -o; ",
			"setopt nullglob; ", "shopt -s nullglob; ", "emulate sh; ", "emulate -L ksh; ", "unset x; ",
			"unset HOME; ", "alias wc=ls; ", "hash -r; ", "umask 022; ", "ulimit -c 0; ", "trap '' INT; ",
			"trap - EXIT; ", "sleep 0; ", "wait; ", "true; ", ": ", "false || ", "x=k; ", "export x=k; ",
			"export PATH=/tmp; ", "export HOME=/tmp; ", "exec 2>&1; ", "exec 3>new"+g.mark()+"; ", ". ./x.sh; ",
			"source ./x.sh; ", "cd src; ", "cd; ", "read x; ", "read x < a.txt; ", "test -f a.txt && ",
			"[ -f a.txt ] && ", "[[ -f a.txt ]] && ", "(( 1 )) && ", "type wc; ", "which wc; ", "echo $(", "echo `",
			"pwd; ", "jobs; ", "printf k | ", "let x=1; ", "getopts a x; ", "mapfile x < a.txt; ", "disown; ",
			"kill -0 $$; ", "exit; ", "return; ", "break; ", "continue; ", "exit | ", "(exit); ") + command
	}
	return command
}

// wandering changes the directory in some way and then writes.
func (g tricks) wandering() string {
	d := func() string {
		return g.of("src", "docs", "..", ".", "lnk", "up", "z", "src/sub", "nodir", "-", "~", "~-", "~+", "", "''",
			`""`, "/tmp", "$HOME", "$PWD", `"$PWD/src"`, "$OLDPWD", "$UNSET", `"$UNSET"`, "'a b'", "a\\ b", "lnk/..",
			"src/..", "src/../docs", "./src", "src/", "src//", "//tmp", "src docs", "-P lnk", "-L lnk", "-P lnk/..",
			"-L lnk/..", "-- src", "-- -", "-e src", "-@ src", "-1", "+0", "-0", "+1", "s*", "sr?", "{src,docs}",
			"{src,}", "$x", "k", "src > /dev/null", "src 2>/dev/null", "src < nofile", "src > new"+g.mark(), "src &",
			"src#k", "src # c", "\\\nsrc", "sr\\\nc", "'src'", `s"r"c`, "$'src'", "$(echo src)", "`pwd`", "$(pwd)",
			"src;", "project", "dev", "of=~", "1", "a.txt", "~/project", "~dev", "~/project/src", "-q src", "-s src",
			"-LP lnk", "../project", "../project/src", "src/sub/../..", "src\r", "=wc", "project src")
	}
	move := func() string {
		return g.of("cd ", "cd ", "cd ", "cd ", "cd ", "cd\t", `\cd `, "'cd' ", "c''d ", "command cd ", "builtin cd ",
			"! cd ", "time cd ", "noglob cd ", "chdir ", "pushd ", "x=k cd ", "CDPATH=/home/dev cd ", "HOME=/tmp cd ",
			"PWD=/tmp cd ", "OLDPWD=/tmp cd ", ">/dev/null cd ", "env cd ", "eval cd ", "exec cd ", "-  cd ",
			"nohup cd ") + d()
	}
	around := func(m string) string {
		return g.of(m, m, m, m, m, "("+m+")", "{ "+m+"; }", m+" | cat", "echo | "+m, ": $("+m+")", m+" &",
			"if "+m+"; then :; fi", "if true; then "+m+"; fi", "if "+m+"; then cd docs; fi",
			"while "+m+"; do break; done", "for i in 1 2; do "+m+"; done", "for i in; do "+m+"; done", "! "+m,
			m+" && true", m+" || true", "true && "+m, "false && "+m, "true || "+m, "false || "+m, m+" && "+move(),
			m+" || "+move(), m+"; "+move(), "("+m+"; "+move()+")", m+" && exit", m+" || exit", "test -d src && "+m,
			"{ "+m+"; } > /dev/null", "{ "+m+"; } < nofile", "{ "+m+"; } | cat", "time "+m, "x=$("+m+")",
			"cat <("+m+")", "eval '"+strings.ReplaceAll(m, "'", "")+"'", m+" && ("+move()+")", "set -e; "+m,
			"until "+m+"; do break; done", "[ -d src ] && { "+m+"; }", "trap '"+strings.ReplaceAll(m, "'",
				"")+"' EXIT", "sh -c '"+strings.ReplaceAll(m, "'", "")+"'")
	}
	use := g.of("echo k > new"+g.mark(), "wc "+g.mark()+" > new"+g.mark(), "touch new"+g.mark(),
		"cp a.txt new"+g.mark(), "echo k > ../new"+g.mark(), "mkdir new"+g.mark(), "echo k >> a.txt", "wc *.txt",
		"wc $PWD", "echo $OLDPWD > new"+g.mark(), "echo k > $PWD/new"+g.mark(), "echo k > \"$PWD\"/new"+g.mark(),
		"echo k > ~+/new"+g.mark(), "echo k > ~-/new"+g.mark(), "echo k > $OLDPWD/new"+g.mark(),
		"(echo k > new"+g.mark()+")", "echo k | tee new"+g.mark(), "bash -c 'echo k > new"+g.mark()+"'",
		"find . -name a.txt -exec wc {} +", "cd - && echo k > new"+g.mark(), "cd ..; echo k > new"+g.mark(),
		"cd .. && echo k > new"+g.mark(), "wc > \"$(pwd)/new"+g.mark()+"\"", "realpath . | xargs wc",
		"ln -s a.txt new"+g.mark(), "rmdir new"+g.mark(), "echo k > new"+g.mark()+" &",
		"for i in 1 2; do echo k > new$i; done")
	text := around(move())
	for range g.r.IntN(2) + g.r.IntN(2) {
		text += g.of("; ", "\n", " && ", "; ", " || ", " & ", "\n") + around(move())
	}
	return text + g.of("; ", "\n", " && ", " || ", " & ", " | ") + use
}

// fedTwice feeds a shell by a pipe and by a redirection: zsh runs both.
func (g tricks) fedTwice() string {
	feed := g.of("echo wc "+g.mark(), `printf 'wc k\n'`, "cat a.txt", "echo wc k | cat", "wc <<< ls")
	from := g.of(" <<E\nwc k\nE\n", " <<< 'wc k'", " < a.txt", " 0<a.txt", " < /dev/null", " <<'E'\nwc k\nE\n", " <&0")
	return feed + g.of(" | ", "|", " |& ") + g.of("sh", "bash", "zsh", "bash -s", "xargs wc") + from
}

// looping is a loop in one of its forms.
func (g tricks) looping() string {
	v := g.of("x", "i", "f", "do", "in", "_", "1", "x1", "IFS", "PATH", "HOME", "PWD", "path", "for", "REPLY",
		"status")
	list := g.of("in a b", "in a b;", "in *.txt", "in *", "in $x", "in \"$x\"", "in $(echo a b)", "in {a,b}",
		"in {1..3}", "in ~ ~/k", "in a\nb", "in;", "in", "", ";", "in a #c\n", "in -n --", "in 'a b' c", "in \"*\"",
		"in nomatch*", "in . ..", "in src/*", "in a.txt new"+g.mark(), "in a \\\n b", "in a b &&", "(a b)",
		"in $'a b'", "in k{1,2}", "in \"${x}\" a", "in .* *", "in */", "in k=~ k", "in $HOME/*", "in *.txt nomatch*",
		"in $((1+1))", "in `echo a`", "in a > new"+g.mark(), "in do done", "in ( a )", "in a; b", "y in a b c d",
		"in [ab]*", "in -*", "in ./*", "in ?")
	use := "$" + v
	body := g.of("wc "+use, "wc \""+use+"\"", "wc ${"+v+"}", "cat "+use, "echo "+use+" > new"+g.mark(),
		"echo k > "+use, "echo k > new"+use, "echo k > \"new"+use+"\"", "echo k > \""+use+".new"+g.mark()+"\"",
		"touch new"+use, "cp a.txt new"+use, "wc "+use+use, "wc "+use+"k", "wc "+use+".txt", "wc "+use+"{1,2}",
		"wc $(echo "+use+")", "wc "+use+"*", "ls -d "+use+"/", v+"=k; wc "+use,
		"wc "+use+"; "+v+"=new"+g.mark()+"; echo k > "+use, "break; wc "+use, "continue", "break 2", "(wc "+use+")",
		"wc "+use+" | cat", "wc "+use+" &", "cd "+use, "cd \""+use+"\" && wc > new"+g.mark(), use+" k",
		"bash -c \"wc "+use+"\"", "read "+v+"; wc "+use, "for "+v+" in c d; do wc "+use+"; done; wc "+use,
		"for j in 1 2; do wc "+use+" $j; break 2; done", "mkdir -p new"+use+"/k", "ls new"+use+" || touch new"+use,
		"echo "+use+" >> new"+g.mark(), "grep k "+use, "head -n 1 "+use, "test -f "+use+" && wc "+use,
		"[ -f \""+use+"\" ] && wc \""+use+"\"", "[ -d "+use+" ] || wc "+use, "basename "+use+" .txt",
		"diff "+use+" "+use, "file "+use, "stat "+use, "du -s "+use, "sort "+use, "uniq "+use, "tail "+use,
		"wc -l < "+use, "wc -l < \""+use+"\"", "printf '%s\\n' "+use, "printf "+use, "ls -l "+use+" 2>/dev/null",
		"echo == "+use+" ==", "cat < "+use+" | head")
	do := g.of("; do ", "\ndo ", "\ndo\n", " ;do ", "; { ", " do ", "\n{ ", "; #c\ndo ", "\n\ndo ")
	end := g.of("; done", "\ndone", "; done > new"+g.mark(), "; done | cat", " done", "; }", "; done; wc $"+v,
		"; done; echo k > new$"+v, "; done < a.txt", "; done &", " #done\ndone", ";; done")
	head := g.of("for "+v+" "+list, "for "+v+" "+list, "for "+v+" "+list, "for "+v+" "+list, "for\n"+v+" "+list,
		"for "+v+"\n"+list, "for "+v+"\\\n "+list, "while read "+v, "while read -r "+v, "while read -r "+v+" y",
		"until read "+v, "while IFS= read -r "+v, "ls | while read "+v, "cat a.txt | while read -r "+v,
		"select "+v+" "+list, "foreach "+v+" "+list, "for (("+v+"=0;"+v+"<2;"+v+"++))", "while true", "while "+v+"=k",
		"until false", v+"=k; while [ "+use+" = k ]", "while ! read "+v)
	return head + do + body + end
}

// oddBlock is about what opens and closes a list.
func (g tricks) oddBlock() string {
	a, b := "wc "+g.mark(), "wc "+g.mark()
	return g.of("{ "+a+" }", "{ "+a+" }; "+b, "{ "+a+" } | "+b, "{ "+a+"; } "+b, "{ "+a+"; }; "+b+" }", a+" }",
		a+" } "+b, "{"+a+";}", "{\n"+a+"\n}", "{ "+a+"; } && { "+b+"; }", "{ "+a+" & }", "{ "+a+"& }", "{ "+a+"; }#k",
		"{ "+a+"; } #k", "{ { "+a+"; }; }", "{ { "+a+" } }", "{}", "{} "+b, "{ }", "{ } "+b, "( )", "()",
		"("+a+") "+b, "("+a+")"+b, "( ("+a+") )", "(("+a+"))", "(("+a+") )", "( ("+a+"); "+b+")", "((("+a+")))",
		"("+a+"\n)", "("+a+" #)\n)", "("+a+" &)", "("+a+";)", "(;"+a+")", a+"(", a+" ("+b+")", a+"("+b+")",
		"$("+a+") "+b, "`"+a+"` "+b, "if "+a+" then "+b+" fi", "if "+a+"; then "+b+" fi",
		"if "+a+"; then "+b+"; fi; "+a, "if ("+a+") then "+b+"; fi", "if { "+a+"; } then "+b+"; fi", "if ("+a+") "+b,
		"if { "+a+" } { "+b+" }", "if "+a+"\nthen "+b+"\nelif "+a+"\nthen\n"+b+"\nelse "+a+"\nfi",
		"if "+a+"; then :; else if "+b+"; then :; fi; fi", "if; then "+a+"; fi", "if "+a+"; then; fi",
		"if "+a+"; then # c\n"+b+"; fi", "if ! "+a+"; then "+b+"; fi", "if "+a+" && "+b+"; then "+a+"; fi",
		"while "+a+"; do "+b+"; break; done", "while ("+a+") "+b, "case k in k) "+a+"; esac",
		"case k in k) "+a+";; *) "+b+"; esac", "case k in (k) "+a+" ;& (b) "+b+" ;;& esac", "case k { k) "+a+" ;; }",
		"case $x in "+g.mark()+"|*) "+a+";; esac", "case k in esac", "case k in k) ;; esac; "+a,
		"case esac in esac) "+a+";; esac", "wc $(case k in k) "+a+";; esac)", "wc \"$(case k in k) "+a+";; esac)\"",
		"wc `case k in k) "+a+";; esac`",
		a+";; "+b, a+" ;& "+b, a+"; ; "+b, a+" & ; "+b, "& "+a, "; "+a, "&& "+a, "| "+a, a+" &| "+b, a+" &! "+b,
		a+" |& "+b, a+" |&\n"+b, a+" | & "+b, a+" &&& "+b, a+" ||| "+b, a+" || | "+b, a+" &&\n"+b, a+" &&\n\n#c\n"+b,
		a+" |\n"+b, a+" | #c\n"+b, a+" && #c\n"+b, a+" \\\n&& "+b, a+" &\\\n& "+b, a+" |\\\n| "+b, a+"\n&& "+b,
		a+"\n| "+b, a+" & "+b+" & ", a+" &"+b, a+"&"+b, a+"|"+b, a+"||"+b, a+"&&"+b, a+";"+b, a+" ; "+b, a+"\r\n"+b,
		a+"\r"+b, a+" ;\r\n"+b, a+" \\\r\n"+b, a+"\n\r"+b, a+"\x00"+b, a+"\v"+b, a+"\f"+b, a+"\u2028"+b, a+"\u0085"+b,
		a+" \u00a0&& "+b, a+" &&\u00a0"+b, "\ufeff"+a, a+" \x1a "+b, a+";\\\n"+b, a+"\\\n;"+b, a+"\\\n"+b, a+" \\\n "+b,
		"i\\\nf "+a+"; then "+b+"; fi", "if "+a+"; th\\\nen "+b+"; f\\\ni", "{\\\n"+a+"; }", "{ "+a+"; \\\n}",
		"(\\\n"+a+"\\\n)", "$\\\n("+a+")", "wc $\\\n("+a+")", "wc $(\\\n"+a+")", "wc $((\\\n1))", "wc $\\\n{x}",
		"wc ${\\\nx}", "wc ${x\\\n}", "wc $\\\nx", "wc $x\\\ny", "wc <\\\n("+a+")", "w\\\nc "+a,
		a+" >\\\n> new"+g.mark(), a+" 2\\\n>new"+g.mark(), a+" 2>&\\\n1", a+" &\\\n>new"+g.mark(),
		a+" >\\\n|new"+g.mark(), a+" <\\\n<E\nk\nE\n", a+" <<\\\nE\nk\nE\n", a+" <<<\\\nk", a+" |\\\n& "+b, "#\\\n"+a,
		a+" #\\\n"+b, a+" \\\n#"+b, a+"\\\n#"+b, "'\\\n'"+a, a+" '\\\n' "+b, "if [ -f a.txt ] ; then "+a+" ; fi",
		"if [ -f a.txt ]\nthen "+a+"\nfi", "[ -f a.txt -a -d src ] && "+a, "[ ! -f nofile ] && "+a,
		"[[ -f a.txt ]] && "+a, "[[ -f a.txt && -d src ]] || "+a, "[[ $x == k* ]] && "+a, "[[ k =~ ^k ]] && "+a,
		"[[ -f a.txt ]]; "+a, "[ -n \"$x\" ] && "+a, "[ $x -gt 1 ] && "+a, "test $x = k && "+a, "[ a = b ] | "+a,
		"[ a == b ]; "+a, "[ a < b ] && "+a, "[ a > newk ] && "+a, "[ ( a ) ]; "+a, "[[ a < b ]] && "+a, "[ -t 0 ]; "+a,
		"[ -v x ]; "+a, "[ x -eq 0 ] ; "+a)
}

// computed gives a word a value that a reader might work out wrongly.
func (g tricks) computed() string {
	e := g.of("1+2", "08", "010", "0x10", "2**3", "7/2", "-7/2", "-7%3", "1<2", "x", "x+1", "x=5", "1,2",
		"9223372036854775807+1", "1?2:3", "16#ff", "!1", "(1)", " 1 ", "1\n+1", "1 + 1", "~1", "-1", "+1", "--1",
		"- -1", "1--1", "1_000", "1.5", "1/2.0", "'1'", `"1"`, "$x", "$x+1", "${x}", "\\1", "#x", "x++", "++x",
		"x?1:2", "1<<62", "1<<64", "1>>1", "5%0", "1==1", "1&&0", "1||x", "6&3", "6^3", "RANDOM", "HOME", "PWD", "_",
		"k", "1e3", "0b1", "0o7", "08+1", "x[0]", "", "-9223372036854775808", "9999999999999999999", "3%-2", "3-2-1",
		"2**-1", "-2**2", "10#08", "0", "-0", "00", "$((1))", "$(echo 1)", "1#2", "1 2", "1;2", "x*2", "2*x", "x*x",
		"x-x")
	s := g.of("echo k", "echo -n k", "echo 'k\\nk'", `echo "k\tk"`, `echo k\\c`, `echo 'k\\'`, `echo '\x6b'`,
		"echo -e 'k\\nk'", "echo -ne k", "echo -nk", "echo -E k", "echo - k", "echo -- k", "echo  k   k",
		"echo 'k  k'", "echo '*'", "echo *", "echo ~", "echo $x", "echo k; echo j", "echo k && echo j",
		"echo k | cat", "echo", "echo ''", "echo ' k '", "echo 'k\n'", "printf k", "printf '%s' k", "printf %s k j",
		"printf '%s\\n' k j", "printf '%d' 010", "printf '\\x6b'", "printf 'k\\n\\n'", "printf '%5s' k",
		"printf '%%'", "printf '%b' 'k\\tk'", "printf '%q' 'k k'", "printf -- k", "printf -v x k", "printf '%c' kj",
		"printf '\\0'", "printf 'k\\c'", "printf '\\u006b'", "printf %s", "printf '%s%s' k", "printf '%1$s' k",
		"printf '%*d' 3 1", "pwd", "pwd -P", "cd src && pwd", "cd src; pwd", "basename a.txt .txt", "basename src/",
		"basename /", "basename '' k", "basename -s .txt a.txt", "basename -a a b", "basename a a",
		"basename .txt .txt", "dirname a.txt", "dirname /", "dirname a/b/", "dirname a//b", "dirname //a",
		"dirname ''", "dirname a b", "dirname .", "dirname ..", "realpath lnk", "realpath lnk/..",
		"realpath -s lnk/..", "realpath nofile", "readlink lnk", "readlink -f lnk/..", "readlink a.txt",
		"readlink -m nodir/../x", "seq 3", "seq 1 2", "seq -w 8 10", "seq -s, 3", "expr 1 + 1", "expr length kk",
		"date +%Y", "cat a.txt", "cat <<E\nk\nE\n", "cat <<< k", "<a.txt", "< a.txt cat", "wc -l < a.txt", "true",
		":", "exit", "command echo k", "builtin echo k", `\echo k`, "'echo' k", "/bin/echo k", "/bin/echo -e 'k\\n'",
		"env echo k", "x=k; echo $x", "(echo k)", "{ echo k; }", "if true; then echo k; fi",
		"for i in a b; do echo $i; done", "echo k > /dev/null", "echo k >&2", "echo k 2>&1", "echo k # c\n",
		"echo k &", "echo $(echo k)", "echo \"$(echo 'k j')\"", "echo `echo k`", "test -f k && echo k",
		"false || echo k", "! echo k", "git rev-parse HEAD", "ls", "ls | head -1", "tr a b <<< kak",
		"echo a.txt | head -1", "echo {a,b}", "echo k{1..2}", "echo 'a' \"b\" c\\ d", "type echo", "command -v wc",
		"which wc", "echo $HOME", "echo ~/k", "echo $((1+1))", "uname", "nproc", "whoami")
	n := "new" + g.mark()
	v := g.of("$(("+e+"))", "$(("+e+"))", "$["+e+"]", "$("+s+")", "$("+s+")", "`"+strings.ReplaceAll(s, "`",
		"\\`")+"`", "$( "+s+" )", "$("+s+"\n)")
	set := ""
	if g.chance(40) {
		set = "x=" + g.of("1", "3", "010", "k", "-1", "x", "'a b'", "1+1", "", "08", "*") + g.of("; ", "\n", " && ",
			" ")
	}
	if g.chance(15) {
		set = "x=" + v + g.of("; ", "\n", " && ")
		v = "$x"
	}
	return set + g.of("wc ", "echo ", "echo k > "+n, "echo k > "+n, "touch "+n, "cp a.txt "+n, "mkdir -p "+n,
		"echo k > ", "cat < ", "cd ", "wc k", "for i in ", "ls -", "wc *", "wc {a,b}", "bash -c wc ", "eval wc ",
		"wc ~/", "wc k=") + g.of(v, `"`+v+`"`, v+"k", `"`+v+`"/k`, "./"+v, v+v) + g.of("", "", " k",
		"; do wc $i; done", " > new"+g.mark())
}

// handedOn is a program that starts another.
func (g tricks) handedOn() string {
	inner := g.of("wc", "wc k", "cat", "ls -d", "echo k", "head -n 1", "grep k", "touch", "cp -t docs", "mkdir -p",
		"sh -c 'wc \"$1\"' k", "sh -c 'wc {}'", "bash -c 'wc k'", "stat", "file", "sort", "uniq", "tee",
		"tee new"+g.mark(), "sed p", "ln -s", "env wc", "nice wc", "xargs wc", "find", "test -f", "mv", "rm",
		"git log", "uniq k", "printf %s", "basename", "dirname", "dd", "tail", "diff a.txt")
	return g.choose(
		choice{5, func() string {
			return g.of("ls", "echo k", "printf 'k\\nj\\n'", "cat a.txt", "find . -name '*.txt'",
				"find . -type f -print0", "echo 'a b'", "echo \"'a b'\"", "echo \\\\k", "git ls-files", "seq 3",
				"echo -n --k", "echo '*'", "printf '%s\\0' k j", "ls -1 src",
				"echo k1 k2 k3") + " | xargs " + g.of("", "", "-0 ", "-n1 ", "-n 1 ", "-I{} ", "-I {} ", "-I% ",
				"-i ", "-i{} ", "-L1 ", "-l ", "-P2 ", "-r ", "-t ", "-d, ", "-d '\\n' ", "-a a.txt ", "-s 100 ",
				"-x ", "-E k ", "-e ", "--null ", "--replace ", "--replace=% ", "--max-args=1 ", "-- ", "-p ",
				"--arg-file=a.txt ", "--delimiter=, ", "-o ", "--process-slot-var=x ", "-0n1 ", "-rn1 ", "-0I{} ",
				"-n1 -P4 ") + inner + g.of("", "", " {}", " %", " k", " {} new"+g.mark(), " -- ", " > new"+g.mark(),
				" 2>/dev/null", " {}.new"+g.mark(), " new{}")
		}},
		choice{4, func() string {
			return "find " + g.of(".", "src", "src docs", "", "*", "-L .", "-P src", "-H lnk", "./", "lnk", "nodir",
				"-- .", "-D help .", "-O2 .", "~", "..", "a.txt", "$x") + g.of("", " -name '*.txt'", " -name *.txt",
				" -type f", " -maxdepth 1", " -newer a.txt", " ! -name k", " \\( -name a -o -name b \\)",
				" ( -name a )", " -path './src/*'", " -prune -o", " -print", " -size +1", " -empty", " -regex '.*'",
				" -not -path '*/.git/*'", " , -name k", " -quit", " -samefile a.txt", " -files0-from a.txt",
				" -depth", " -false", " -mtime -1", " -perm 644") + g.of("", " -print", " -print0", " -ls",
				" -exec "+inner+" {} \\;", " -exec "+inner+" {} +", " -exec "+inner+" {} ';'",
				" -exec "+inner+" {} \";\"", " -exec "+inner+" \\;", " -exec "+inner+" {};",
				" -exec "+inner+" {} \\; -exec ls {} \\;", " -execdir "+inner+" {} \\;", " -exec "+inner+" {} {} \\;",
				" -exec "+inner+" k{}k \\;", " -exec sh -c 'wc {}' \\;", " -exec sh -c 'wc \"$@\"' _ {} +",
				" -printf '%p\\n'", " -fprint new"+g.mark(), " -fprintf new"+g.mark()+" %p", " -fls new"+g.mark(),
				" -ok wc {} \\;", " -exec "+inner+" {} + -print", " | head", " | wc -l", " | sort | uniq -c",
				" -exec "+inner+" {} \\; | cat", " -delete -false")
		}},
		choice{1, g.fedTwice},
		choice{3, func() string {
			return g.of("env ", "env -i ", "env k=v ", "env -u HOME ", "env - ", "env -- ", "env k=v -- ",
				"env --chdir=src ", "env -C src ", "env -C docs ", "env -0 ", "env -v ", "env -S 'wc k' ",
				"env --ignore-environment ", "env PATH=/tmp ", "env HOME=/tmp ", "env -a k ", "env --argv0=k ",
				"nice ", "nice -n 5 ", "nice -5 ", "nice --5 ", "nohup ", "nohup -- ", "timeout 1 ", "timeout 1s ",
				"timeout -k 1 1 ", "timeout -s 9 1 ", "timeout --preserve-status 1 ", "timeout --foreground 1 ",
				"stdbuf -o0 ", "stdbuf -oL -e0 ", "stdbuf --output=L ", "xargs ", "command ", "exec ", "builtin ",
				"time ", "time -p ", "/usr/bin/env ", "/bin/nice ", "\\env ", "'env' ", "env bash -c ", "env sh -c ",
				"nice bash -c ", "timeout 1 bash -c ", "bash -c ", "sh -c ", "zsh -c ", "dash -c ", "bash -ec ",
				"bash -lc ", "sh -ec ", "bash -x -c ", "bash -o pipefail -c ", "bash --norc -c ", "bash +e -c ",
				"sh -s ", "bash -s k < ", "bash < ", "zsh -f -c ", "zsh -fc ", "zsh -o extendedglob -c ", "sh -uc ",
				"bash -c -- ", "bash -- -c ", "bash -cx ", "bash -c -x ", "bash -O extglob -c ", "bash --posix -c ",
				"bash -n -c ", "sh -xc ") + g.of(inner, inner, g.quoted(inner), g.quoted("wc "+g.of(`"$1"`, "$0",
				"$@", "$*", "k", `"$@"`, "$#"))+" "+g.mark()+" "+g.mark(), g.quoted(g.nested()), `"wc $x"`,
				`"wc \$x"`, `'wc '"$x"`, `'wc '\''k'\'''`, "'wc k' > new"+g.mark(),
				"'cd src; echo k > new"+g.mark()+"'", "'cd src' && echo k > new"+g.mark(), "$'wc\\tk'", "\"wc 'k'\"",
				"'wc k # c'", "'wc k\nwc j'", "\"$(echo wc)\"", "wc\\ k", "'wc {1..3}'", "'wc ~/k k=~'",
				"'echo \"a\\nb\"'", "'wc k*'", "'for i in a b; do wc $i; done'", "'x=k; wc $x'", "'wc $HOME'",
				"'echo k &> new"+g.mark()+"'", "'echo k >& new"+g.mark()+"'", "'wc <(wc k)'", "'wc $((1+1))'",
				"'wc ${x:-k}'", "'[[ -f k ]] && wc'", "'wc $'\\''k'\\'", "'exit 1; wc'", "'wc k |& cat'", "'wc k;'",
				"'wc k &'", "''", "' '", "'#'", "'wc\r'")
		}},
	)
}

// bound gives a variable a value and uses it.
func (g tricks) bound() string {
	v := g.of("x", "x", "y", "FOO", "dir", "path", "HOME", "PWD", "IFS", "_", "PATH", "x1", "CDPATH", "OLDPWD",
		"TMPDIR", "status", "UID", "argv", "LANG", "f", "fpath", "PS4", "LC_ALL", "OPTIND", "options", "commands",
		"words", "BASH_ENV", "ENV", "MANPATH", "prompt", "PS1", "0", "home", "USER", "HOSTNAME", "histchars",
		"aliases", "LINES", "COLUMNS", "ZDOTDIR", "GLOBIGNORE", "NULLCMD", "keymap", "parameters", "functions",
		"RANDOM")
	value := g.of("k", "new"+g.mark(), "src", "'a b'", "a\\ b", `"a b"`, "*", "'*'", "*.txt", "~", "~/k", "k:~/k",
		"{a,b}", "{1..3}", "$HOME", "$HOME/new"+g.mark(), `"$HOME"`, "$UNSET", "", "''", "k\\\nk", "$'k\\n'",
		"$'a\tb'", "-n", "--", "a=b", "~+", "=wc", "$(echo k)", "`echo k`", "$((1+1))", "k#k", "k;", "k&", "(k)",
		"/tmp", ".", "..", "../new"+g.mark(), "src/new"+g.mark(), "k\r", "é", "\xff", "\\*", "\\~/k", "\"~/k\"",
		"~\"/k\"", "~root", "~nosuch/k", "1", "010", "+1", "k'j'\"l\"", "[k]*", "k*j", "?", "<1-2>", "$$", "$?", "$0",
		"$x", "${x}k", "wc", "'wc k'", "'k' ", "$v", "k\u00a0j", "!k", "^k", "@", "k,j", "a/./b", "src/../k",
		"lnk/../k", "src//k", "src/")
	assign := g.of(v+"="+value, v+"="+value, v+"="+value, v+"="+value, "export "+v+"="+value,
		v+"="+value+" y="+g.mark(), "y=k "+v+"="+value, v+"="+value+" > /dev/null", v+"="+value+" 2>&1",
		"("+v+"="+value+")", "{ "+v+"="+value+"; }", v+"="+value+" &", v+"="+value+" | cat", "true && "+v+"="+value,
		"if true; then "+v+"="+value+"; fi", v+"="+value+" :", v+"="+value+" true", "readonly "+v+"="+value,
		"declare "+v+"="+value, "typeset "+v+"="+value, "local "+v+"="+value, "eval "+v+"="+value,
		"read "+v+" <<< "+value, "export "+v+"; "+v+"="+value, v+"="+value+"; export "+v, v+"+="+value,
		v+"=k; "+v+"="+value, v+"=\\\n"+value, v+"\\\n="+value, v+"="+value+" \\\n", v+" ="+value, v+"= "+value,
		"\\"+v+"="+value, "command "+v+"="+value, "time "+v+"="+value, "! "+v+"="+value, "set "+v+"="+value,
		"export "+v+"="+value+" z="+g.mark(), "export -n "+v+"="+value, "export -- "+v+"="+value,
		"export "+v+"="+value+" && true", v+"="+value+" # c", v+"="+value+"; : ${"+v+":=j}",
		"for "+v+" in "+value+"; do :; done", "printf -v "+v+" %s "+value, ": ${"+v+":="+value+"}", "unset "+v,
		"let "+v+"=1", v+"[0]="+value, v+"=("+value+")", "$(true) "+v+"="+value, "wc $("+v+"="+value+")",
		"while "+v+"="+value+"; do break; done", "getopts k "+v)
	use := g.of("wc $"+v, "wc \"$"+v+"\"", "wc ${"+v+"}", "wc \"${"+v+"}\"", "wc $"+v+"k", "wc k$"+v, "wc $"+v+"$"+v,
		"wc \"$"+v+"\"*", "wc $"+v+"/*", "wc ~$"+v, "wc {$"+v+",k}", "wc $"+v+"{1,2}", "wc $"+v+"[1]", "wc $"+v+":h",
		"wc \"$"+v+"[1]\"", "wc \"$"+v+":h\"", "wc $"+v+":", "wc $"+v+":k", "wc \"$"+v+":k\"", "wc $"+v+".k",
		"wc $"+v+"-k", "wc $"+v+"@", "wc $#"+v, "wc ${#"+v+"}", "echo k > $"+v, "echo k > \"$"+v+"\"",
		"echo k > new$"+v, "echo k > \"new$"+v+"\"", "echo k > $"+v+"/new"+g.mark(),
		"echo k > \"$"+v+"/new"+g.mark()+"\"", "touch $"+v, "touch \"$"+v+"\"", "touch new$"+v, "mkdir -p $"+v,
		"mkdir -p \"$"+v+"\"/new"+g.mark(), "cp a.txt $"+v, "cp a.txt \"$"+v+"\"",
		"cd $"+v+" && echo k > new"+g.mark(), "cd \"$"+v+"\"; echo k > new"+g.mark(), "$"+v+" k", "\"$"+v+"\" k",
		"eval wc $"+v, "bash -c \"wc $"+v+"\"", "bash -c 'wc $"+v+"'", "wc $(echo $"+v+")",
		"wc \"$(echo \"$"+v+"\")\"", "wc <<< $"+v, "cat <<E\n$"+v+"\nE\n", "for i in $"+v+"; do wc $i; done",
		"for i in $"+v+"; do echo k > new$i; done", "for i in \"$"+v+"\"; do echo k > new$i; done", "wc $(($"+v+"))",
		"wc $(("+v+"))", "wc ${"+v+":-j}", "wc ${"+v+"%k}", "wc ${"+v+"/k/j}", "wc ${"+v+"-j}", "wc ${!"+v+"}",
		"ls -l $"+v, "wc -l < $"+v, "wc -l < \"$"+v+"\"", "grep \"$"+v+"\" a.txt", "find $"+v+" -name k",
		"find . -name \"$"+v+"\"", "xargs wc $"+v, "env wc $"+v, "$"+v+"=k", "k=$"+v+" wc", "k=$"+v+"; wc $k",
		"k=$"+v+"; echo k > new$k", "k=\"$"+v+"\"; echo k > $k", "wc ~/k", "wc ~", "cd; echo k > new"+g.mark(),
		"cd src; echo k > new"+g.mark(), "cd - ; echo k > new"+g.mark(), "echo k > ~/new"+g.mark(),
		"echo k > $PWD/new"+g.mark(), "wc k", "wc *", "cd ~ && echo k > new"+g.mark(), "mktemp", "(wc $"+v+")",
		"{ wc $"+v+"; }", "echo $"+v+" | xargs wc", "wc \\$"+v, "wc '$"+v+"'", "wc \"\\$"+v+"\"", "wc $'$"+v+"'",
		"wc $\"$"+v+"\"", "wc \"$"+v+"k\"", "wc ${"+v+"}k", "wc $"+v+"é", "wc \"$"+v+"\"'k'",
		"test -n $"+v+" && wc k", "[ \"$"+v+"\" = k ] && wc k", "[ $"+v+" -gt 0 ] && wc k",
		"[ \"$"+v+"\" -gt 0 ] && wc k", "exit $"+v, "set -- $"+v+"; wc $1", "tee $"+v+" < a.txt", "ln -s a.txt $"+v,
		"dd if=$"+v, "dd if=a.txt of=$"+v)
	return assign + g.of("; ", "\n", "\n", " && ", " || ", "; ", " ") + use
}

// oddComment is about where a comment begins and ends.
func (g tricks) oddComment() string {
	a, b := "wc "+g.mark(), "wc "+g.mark()
	return g.of("#"+a, "# "+a+"\n"+b, a+" #"+b, a+"#"+b, a+" \\#"+b, a+" '#'"+b, a+" \"#\" "+b, a+" #\\\n"+b,
		a+" # \\\n"+b, a+" #'\n"+b+" #'", a+" #\"\n"+b+" #\"", a+" #`\n"+b, a+" #$(\n"+b, a+" # <<E\n"+b+"\nE",
		a+";#\n"+b, a+"&#\n"+b, a+"|#\n"+b, a+"&&#\n"+b, "(#\n"+a+")", "("+a+"#)\n)", "("+a+" #)\n)", "{ #\n"+a+"; }",
		"{ "+a+"; }#\n"+b, "{ "+a+"; } # }\n"+b, a+" $(#\n"+b+")", a+" $("+b+"#\n)", a+" $("+b+" #\n)",
		a+" $("+b+" #)\n)", a+" `"+b+" #`", a+" `"+b+" #`\n"+a+"`", a+" \"$("+b+" #\")\"\n)\"", a+" ${#}", a+" ${#x}",
		a+" $#", a+" $#k", a+" x#k", a+" x=#k", a+" x= #k", "x=#k; wc $x", "x= #k\nwc $x", a+" {a,#b}", a+" >#k",
		a+" > #k\nnewk", a+" <<E #c\nk\nE\n"+b, a+" <<#\nk\n#\n"+b, a+"\t#"+b, a+"\r#"+b, a+"\u00a0#"+b, a+"\v#"+b,
		a+" #\r\n"+b, a+" #\r"+b, "#!/bin/sh\n"+a, "#\n"+a, "#", "# c\n", "\n#c\n\n"+a, ":#\n"+a, ": #\n"+a,
		"for i in a #b\ndo "+a+"; done", "for i #b\nin a; do "+a+"; done", "if "+a+" #;\nthen "+b+"; fi",
		"if "+a+"; then #c\n"+b+"; fi #c", a+" && #c\n"+b, a+" | #c\n"+b, a+" \\\n #c\n"+b, a+" \\\n#c\n"+b,
		a+"\\\n #c\n"+b, "$((1 #\n))", a+" $((1#1))", a+" $(( 1 # 2\n))", "[ a #b ]\n"+a, "[[ a #]]\n]] && "+a,
		"x=(a #)\n); "+a, "case k in #c\nk) "+a+";; esac", "case k in #) "+a+"\nk) "+b+";; esac")
}

// swapping puts something else in the place of a name that the same line uses,
// before, behind or beside that, sometimes from behind a link.
func (g tricks) swapping() string {
	n := "new" + g.mark()
	at := g.of(n, n, "src", "docs", "build", "z", "a.txt", "'of=~'")
	from := g.of("up", "up", "lnk", "src", "/tmp", "../..", "~", "a.txt", "z")
	swap := g.of("mv "+from+" "+at, "mv -T "+from+" "+at, "mv -f "+from+" "+at, "ln -s "+from+" "+at,
		"ln -sfn "+from+" "+at, "ln "+from+" "+at, "ln -P "+from+" "+at, "cp -P "+from+" "+at, "cp -a "+from+" "+at,
		"cp -d "+from+" "+at, "cp -s "+from+" "+at, "cp -R "+from+" "+at, "rmdir "+at+"; mv "+from+" "+at,
		"mkdir "+at, "mkdir -p "+at+"/k", "touch "+at, "mv "+at+" "+n+"; ln -s "+from+" "+at, "mv -t "+at+" "+from,
		"find . -name "+from+" -exec mv {} "+at+" \\;", "echo "+from+" | xargs -I{} mv {} "+at,
		"mkdir "+n+"; cp -P up "+n+"/z", "cp src/tax.js "+at, "tee "+at+" < a.txt")
	as := g.respelled(at)
	use := g.of("echo k > "+as, "echo k > "+as+"/new"+g.mark(), "touch "+as+"/new"+g.mark(), "echo k >> "+as,
		"cp a.txt "+as, "cp a.txt "+as+"/", "tee "+as+"/new"+g.mark()+" < a.txt", "cd "+as+" && echo k > new"+g.mark(),
		"mkdir "+as+"/new"+g.mark(), "echo k > "+as+"/../new"+g.mark(), "ln -s a.txt "+as,
		"echo k > "+as+"/up/new"+g.mark(), "mv a.txt "+as, "wc "+as, "cat < "+as, "rmdir "+as, "touch "+as,
		"echo k > "+as+"/sub/new"+g.mark(), "echo k > "+n+"/z/new"+g.mark())
	behind := g.of("", "", "", "cd up; ", "cd lnk && ")
	return behind + g.of(swap+"; "+use, swap+" && "+use, swap+" & "+use, "("+swap+") & sleep 0; "+use, use+" & "+swap,
		swap+" | "+use, "for i in 1 2; do "+use+"; "+swap+"; done", "while true; do "+use+" || "+swap+" || break; done",
		"if "+swap+"; then "+use+"; fi", "cat <("+swap+") > /dev/null; "+use, "wc $("+swap+"); "+use,
		use+" || { "+swap+" && "+use+"; }", "bash -c '"+swap+"'; "+use, "{ "+swap+" & } ; wait; "+use)
}

// linking makes a link and uses it under another spelling of its name.
func (g tricks) linking() string {
	n := "new" + g.mark()
	as := g.respelled(n)
	return "ln -s " + g.of("src", "docs", "a.txt", "../project", "lnk", "up", "~") + " " + g.respelled(n) +
		g.of("; ", " && ", "\n") + g.of("echo k > "+as, "echo k > "+as+"/new"+g.mark(), "cp a.txt "+as, "wc "+as,
		"cat "+as+"/*", "ln -s k1.txt "+as, "mkdir "+as+"/new"+g.mark(), "ls "+as, "ls", "tee "+as+" < a.txt")
}

// respelled is another way to write a name.
func (g tricks) respelled(name string) string {
	return g.of("", "", "./", ".//", "././", "src/../", "../project/", `"$PWD"/`, "~/project/") + name
}

// carried sets a variable to what depends on where the shell stands, or to what a
// shell may split or glob, and uses it where files are opened; or it feeds a
// substitution a text that stands behind it.
func (g tricks) carried() string {
	moves := g.of("", "", "cd src; ", "cd src && ", "cd k1 || cd docs; ", "cd lnk; ")
	value := g.of("$PWD", `"$PWD/k1"`, "$PWD/new1", "${PWD}", "src/*.js", "'src/t*'", "n*.txt", "' a.txt'", "'k 1'",
		"new1", "~/k1", "$HOME")
	use := g.of("wc $x", `wc "$x"`, "echo k > $x", `echo k > "$x"`, "echo k >> $x", "wc < $x", "tee $x < a.txt",
		"cp a.txt $x", "ln -s ../project $x", "wc $x/k1")
	document := "<<" + g.of("E", "'E'", "-E")
	inner := "seq 3 " + document + g.of("", " | cat", " && ls")
	return g.of(moves+"x="+value+"; "+use, moves+"export x="+value+"; "+use,
		moves+"for x in "+value+"; do "+use+"; done",
		g.of("wc $(", `wc "$(`, "wc <(")+inner+g.of(")", `)"`)+"\nwc "+g.mark()+"\nE")
}
