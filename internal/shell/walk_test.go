package shell

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// facts checks commands against what the short form says of them.
func facts(t *testing.T, env Env, cases []string) {
	t.Helper()
	for i := 0; i+1 < len(cases); i += 2 {
		r := Analyze(cases[i], env)
		if diff := cmp.Diff(sorted(cases[i+1]), brief(r)); diff != "" {
			t.Errorf("%s\nwant %s\ngot  %s\n%+v", cases[i], sorted(cases[i+1]), brief(r), r.Unknowns)
		}
	}
}

func TestSubstitutionsAnywhere(t *testing.T) {
	env := testEnv(world())
	for _, form := range []string{
		"$(rm a)", "`rm a`", "echo `echo \\`rm a\\``", "echo $(rm a)", "echo \"$(rm a)\"", "echo \"`rm a`\"",
		"cat <(rm a)", "ls > >(rm a)",
		"x=$(rm a)", "x=${y:-$(rm a)}", "echo ${y:=$(rm a)}", "echo ${y:+$(rm a)}", "echo ${y:?$(rm a)}",
		"echo ${y#$(rm a)}",
		"echo ${y/$(rm a)/b}", "echo ${y:$(rm a)}", "echo ${y[$(rm a)]}", "y[$(rm a)]=1", "echo $((1+$(rm a)))",
		"((x=$(rm a)))", "let x=$(rm a)", "for i in $(rm a); do :; done", "for ((i=$(rm a);;)); do :; done",
		"case $(rm a) in *) ;; esac",
		"case x in $(rm a)) ;; esac", "[[ -n $(rm a) ]]", "[[ a == $(rm a) ]]", "[ -n \"$(rm a)\" ]",
		"cat <<E\n$(rm a)\nE", "cat <<<\"$(rm a)\"",
		"ls > $(rm a)", "x=($(rm a))", "declare x=$(rm a)", "export X=$(rm a)", "local x=$(rm a)",
		"if rm a; then :; fi", "while rm a; do break; done",
		"until rm a; do :; done", "! rm a", "time rm a", "(rm a)", "{ rm a; }", "ls | rm a", "ls && rm a",
		"false || rm a", "rm a &", "f() { rm a; }; f",
		"function f { rm a; }; f", "eval 'rm a'", "eval \"$(printf 'rm a')\"", "echo $(echo $(echo $(rm a)))",
		"if false; then :; elif rm a; then :; fi",
		"case x in y) rm a;; esac", "for x in 1; do rm a; done", "select x in 1; do rm a; done", "coproc rm a",
		"echo {a,$(rm a)}", "r''m a", "\"rm\" a", "\\rm a",
		"$'rm' a", "$'\\x72m' a", "c=rm; $c a", "c='rm a'; $c", "a=r b=m; $a$b a", "X=1 rm a", "/usr/bin/rm a",
		"command rm a", "builtin command rm a", "exec rm a",
		"sh -c 'rm a'", "bash -lc \"rm a\"", "bash <<< 'rm a'", "bash <<'E'\nrm a\nE", "sh <<E\nrm a\nE",
		"echo 'rm a' | sh", "printf 'rm a' | bash",
		"find . -maxdepth 0 -exec rm a \\;", "env rm a", "env -i X=1 rm a", "nohup rm a", "timeout 5 rm a",
		"nice -n 3 rm a", "sudo rm a", "doas rm a", "setsid rm a", "stdbuf -oL rm a",
		"xargs rm a", "flock /tmp/l rm a", "flock /tmp/l -c 'rm a'", "script -c 'rm a' /dev/null", "su -c 'rm a'",
		"watch rm a", "time -p rm a", "busybox rm a", "strace rm a", "env -S 'rm a'",
		"eval eval rm a", "sudo -u x env A=b nice timeout 3 sh -c 'eval \"rm a\"'", "parallel rm a", "ls\nrm a",
		"ls & rm a", "ls; rm a", "true \\\n&& rm a", "awk 'BEGIN{print | \"rm a\"}'",
		"git submodule foreach 'rm a'", "for c in 'rm a'; do eval \"$c\"; done", "x='rm a'; eval $x",
		"cd src && cd .. && rm a", "case x in x) :;& y) rm a;; esac",
	} {
		r := Analyze(form, env)
		found, effects := false, r.Effects
		if r.Possible != nil {
			effects = append(effects, r.Possible.Effects...)
		}
		for _, e := range effects {
			found = found || e.Kind == Delete && (e.Target == testRepo+"/a")
		}
		if !found {
			t.Errorf("%s: %s %+v", form, brief(r), r.Unknowns)
		}
	}
}

