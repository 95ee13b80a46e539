package disguise

import (
	"math/rand/v2"
	"strings"
)

func expansions() []Kind {
	x := func(name, template, doc string, needs ...string) Kind {
		return form(name, Expansion, template, doc, needs...)
	}
	name := func(n, doc string, write func(r *rand.Rand, p string) string) Kind {
		return rename(n, Expansion, doc, write)
	}
	return append(paths(),
		name("default", "the name from a default",
			func(_ *rand.Rand, p string) string { return "${zzunset:-" + p + "}" }),
		name("default-unset", "the name from a default for what is unset",
			func(_ *rand.Rand, p string) string { return "${zzunset-" + p + "}" }),
		name("default-assigned", "the name from a default that is assigned",
			func(_ *rand.Rand, p string) string { return "${zzunset:=" + p + "}" }),
		name("alternative", "the name from an alternative",
			func(_ *rand.Rand, p string) string { return "${PATH:+" + p + "}" }),
		name("empty-variable", "an empty variable inside the name", func(r *rand.Rand, p string) string {
			i := cut(r, p)
			return p[:i] + "${zzunset}" + p[i:]
		}),
		name("empty-parameter", "an empty parameter inside the name", func(r *rand.Rand, p string) string {
			i := cut(r, p)
			return p[:i] + "$@" + p[i:]
		}),
		name("empty-substitution", "an empty substitution inside the name", func(r *rand.Rand, p string) string {
			i := cut(r, p)
			return p[:i] + "$()" + p[i:]
		}),
		name("echo-substitution", "the name from echo",
			func(_ *rand.Rand, p string) string { return "$(echo " + p + ")" }),
		name("printf-substitution", "the name from printf",
			func(_ *rand.Rand, p string) string { return "$(printf %s " + quote(p) + ")" }),
		name("printf-octal", "the name from printf's escapes",
			func(_ *rand.Rand, p string) string { return "$(printf '" + escapes(`\%03o`, p) + "')" }),
		name("backtick-name", "the name from backticks",
			func(_ *rand.Rand, p string) string { return "`echo " + p + "`" }),
		name("reversed-name", "the name from a text in reverse",
			func(_ *rand.Rand, p string) string { return "$(rev <<< " + reversed(p) + ")" }).needing("rev"),
		name("brace-one", "a brace expansion around a letter", func(r *rand.Rand, p string) string {
			i := r.IntN(len(p))
			if c := p[i] | 0x20; c < 'a' || c > 'z' {
				return ""
			}
			return p[:i] + "{" + p[i:i+1] + ".." + p[i:i+1] + "}" + p[i+1:]
		}),
		x("variable", "zza=%Q{%s}; bash -c \"$zza\"", "the text from a variable"),
		x("variable-words", "%n() { zza=$1; shift; $zza \"$@\"; }\n%n %w", "the name from a variable"),
		x("array", "zza=(%w); \"${zza[@]}\"", "an array"),
		x("array-slice", "zza=(zz %w); \"${zza[@]:1}\"", "a slice of an array"),
		x("array-append", "zza=(env); zza+=(%w); \"${zza[@]}\"", "an array that grows", "env"),
		x("positional", "set -- %w; \"$@\"", "the positional parameters"),
		x("positional-star", "set -- %q; eval \"$*\"", "the positional parameters, joined"),
		x("positional-slice", "set -- zz %w; \"${@:2}\"", "a slice of the positional parameters"),
		x("positional-shift", "set -- zz %w; shift; \"$@\"", "the positional parameters, shifted"),
		x("indirect", "zza=%q; zzb=zza; eval \"${!zzb}\"", "an indirect variable"),
		x("nameref", "zza=%q; declare -n zzb=zza; eval \"$zzb\"", "a reference to a name"),
		x("prefix-removed", "zza=zz%q; eval \"${zza#zz}\"", "a prefix that is removed"),
		x("suffix-removed", "zza=%q'#zz'; eval \"${zza%%#zz}\"", "a suffix that is removed"),
		x("substring", "zza=zzz%q; eval \"${zza:3}\"", "a substring"),
		x("joined-variables", "zza=%q; zzb=; zzc=$zzb$zza$zzb; eval \"$zzc\"", "variables that are joined"),
		x("printf-v", "printf -v zza %%s %q; eval \"$zza\"", "a variable that printf sets"),
		x("read-variable", "IFS= read -r -d '' zza <<< %q; eval \"$zza\"", "a variable that read sets"),
		x("mapfile", "mapfile -t zza <<< %q; zzIFS=$IFS; IFS=$'\\n'; zzb=\"${zza[*]}\"; IFS=$zzIFS; eval \"$zzb\"",
			"an array that mapfile sets"),
		x("quote-transform", "zza=(%w); eval \"${zza[@]@Q}\"", "words that the shell quotes"),
		x("escape-transform", "zza='%h'; eval \"${zza@E}\"", "escapes that the shell resolves"),
		x("lower-case", "zza=BASH; ${zza,,} -c %q", "a name that is folded"),
		x("heredoc-variable", "zza=$(cat <<'ZZEND'\n%s\nZZEND\n); eval \"$zza\"", "a variable from a here-document",
			"cat"),
		x("declare", "declare zza=%q; eval \"$zza\"", "a variable that declare sets"),
		x("readonly", "readonly zza=%q; eval \"$zza\"", "a variable that cannot change"),
		Kind{Name: "braces", Family: Expansion, Doc: "all words in one brace expansion",
			apply: joined("{", ",", "}", ",{}\\$`\"' \t\n~*?[]!()<>|&;#")},
		Kind{Name: "ifs-blanks", Family: Expansion, Doc: "${IFS} for blanks",
			apply: joined("", "${IFS}", "", "\\$`\"' \t\n~*?[]!(){}<>|&;#")},
		Kind{Name: "ifs-variable", Family: Expansion, Doc: "words that another IFS splits",
			apply: joined("IFS=,; zza=", ",", "; $zza", ",\\$`\"' \t\n~*?[]!(){}<>|&;#")},
		Kind{Name: "split-variable", Family: Expansion, Doc: "words that splitting makes",
			apply: joined("zza='", " ", "'; $zza", "\\$`\"' \t\n~*?[]!(){}<>|&;#")},
		Kind{Name: "replaced", Family: Expansion, Doc: "a text of which a mark is taken out",
			apply: func(r *rand.Rand, command string) (string, bool) {
				if strings.Contains(command, "QZ") {
					return "", false
				}
				i := 1 + r.IntN(max(len(command)-1, 1))
				return "zza=" + quote(command[:i]+"QZ"+command[i:]) + `; eval "${zza//QZ}"`, true
			}},
		Kind{Name: "two-halves", Family: Expansion, Doc: "a text from two variables",
			apply: func(r *rand.Rand, command string) (string, bool) {
				i := 1 + r.IntN(max(len(command)-1, 1))
				return "zza=" + quote(command[:i]) + "; zzb=" + quote(command[i:]) + `; eval "$zza$zzb"`, true
			}},
		Kind{Name: "letters", Family: Expansion, Doc: "a name from letters of a variable",
			apply: func(_ *rand.Rand, command string) (string, bool) {
				return "zza=hsabz; \"${zza:3:1}${zza:2:1}${zza:1:1}${zza:0:1}\" -c " + quote(command), true
			}},
	)
}

