package disguise

func nestings() []Kind {
	n := func(name, template, doc string, needs ...string) Kind {
		return form(name, Nesting, template, doc, needs...)
	}
	return []Kind{
		n("subshell", "( %s\n)", "a subshell"),
		n("group", "{ %s\n}", "a group"),
		n("if-condition", "if %s\nthen :; fi", "the condition of an if"),
		n("if-then", "if true; then %s\nfi", "the body of an if"),
		n("if-else", "if false; then :; else %s\nfi", "the else of an if"),
		n("while-condition", "while %s\nfalse; do :; done", "the condition of a while"),
		n("while-body", "while true; do %s\nbreak; done", "the body of a while"),
		n("until-body", "until false; do %s\nbreak; done", "the body of an until"),
		n("for-body", "for zz in 1; do %s\ndone", "the body of a for"),
		n("for-arguments", "for zz in %q; do eval \"$zz\"; done", "the values of a for"),
		n("for-c", "for ((zz = 0; zz < 1; zz++)); do %s\ndone", "the body of an arithmetic for"),
		n("case-body", "case zz in zz) %s\n;; esac", "the body of a case"),
		n("case-word", "case $(%s\n) in *) ;; esac", "the word of a case"),
		n("case-pattern", "case zz in $(%s\n)) ;; esac", "a pattern of a case"),
		n("select-body", "select zz in a; do %s\nbreak; done <<< 1", "the body of a select"),
		n("function", "%n() { %s\n}\n%n", "a function"),
		n("function-keyword", "function %n { %s\n}\n%n", "a function, with the keyword"),
		n("function-subshell", "%n() ( %s\n)\n%n", "a function that is a subshell"),
		n("function-in-function", "%n() { %na() { %s\n}; %na; }\n%n", "a function inside a function"),
		n("function-argument", "%n() { \"$@\"; }\n%n %w", "the arguments of a function"),
		n("substitution", ": $(%s\n)", "a command substitution"),
		n("substitution-quoted", "echo \"$(%s\n)\"", "a command substitution in quotes"),
		n("substitution-command", "$(%s\n)", "a command substitution as the command"),
		n("backticks", ": `%k\n`", "backticks"),
		n("process-in", ": <(%s\n)", "a process substitution"),
		n("process-in-read", "cat <(%s\n)", "a process substitution that is read", "cat"),
		n("process-out", "echo > >(%s\n)", "a process substitution that is written to"),
		n("coproc", "coproc { %s\n}\nwait", "a coprocess"),
		n("heredoc-substitution", "cat <<ZZEND\n$(%s\n)\nZZEND", "a substitution in a here-document", "cat"),
		n("herestring-substitution", ": <<< \"$(%s\n)\"", "a substitution in a here-string"),
		n("arithmetic-expansion", ": $(( $(%s\n) + 0 ))", "a substitution in arithmetic"),
		n("arithmetic-command", "(( $(%s\n) + 0 ))", "a substitution in an arithmetic command"),
		n("test", "[[ -n $(%s\n) ]]", "a substitution in a test"),
		n("test-bracket", "[ -n \"$(%s\n)\" ]", "a substitution in [ ]"),
		n("array-index", "zza[$(%s\n)0]=1", "a substitution in an array index"),
		n("array-value", "zza=($(%s\n))", "a substitution in an array"),
		n("assignment", "zza=$(%s\n)", "a substitution in an assignment"),
		n("export", "export zza=\"$(%s\n)\"", "a substitution in an export"),
		n("local", "%n() { local zza=$(%s\n); }\n%n", "a substitution in a local"),
		n("default-value", ": ${zzunset:-$(%s\n)}", "a substitution in a default"),
		n("default-assign", ": ${zzunset:=$(%s\n)}", "a substitution in a default that is assigned"),
		n("alternative-value", "zza=1; : ${zza:+$(%s\n)}", "a substitution in an alternative"),
		n("error-value", ": ${HOME:?$(echo)}; %s\n", "after an expansion with an error text"),
		n("substring-offset", "zza=abc; : ${zza:$(eval %q)0}", "a substitution in an offset"),
		n("replacement", "zza=abc; : ${zza/b/$(%s\n)}", "a substitution in a replacement"),
		n("redirect-target", "echo > /dev/null$(%s\n)", "a substitution in the target of a redirection"),
		n("argument", "ls $(%s\n)", "a substitution among arguments", "ls"),
		n("let-index", "let %Q{zza[$(eval %q)0]=1}", "an index that let evaluates"),
		n("arithmetic-index", "zza=%Q{zzb[$(eval %q)0]}; : $((zza))", "an index that arithmetic evaluates"),
		n("test-v-index", "[[ -v %Q{zzb[$(eval %q)0]} ]]", "an index that a test evaluates"),
		n("printf-v-index", "printf -v %Q{zzb[$(eval %q)0]} x", "an index that printf evaluates"),
		n("prompt-expansion", "zzp=%q; zza='$(eval \"$zzp\")'; : \"${zza@P}\"", "a prompt that is expanded"),
		n("pipeline-right", ": | { %s\n}", "the right of a pipe"),
		n("pipeline-left", "{ %s\n} | cat", "the left of a pipe", "cat"),
		n("pipe-while", "echo x | while read -r zz; do %s\ndone", "a loop behind a pipe"),
		n("deep", "( { ( { %s\n} ) } )", "several brackets"),
	}
}

