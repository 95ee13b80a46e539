package shell

import "testing"

// TestZsh holds that what only zsh runs is seen or unknown, in zsh and where the shell is not stated.
func TestZsh(t *testing.T) {
	for _, dialect := range []Dialect{Zsh, Unstated} {
		env := testEnv(world())
		env.Dialect = dialect
		for _, command := range []string{
			"ls *(e:'rm a':)", "ls \\(*(e:'rm a':)", "ls \\\\(e:'rm a':)", "ls a(e,'rm a',)", "=rm a", "cat =(rm a)",
			"echo ${(e)x}", "echo ${(e)x:-'$(rm a)'}", "repeat 3 rm a", "for x (a b) rm $x",
			"() { rm a }", "noglob rm a", "nocorrect rm a", "- rm a", "if true { rm a }", "foreach x (a) rm $x; end",
			"rm a &!", "rm a &|", "print -P '$(rm a)'",
			"x='rm a'; $=x", "x='rm a'; ${=x}", "x='$(rm a)'; echo ${(e)x}", "{ rm a } always { ls }",
			"function { rm a }", "ls >! a", "echo $x[$(rm a)]", "echo ${x:h$(rm a)}",
			"zmodload zsh/files; zf_rm a", "x=5; [[ \"$y\" -eq 5 ]]", "path+=(/tmp); ls", "alias -g X='; rm a'",
			"setopt shwordsplit; x='rm a'; $x", "case x in (x) rm a;; esac", "select x (a) rm $x",
			"autoload -U zmv", "emulate sh -c 'rm a'", "eval 'for x (a) rm $x'", "sched +1 rm a",
			"preexec() { rm a }; ls", "TRAPEXIT() { rm a }",
		} {
			r := Analyze(command, env)
			if readsOnly(r) {
				t.Errorf("dialect %d: %s: %s", dialect, command, brief(r))
			}
		}
	}
}

// TestUnstated holds that where bash and zsh differ, and the shell is not known, the command is unknown.
func TestUnstated(t *testing.T) {
	env := testEnv(world())
	env.Dialect = Unstated
	for command, unknown := range map[string]bool{
		"ls -la": false, "cat a | grep b > /dev/null 2>&1": false, "x=a; cat $x": false, "x='a b'; rm $x": true,
		"git show HEAD^": false, "git show HEAD@{1}": false,
		"cat \"$(git rev-parse --show-toplevel)/a\"": false,
		"find . -name '*.go' -exec cat {} \\;":       false,
		"[[ -f a && -f b ]] && cat a":                true, "find . \\( ! -name a -o -name b \\)": false,
		"cat <<'E'\nx\nE": false, "f() { cat a; }; f": true, "ls !(a)": true, "cat <1-2>": true, "echo ${x^^}": true,
		"echo $((1+2))": false, "echo $((x+2))": true,
	} {
		r := Analyze(command, env)
		if got := len(r.Unknowns) > 0; got != unknown {
			t.Errorf("%s: unknown %v: %+v", command, got, r.Unknowns)
		}
	}
}

func TestPosixAndUnread(t *testing.T) {
	env := testEnv(world())
	env.Dialect = Unread
	if r := Analyze("ls", env); len(r.Unknowns) != 1 {
		t.Errorf("a shell that nod does not read is read: %+v", r)
	}
	env.Dialect = Posix
	facts(t, env, []string{
		"ls", "read .",
		"rm a &> b", "unknown",
		"cat <(ls)", "unknown",
		"rm {a,b}", "delete ?; unknown",
		"source x", "run x; unknown",
	})
}