func (k Kind) needing(programs string) Kind {
	k.Needs = programs
	return k
}

// joined makes one text of the words, where none holds what would part them.
func joined(before, between, after, never string) func(*rand.Rand, string) (string, bool) {
	return func(_ *rand.Rand, command string) (string, bool) {
		list := words(command)
		for _, w := range list {
			if w == "" || strings.ContainsAny(w, never) {
				return "", false
			}
		}
		return before + strings.Join(list, between) + after, len(list) > 1
	}
}

func encodings() []Kind {
	e := func(name, template, doc string, needs ...string) Kind {
		return form(name, Encoding, template, doc, needs...)
	}
	return []Kind{
		e("echo-sh", "echo %q | bash", "echo into a shell"),
		e("printf-sh", "printf '%%s\\n' %q | bash", "printf into a shell"),
		e("printf-s", "printf '%%s' %q | bash -s", "printf into a shell with -s"),
		e("printf-octal-sh", "printf '%o' | bash", "octal escapes"),
		e("printf-hex-sh", "printf '%h' | bash", "hexadecimal escapes"),
		e("printf-b", "printf '%%b' '%h' | bash", "escapes that %b resolves"),
		e("echo-e", "echo -e '%h' | bash", "escapes that echo resolves"),
		e("ansi-eval", "eval $'%h'", "escapes of the shell, evaluated"),
		e("ansi-c", "bash -c $'%o'", "escapes of the shell, run"),
		e("base64", "echo %b | base64 -d | bash", "base64", "base64"),
		e("base64-long", "base64 --decode <<< %b | sh -c bash", "base64 from a here-string", "base64"),
		e("base64-eval", "eval \"$(echo %b | base64 -d)\"", "base64, evaluated", "base64"),
		e("base64-c", "bash -c \"$(base64 -d <<< %b)\"", "base64, as an argument", "base64"),
		e("base64-process", "bash <(echo %b | base64 -d)", "base64 as a script", "base64"),
		e("base64-source", ". <(echo %b | base64 -d)", "base64 that is read in", "base64"),
		e("openssl", "echo %b | openssl base64 -d -A | bash", "base64 by openssl", "openssl"),
		e("xxd", "echo %x | xxd -r -p | bash", "hexadecimal by xxd", "xxd"),
		e("rev", "echo %r | rev | bash", "each line in reverse", "rev"),
		e("rev-eval", "eval \"$(rev <<< %r)\"", "each line in reverse, evaluated", "rev"),
		e("tac", "tac <<< %v | bash", "lines in reverse order", "tac"),
		e("rot13", "tr A-Za-z N-ZA-Mn-za-m <<< %t | bash", "rot13", "tr"),
		e("cut", "sed 's/^#//' <<< %Q{#%s} | bash", "a comment sign that sed takes away", "sed"),
		e("heredoc", "bash <<'ZZEND'\n%s\nZZEND", "a here-document into a shell"),
		e("heredoc-s", "bash -s zz <<'ZZEND'\n%s\nZZEND", "a here-document into a shell with -s"),
		e("heredoc-cat", "cat <<'ZZEND' | bash\n%s\nZZEND", "a here-document through cat", "cat"),
		e("herestring", "bash <<< %q", "a here-string into a shell"),
		e("tee-sh", "echo %q | tee /dev/null | bash", "through tee", "tee"),
		e("process-script", "bash <(echo %q)", "a process substitution as a script"),
		e("process-stdin", "bash < <(printf %%s %q)", "a process substitution as input"),
		e("process-source", "source <(echo %q)", "a process substitution that is read in"),
		e("process-sink", "echo %q > >(bash)", "a process substitution that is a shell"),
		e("source-stdin", ". /dev/stdin <<'ZZEND'\n%s\nZZEND", "standard input that is read in"),
		e("source-herestring", "source /dev/stdin <<< %q", "a here-string that is read in"),
		e("read-loop", "while IFS= read -r -d '' zz; do eval \"$zz\"; done < <(printf '%%s\\0' %q)",
			"a loop that evaluates its input"),
		e("xargs-encoded", "echo %b | base64 -d | xargs -0 bash -c", "base64 through xargs", "base64", "xargs"),
	}
}