func separators() []Kind {
	s := func(name, template, doc string, needs ...string) Kind {
		return form(name, Separator, template, doc, needs...)
	}
	return []Kind{
		s("after-semicolon", ":; %s\n", "after a semicolon"),
		s("after-semicolon-tight", "true;%s\n", "after a semicolon without a blank"),
		s("before-newline", "%s\ntrue", "before another line"),
		s("after-newline", "ls\n%s\n", "after another line", "ls"),
		s("after-and", "true && %g", "after &&"),
		s("after-or", "false || %g", "after ||"),
		s("before-and", "%g && true", "before &&"),
		s("before-or", "%g || true", "before ||"),
		s("after-background", "true & %s\n", "after &"),
		s("background", "%g & wait", "in the background"),
		s("before-pipe", "%g | cat", "before a pipe", "cat"),
		s("after-pipe", "echo zz | %g", "after a pipe"),
		s("pipe-both", "%g |& cat", "before a pipe of both streams", "cat"),
		s("negated", "! %g", "negated"),
		s("negated-twice", "! { ! %g; }", "negated twice"),
		s("comment-before", "# zz\n%s\n", "after a comment"),
		s("comment-after", "%g # zz", "before a comment"),
		s("blank-before", " \t %s\n", "after blanks"),
		s("continued", "\\\n%s\n", "after a continued line"),
		s("many-before", "echo a; echo b; ls -la; pwd; %s\n", "after several commands", "ls"),
		s("cd-before", "cd . && %g", "after cd"),
		s("set-before", "set -e; %s\n", "after set"),
		s("heredoc-before", "cat <<'ZZEND'\nzz\nZZEND\n%s\n", "after a here-document", "cat"),
		s("carriage", "%g;\r\n", "with a line end of DOS"),
	}
}