func TestNotCalled(t *testing.T) {
	facts(t, testEnv(world()), []string{
		"f() { rm a; }", "delete a; unknown", // whether it is called is not followed
		"echo 'rm a'", "nothing",
		"cat <<'E'\n$(rm a)\nE", "nothing",
		"# rm a", "nothing",
		"git commit -m 'rm -rf /'", "write .git kept",
	})
}

// TestState holds what is known between the commands of a line: a variable that the text writes once as a statement of
// its own, and the directories in which the shell may stand.
func TestState(t *testing.T) {
	m := world()
	m.Dir(testRepo+"/src/deep", 0o755)
	m.Link(testRepo+"/out", "/etc")
	facts(t, testEnv(m), []string{
		// cd as the first command, and what && makes wait for it.
		"cd src && rm a", "delete src/a",
		"cd nowhere && rm a", "delete nowhere/a",
		"cd /etc && rm passwd", "delete /etc/passwd",
		"cd ~/x && rm a", "delete ~/x/a",
		"cd $X && rm a", "delete ?; unknown",
		"cd - && rm a", "delete ?; unknown",
		"cd out && rm passwd", "delete /etc/passwd",
		"cd out/.. && ls", "read ?",
		"cd src && rm a && rm b", "delete src/a; delete src/b",
		"cd src && rm a | cat", "delete src/a",
		"cd src && (rm a; rm b)", "delete src/a; delete src/b",
		"(cd src && rm a); rm b", "delete b; delete src/a",
		"cat $(cd src && rm a)", "delete src/a; read ?",
		"cd $(git rev-parse --show-toplevel) && cat a", "read ?", // what a command prints is not followed

		// Anywhere else it adds a directory, and takes none away.
		"cd src; rm a", "delete a; delete src/a",
		"cd src\nrm a", "delete a; delete src/a",
		"cd nowhere; rm a", "delete a; delete nowhere/a",
		"cd nowhere || rm a", "delete a; delete nowhere/a",
		"cd src || exit 1; rm a", "delete a; delete src/a",
		"cd src && ls; rm a", "delete a; delete src/a; read src",
		"cd src || ls && rm a", "delete a; delete src/a; read .; read src",
		"ls && cd src && rm a", "delete a; delete src/a; read .",
		"{ cd src; } && rm a", "delete a; delete src/a",
		"! cd src && rm a", "delete a; delete src/a",
		"cd src < nofile && rm a", "delete a; delete src/a; read nofile",
		"cd && rm a", "delete a; delete ~/a",
		"cd src/deep && cd ../.. && rm a", "delete a; delete src/deep/a",
		"(cd src); rm a", "delete a",
		"(cd src; rm a)", "delete a; delete src/a",
		"cd src | true; rm a", "delete a; delete src/a", // zsh: where cd comes last
		"cd src & rm a", "delete a; delete src/a; unknown",
		"cd src; cd deep; rm a", "delete a; delete deep/a; delete src/a; delete src/deep/a",
		"cd a; cd b; cd c; cd d; rm x", "delete ?; unknown",
		"pushd src && rm a", "delete ?; delete a; unknown",
		"popd; rm a", "delete ?; delete a; unknown",

		// In a loop it may be taken any number of times.
		"rm out/x", "delete /etc/x",

		// A variable that the text writes once.
		"x=a; y=$x/b; rm \"$y\"", "delete ?; unknown", // no constant word
		"x=$HOME; rm \"$x/a\"", "delete ?; unknown",
		"x=a*; rm $x", "delete ?; unknown",
		"rm $x; x=a", "delete ?; unknown",
		"x=a rm $x", "delete ?; unknown",
		"x=a; read x; rm $x", "delete ?; unknown",
		"x=$(echo a); rm $x", "delete ?; unknown",
		"for x in a b; do rm $x; done", "delete ?; unknown",

		// More shell than is followed.
		"f() { rm $1; }; f a", "delete ?; unknown",
		"f() { x=b; }; x=a; f; rm $x", "delete ?; unknown",
		"a=(x y); rm \"${a[@]}\"", "delete ?; unknown",
		"set -- a b; rm \"$@\"", "delete ?; unknown",
		"p=src/a.go; cat ${p%.go}.ts", "read ?; unknown",
		"cat $(dirname src/a)/b", "read ?",

		"rm -rf $(echo /)", "delete ? tree forced; unknown",
		"rm -rf \"$(pwd)\"", "delete ? tree forced; unknown",
		"cat $PWD/a ~/b $HOME/c", "read a; read ~/b; read ~/c",
		"cd src && cat $PWD/a", "read ?", // known where no cd has been
		"rm '*'", "delete *",
		"rm src/*.o", "delete src tree src/*.o",
		"rm -rf ./*", "delete . tree ./* forced",
		"cat ~/.ssh/*", "read ~/.ssh tree ~/.ssh/*",
		"rm -- -a", "delete -a",
		"rm ''", "delete .",
	})
}

