package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// seeds are commands with effects of every kind.
func seeds() []string {
	return []string{
		"rm -rf src", "rm a b", "cat a > out", "curl -s https://x.y/z", "curl -d @a https://x.y", "mv a b",
		"cp -r src dst", "dd if=a of=/dev/sda",
		"git push --force origin main", "git reset --hard", "python x.py", "kill -9 1", "find . -name x -delete",
		"sed -i s/a/b/ a", "tee out", "chmod -R 777 /",
		"echo $GITHUB_TOKEN", "sudo rm -rf /etc", "ls -la", "grep -r foo src", "awk '{print > \"out\"}' a", "ln -s a b",
		"./x", "npm install", "crontab x",
	}
}

// FuzzAnalyze holds that no input makes the analysis panic, lose a word or grow without bound, in any dialect.
func FuzzAnalyze(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	for _, s := range []string{"(((", "$((", "a <<E", "`", "${", "for", "{1..9}", "a[$", "((a", "f(){ f; };f",
		"case a in", "[[ a", "x=(", "<(a", "$'\\", "~a", "\x00", "'",
		"ln -s dir/*.c", `find . -type f -exec ln -s {} \;`, "while test; do ls; done", "until [ # ]\ndo ls& done",
		"wc > new*`wc # ]\nkk13`", "f() { :; } && rm a", "x=(a)#c;rm a", "let x||rm a", "a() ((1))|&rm a",
		"ls ${x}#k;rm a", "time x=1; ls"} {
		f.Add(s)
	}
	files := world()
	f.Fuzz(func(t *testing.T, source string) {
		for _, d := range []Dialect{Unstated, Bash, Posix, Zsh} {
			env := testEnv(files)
			env.Dialect = d
			r := Analyze(source, env)
			if w := unaccounted(source, r); w != "" {
				t.Errorf("%q: no command holds %q", source, w)
			}
			if (r.Exceeded != "" || r.Malformed != "") && len(r.Effects)+len(r.Unknowns)+len(r.Commands) > 0 {
				t.Fatalf("%q: more than the bound is filled", source)
			}
			if len(r.Commands) > maxWork+maxWork || len(r.Effects) > 64*maxWork {
				t.Fatalf("%q: %d commands, %d effects", source, len(r.Commands), len(r.Effects))
			}
			for _, e := range r.Effects {
				if e.Command >= len(r.Commands) || len(e.Words) > grammar.MaxShown {
					t.Fatalf("%q: %+v", source, e)
				}
			}
			for _, u := range r.Unknowns {
				if u.What == "" || u.Command >= len(r.Commands) || len(u.Words) > grammar.MaxShown {
					t.Fatalf("%q: %+v", source, u)
				}
			}
		}
	})
}

// disguise is one way to write a command differently. %s stands for the command, %q for it in single quotes.
func wraps() []string {
	return []string{
		"%s; ls", "ls; %s", "ls && %s", "false || %s", "%s &", "( %s)", "{ %s; }", "! %s", "ls | %s",
		"if %s; then :; fi", "while %s; do break; done",
		"for i in 1; do %s; done", "case x in x) %s;; esac", "f() { %s; }; f", "$( %s)", "echo \"$( %s)\"", "echo `%s`",
		"cat <( %s)", "x=$( %s)", "echo ${x:-$( %s)}",
		"cat <<E\n$( %s)\nE", "cat <<<\"$( %s)\"", "echo $(( $( %s) ))", "[[ -n $( %s) ]]", "a[$( %s)]=1", "time %s",
		"eval %q", "sh -c %q", "bash -lc %q", "bash <<'E'\n%s\nE",
		"env %s", "env -i %s", "nohup %s", "timeout 5 %s", "nice %s", "sudo %s", "setsid %s", "stdbuf -oL %s",
		"xargs %s", "command %s", "exec %s", "builtin command %s",
		"watch %q", "su -c %q", "script -c %q /dev/null", "flock /tmp/l %s", "find . -exec %s \\;", "strace %s",
		"env -S %q", "ssh host %q", "docker exec c %s", "parallel %s",
		"sudo --weird %s", "timeout --weird 5 %s", "env --weird %s", "nice --weird=x %s", "%s > /dev/null 2>&1",
		"LANG=C %s", "X=1 %s", "trap %q EXIT", "\\\n%s", "%s # x", "true\n%s",
		"%s <<'E'\nx\nE", "echo %q | sh", "awk 'BEGIN{system(\"x\")}'; %s", "select x in a; do %s; done", "coproc %s",
		"until %s; do :; done", "busybox %s", "chroot / %s",
		"unshare %s", "doas %s", "ionice -c3 %s", "sh <<E\n%s\nE", "x=1; %s", "cd . && %s", "source /dev/null; %s",
		"set -e; %s", "function g { %s; }; g", "ls & %s", "%s | cat", "cat a | %s",
	}
}

func wrapped(form, command string) string {
	if strings.Contains(form, "`") {
		command = strings.NewReplacer("\\", "\\\\", "`", "\\`", "$", "\\$").Replace(command)
	}
	quoted := "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	return strings.ReplaceAll(strings.ReplaceAll(form, "%q", quoted), "%s", command)
}

// FuzzWrap holds that no wrapper, quoting, substitution or separator takes
// away an effect that the command had alone, unless it adds an unknown.
func FuzzWrap(f *testing.F) {
	for i := range seeds() {
		for j := range wraps() {
			f.Add(uint(i), uint(j), uint(j*7+i))
		}
	}
	env := testEnv(world())
	f.Fuzz(func(t *testing.T, i, j, k uint) {
		list, forms := seeds(), wraps()
		command := list[i%uint(len(list))]
		inner := wrapped(forms[j%uint(len(forms))], command)
		checkWrap(t, env, command, inner)
		// -exec takes words up to a semicolon, not a pipeline.
		if outer := forms[k%uint(len(forms))]; k%3 != 0 && !strings.Contains(outer, "-exec") {
			checkWrap(t, env, command, wrapped(outer, inner))
		}
	})
}

func checkWrap(t *testing.T, env Env, command, disguised string) {
	t.Helper()
	got := Analyze(disguised, env)
	if len(got.Unknowns) > 0 || got.Exceeded != "" ||
		slices.ContainsFunc(got.Effects, func(e Effect) bool { return e.Kind == Run || e.Kind == Persist }) {
		return
	}
	for _, want := range Analyze(command, env).Effects {
		found := false
		for _, e := range got.Effects {
			// A read of something unknown is a read of anything.
			found = found || e.Kind == want.Kind && (e.Target == want.Target || e.Kind == Read && e.Target == "")
		}
		if !found {
			t.Errorf("%s\n%s: lost %s, left %s", command, disguised, briefEffect(want), brief(got))
		}
	}
}