func environments() []Kind {
	e := func(name, template, doc string, needs ...string) Kind {
		return form(name, Environment, template, doc, needs...)
	}
	return []Kind{
		e("assignment-before", "ZZA=1 %p", "an assignment before it"),
		e("assignments-before", "ZZA=1 ZZB='x y' LC_ALL=C %p", "several assignments before it"),
		e("assignment-line", "ZZA=1\n%s\n", "an assignment on its own line"),
		e("export-line", "export ZZA=1; %s\n", "an export on its own line"),
		e("path-same", "PATH=\"$PATH\" %p", "PATH set to itself"),
		e("path-more", "PATH=$PATH:/opt/bin; %s\n", "PATH with a directory more"),
		e("bash-env", "printf '%%s\\n' %q > zzenv; BASH_ENV=./zzenv bash -c :", "a file that BASH_ENV names"),
		e("bash-env-substitution", "BASH_ENV=%Q{$(eval %q)} bash -c :", "a substitution in BASH_ENV"),
		e("sh-env", "printf '%%s\\n' %Q{bash -c %q} > zzenv; ENV=./zzenv sh -i -c :", "a file that ENV names"),
		e("prompt-command", "PROMPT_COMMAND=%q bash --norc -i <<< :", "PROMPT_COMMAND of an interactive shell"),
		e("ps1", "zzp=%q PS1='$(eval \"$zzp\")' bash --norc -i <<< :", "the prompt of an interactive shell"),
		e("ps4", "zzp=%q; PS4='$(eval \"$zzp\")'; set -x; :", "the prompt of a trace"),
		e("variable-eval", "zza=%q; eval \"$zza\"", "a variable that is evaluated"),
		e("variable-exported", "export zza=%q; bash -c 'eval \"$zza\"'",
			"a variable of the environment that is evaluated"),
		e("variable-sh-c", "zza=%q bash -c 'eval \"$zza\"'", "a variable before a shell that evaluates it"),
		e("exported-function", "%n() { %s\n}; export -f %n; bash -c %n", "a function of the environment"),
		e("git-pager-variable", "GIT_PAGER=%q git -p log", "a pager in the environment of git", "git"),
		e("git-ssh-variable", "GIT_SSH_COMMAND=%q git ls-remote ssh://localhost/x",
			"an ssh command in the environment of git", "git"),
		e("git-diff-variable", "GIT_EXTERNAL_DIFF=%q git diff", "a diff program in the environment of git", "git"),
		e("git-config-variable", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=%q git status",
			"a setting in the environment of git", "git"),
		e("pager-variable", "PAGER=%q man ls", "PAGER", "man"),
		e("manpager-variable", "MANPAGER=%q man ls", "MANPAGER", "man"),
		e("editor-variable", "EDITOR=%q git commit", "EDITOR", "git"),
		e("lessopen", "LESSOPEN=%Q{|%s\n} less README.md", "LESSOPEN", "less"),
		e("perl5opt", "PERL5DB=%Q{BEGIN { system %l }} perl -d -e 1", "PERL5DB", "perl"),
		e("rsync-rsh", "RSYNC_RSH=%Q{bash -c \"echo %b | base64 -d | bash\"} rsync a localhost:b", "RSYNC_RSH", "rsync",
			"base64"),
	}
}

func redirections() []Kind {
	d := func(name, template, doc string, needs ...string) Kind {
		return form(name, Redirection, template, doc, needs...)
	}
	return []Kind{
		d("stdout-null", "%g > /dev/null", "to nowhere"),
		d("all-null", "%g > /dev/null 2>&1", "both streams to nowhere"),
		d("both-null", "%g &> /dev/null", "both streams to nowhere, as bash writes it"),
		d("redirect-first", "> /dev/null 2>&1 %p", "a redirection before it"),
		d("redirect-between", "2> /dev/null < /dev/null %p", "redirections before it"),
		d("stdin-null", "%g < /dev/null", "from nowhere"),
		d("stdin-closed", "%g <&-", "without an input"),
		d("stdin-heredoc", "%g <<'ZZEND'\nzz\nZZEND", "from a here-document"),
		d("stdin-herestring", "%g <<< zz", "from a here-string"),
		d("descriptor", "exec 3>&1; %g >&3", "to another descriptor"),
		d("descriptor-named", "exec {zzfd}>&1; %s\n", "with a descriptor in a variable"),
		d("append-null", "%g >> /dev/null", "appended to nowhere"),
		d("clobber-null", "%g >| /dev/null", "to nowhere, in any case"),
		d("group-redirect", "{ %s\n} > /dev/null", "a group to nowhere"),
		d("loop-redirect", "while read -r zz; do %s\nbreak; done <<< zz", "a loop with an input"),
		d("process-redirect", "%g > >(cat)", "to a process substitution", "cat"),
	}
}