func TestRedirections(t *testing.T) {
	facts(t, testEnv(world()), []string{
		"ls > out", "read .; write out",
		"ls >> out", "read .; write out appends",
		"ls >| out", "read .; unknown; write out",
		"ls &> out", "read .; unknown; write out",
		"ls &>> out", "read .; unknown; write out appends",
		"ls >& out", "read .; unknown; write out",
		"ls > /dev/null 2>&1", "read .",
		"ls 2>&1 >&2", "read .",
		"cat < a", "read a",
		"cat <> a", "read a; unknown; write a",
		"> out", "unknown; write out",
		": > out", "write out",
		"{ ls; } > out", "read .; write out",
		"cd src && ls > out", "read src; write src/out",
		"ls > /dev/sda", "read .; write /dev/sda",
		"ls > \"$X\"", "read .; write ?; unknown",
		"echo a > /dev/tcp/x.y/80", "send x.y",
		"cat < /dev/tcp/x.y/80", "send x.y",
		"exec 3<> /dev/tcp/x.y/80", "send x.y; unknown",
		"ls 3>&-", "read .; unknown",
		"ls >&$X", "read .; write ?; unknown",
		"ls {fd}> out", "read .; unknown; write out",
		"cat <<E > out\nx\nE", "write out",
	})
}

func TestIrrecoverable(t *testing.T) {
	for command, want := range map[string]string{
		"rm -rf /": "delete / tree forced", "rm -rf /*": "delete / tree /* forced", "rm -rf ~": "delete ~ tree forced",
		"rm -rf ~/*": "delete ~ tree ~/* forced", "rm -rf \"$HOME\"": "delete ~ tree forced",
		"rm -rf /home": "delete /home tree forced", "rm -rf /etc": "delete /etc tree forced",
		"rm -r -f --no-preserve-root /": "delete / tree forced", "find / -delete": "delete / tree",
		"dd if=/dev/zero of=/dev/sda": "write /dev/sda", "cat a > /dev/sda": "write /dev/sda",
		"mkfs.ext4 /dev/sda": "write /dev/sda forced", "mv ~ /dev/null": "delete ~ tree moved",
		"chmod -R 777 /": "write / tree", "shred /dev/sda": "delete /dev/sda tree", ":(){ :|:& };:": "exhaust :",
		"f(){ f|f& };f": "exhaust f", "git push --force --mirror": "remote origin tree forced",
		"git push -f --all origin": "remote origin tree forced", "cd / && rm -rf *": "delete / tree /* forced",
		"cd ~ && rm -rf .": "delete ~ tree forced", "rm -rf ../..": "delete /home tree forced",
		"sudo rm -rf --one-file-system /usr": "delete /usr tree forced",
	} {
		r := Analyze(command, testEnv(world()))
		if !slices.ContainsFunc(r.Effects, func(e Effect) bool {
			return briefEffect(e) == want && !slices.Contains([]Place{Workspace, Temporary, InHome, Null}, e.Place)
		}) {
			t.Errorf("%s: %+v", command, r)
		}
	}
}

func TestFedInterpreters(t *testing.T) {
	facts(t, testEnv(world()), []string{
		"bash <(echo rm a)", "run; unknown",
		"cat a | sh", "read a; run standard input; unknown",
		"cat a | python3", "read a; run standard input; unknown",
		"python3 <<'E'\nx\nE", "run inline code",
		"sh < a", "read a; run a",
		"echo cm0gYQ== | base64 -d | sh", "run standard input; unknown",
		"tar xf a && cat b/c", "read a tree; read b/c; read xf tree; unknown",
	})
}