func indirections() []Kind {
	i := func(name, template, doc string, needs ...string) Kind {
		return form(name, Indirection, template, doc, needs...)
	}
	unshown := func(k Kind, why string) Kind {
		k.Unshown = why
		return k
	}
	return []Kind{
		i("script-file", "echo %q > zz.sh; bash zz.sh", "a script that is written and run"),
		i("script-heredoc", "cat > zz.sh <<'ZZEND'\n%s\nZZEND\nbash ./zz.sh", "a script from a here-document", "cat"),
		i("script-tee", "tee zz.sh > /dev/null <<'ZZEND'\n%s\nZZEND\nbash zz.sh", "a script that tee writes", "tee"),
		i("script-executable", "printf '#!/bin/bash\\n%%s\\n' %q > zz.sh; chmod +x zz.sh; ./zz.sh",
			"a script that is made executable", "chmod"),
		i("script-source", "echo %q > zz.sh; . ./zz.sh", "a script that is read in"),
		i("script-stdin", "echo %q > zz.sh; bash < zz.sh", "a script on standard input"),
		i("script-encoded", "echo %b | base64 -d > zz.sh && bash zz.sh", "an encoded script", "base64"),
		i("script-append", "echo : > zz.sh; echo %q >> zz.sh; bash zz.sh", "a script that is appended to"),
		i("script-copied", "echo %q > zz.txt; cp zz.txt zz.sh; bash zz.sh", "a script that is copied", "cp"),
		i("script-linked", "echo %q > zz.txt; ln -s zz.txt zz.sh; bash zz.sh", "a script behind a link", "ln"),
		i("script-eval-cat", "echo %q > zz.sh; eval \"$(cat zz.sh)\"", "a file that is evaluated", "cat"),
		i("script-read", "echo %q > zz.sh; bash -c \"$(< zz.sh)\"", "a file that the shell reads"),
		i("script-path", "mkdir -p zzbin; printf '#!/bin/bash\\n%%s\\n' %q > zzbin/ls; chmod +x zzbin/ls; "+
			"PATH=$PWD/zzbin:$PATH ls", "a script under another program's name", "mkdir", "chmod"),
		i("rcfile", "echo %q > zzrc; bash --rcfile zzrc -i -c :", "a file that an interactive shell reads"),
		i("makefile", "printf 'zz:\\n\\t@echo %b | base64 -d | bash\\n' > zz.mk; make -f zz.mk",
			"a Makefile that is written", "make", "base64"),
		i("python-file", "echo 'import os; os.system(\"echo %b | base64 -d | bash\")' > zz.py; python3 zz.py",
			"a Python program that is written", "python3", "base64"),
		i("alias", "shopt -s expand_aliases\nalias %n=%Q{eval %q}\n%n", "an alias"),
		i("alias-words", "shopt -s expand_aliases\nalias %n=%Q{%p}\n%n", "an alias of words"),
		i("alias-eval", "shopt -s expand_aliases\nalias %n=%Q{eval %q}\neval %n", "an alias, evaluated"),
		i("alias-of-program", "shopt -s expand_aliases\nalias ls=%Q{eval %q #}\nls",
			"an alias with another program's name"),
		i("function-of-program", "ls() { %s\n}\nls", "a function with another program's name"),
		i("function-declared", "eval %Q{%n() { %s\n}}; %n", "a function that is declared by eval"),
		i("trap-exit", "trap %q EXIT", "a trap at the end"),
		i("trap-exit-0", "trap -- %q 0; :", "a trap at the end, by number"),
		i("trap-err", "trap %q ERR; false", "a trap after a failure"),
		i("trap-debug", "trap %q DEBUG; :", "a trap before each command"),
		i("trap-return", "%n() { trap %q RETURN; }; %n", "a trap when a function returns"),
		i("trap-signal", "trap %q USR1; kill -USR1 $$", "a trap at a signal"),
		i("mapfile-callback", "mapfile -c 1 -C %Q{bash -c %q zz} <<< zz", "a callback of mapfile"),
		i("not-found-handle", "command_not_found_handle() { %s\n}\nzznone", "what runs for a missing command"),
		i("hash-p", "hash -p \"$(command -v bash)\" zzprogram; zzprogram -c %q", "another name for a program"),
		i("enable", "enable -n test; %s\n", "after a builtin is turned off"),
		i("complete", "complete -F %n ls; %n() { %s\n}; %n", "a function for completion"),
		unshown(i("bind-x", "bind -x '\"\\C-t\": '%q", "a key that runs it"), "it runs when a person presses the key"),
		unshown(i("fc-editor", "FCEDIT=%q fc -l", "the editor of fc"), "it runs only in a shell with a history"),
		unshown(i("logout-file", "echo %q >> ~/.bash_logout", "a file that a login shell reads at its end"),
			"it runs later, in another shell"),
		unshown(i("rc-later", "echo %q >> ~/.bashrc", "a file that the next shell reads"),
			"it runs later, in another shell"),
		unshown(i("git-hook", "printf '#!/bin/bash\\n%%s\\n' %q > .git/hooks/pre-commit; chmod +x "+
			".git/hooks/pre-commit; git commit -m zz", "a hook of git", "chmod", "git"), "it needs a repository"),
	}
}
