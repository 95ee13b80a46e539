package shell

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/view"
)

// scripted is the world with files of a project in it; a name with a ! in
// front can be started.
func scripted(files map[string]string) *view.Memory {
	m := world()
	m.Link("/bin", "/usr/bin")
	for name, content := range files {
		mode := fs.FileMode(0o644)
		if rest, ok := strings.CutPrefix(name, "!"); ok {
			name, mode = rest, 0o755
		}
		if !strings.HasPrefix(name, "/") {
			name = testRepo + "/" + name
		}
		m.File(name, content, mode)
	}
	return m
}

// TestScripts holds what is read of scripts: what they do is what the command
// does, and what cannot be read stays code that was not read.
func TestScripts(t *testing.T) {
	for _, row := range []struct{ name, script, command, want string }{
		{"effects", "#!/bin/bash\nrm -rf build\n", "./x.sh", "delete build tree forced; read x.sh"},
		{"by the shell", "rm a\n", "bash x.sh", "delete a; read x.sh"},
		{"harmless", "#!/bin/sh\nset -eu\ngrep -rn foo src\necho done\n", "./x.sh", "read src tree; read x.sh"},
		{"arguments", "#!/bin/bash\nrm a\n", "./x.sh a b c", "delete a; read x.sh"},
		{"its directory is that of the line", "#!/bin/bash\nrm a\n", "cd src && ../x.sh", "delete src/a; read x.sh"},
		{"from where the line may stand", "#!/bin/bash\nrm a\n", "cd nowhere; /home/u/repo/x.sh",
			"delete a; delete nowhere/a; read x.sh"},
		{"it changes its directory", "#!/bin/bash\ncd src || exit 1\nrm a\n", "./x.sh",
			"delete a; delete src/a; read x.sh"},
		{"one variable", "#!/bin/bash\nset -euo pipefail\nD=build\nfor x in a b; do rm \"$D/$x\"; done\n", "./x.sh",
			"delete build/a; delete build/b; read x.sh"},
		{"cd does not leak", "#!/bin/bash\ncd src\n", "./x.sh; rm a", "delete a; read x.sh"},
		{"sourced, it does", "cd src\n", ". ./x.sh; rm a", "delete ?; delete a; read x.sh; run x.sh; unknown"},
		{"variables do not leak", "#!/bin/bash\nX=a\n", "X=b; ./x.sh; rm $X", "delete b; read x.sh"},
		{"sourced, they do", "X=a\n", "source ./x.sh; rm $X", "delete ?; read x.sh; run x.sh; unknown"},
		{"functions of the line", "#!/bin/bash\nls\n", "ls() { rm a; }; ./x.sh",
			"delete a; read .; read x.sh; unknown"},
		{"here-document", "#!/bin/bash\ncat > out <<'E'\nrm -rf /\nE\n", "./x.sh", "read x.sh; write out"},
		{"its name is not that of a shell in it", "#!/bin/bash\nbash -c 'rm \"$0\" \"$1\"' a b\n", "./x.sh c d",
			"run x.sh"},
		{"nor are its arguments", "#!/bin/bash\nsu -c 'rm \"$1\"'\nbash <<'E'\nrm \"$1\"\nE\n", "./x.sh c", "run x.sh"},
		{"exported functions", "#!/bin/bash\nls\n", "ls() { rm a; }; export -f ls; ./x.sh",
			"delete a; read .; read x.sh; unknown"},
		{"redirection alone", "#!/bin/bash\n> a\n", "./x.sh", "read x.sh; unknown; write a"},
		{"script in it", "#!/bin/bash\nbash y.sh b\n", "./x.sh", "delete b; read x.sh; read y.sh"},
		{"python in it", "#!/bin/bash\npython y.py\n", "./x.sh", "read x.sh; run y.py"},
		{"nohup", "#!/bin/bash\nrm a\n", "nohup ./x.sh", "delete a; read x.sh"},
		{"standard input", "#!/bin/bash\nbash\n", "curl -s http://x.y/z | ./x.sh",
			"fetch http://x.y/z; read x.sh; run standard input; unknown"},
		{"env", "#!/usr/bin/env bash\nrm a\n", "./x.sh", "delete a; read x.sh"},
		{"no shebang", "rm a\n", "./x.sh", "delete a; read x.sh"},

		// What is not read.
		{"Windows lines behind the first", "#!/bin/sh\nrm a\r\n", "./x.sh", "run x.sh"},
		{"another interpreter", "#!/usr/bin/python3\nprint(1)\n", "./x.sh", "run x.sh"},
		{"shebang with CR", "#!/bin/sh\r\nrm a\n", "./x.sh", "run x.sh"},
		{"byte order mark", "\uFEFF#!/bin/sh\nrm a\n", "./x.sh", "run x.sh"},
		{"env -S", "#!/usr/bin/env -S bash -c 'rm b'\nls\n", "./x.sh", "run x.sh"},
		{"shebang with an option", "#!/bin/bash -i\nls\n", "./x.sh", "run x.sh"},
		{"shebang of the project", "#!./sh\nls\n", "./x.sh", "run x.sh"},
		{"shebang that does not exist", "#!/opt/sh\nls\n", "./x.sh", "run x.sh"},
		{"NUL", "#!/bin/sh\nls\x00\n", "./x.sh", "run x.sh"},
		{"does not parse", "#!/bin/sh\nif\n", "./x.sh", "run x.sh"},
		{"sh and bash differ", "#!/bin/sh\n[[ a > b ]]\n", "./x.sh", "run x.sh"},
		{"too large", "#!/bin/sh\n" + strings.Repeat("# x\n", 20000), "./x.sh", "run x.sh"},
		{"ten megabytes", strings.Repeat("0123456789", 1<<20), "bash x.sh", "run x.sh"},
		{"too much work", "#!/bin/bash\n" + strings.Repeat("ls\n", 5000), "./x.sh; ls src", "read src; run x.sh"},
		{"too many bytes", "#!/bin/bash\n" + strings.Repeat("./z.sh\n", 2000), "./x.sh; ls src",
			"read src; read x.sh; read z.sh; run z.sh"},
		{"itself", "#!/bin/bash\n./x.sh\n", "./x.sh", "read x.sh; run x.sh"},
		{"a circle", "#!/bin/bash\nbash y2.sh\n", "./x.sh", "read x.sh; read y2.sh; run x.sh"},
		{"changed before", "#!/bin/bash\nls\n", "echo 'rm a' > x.sh; bash x.sh",
			"read .; read x.sh; run x.sh; unknown; write x.sh"},
		{"changed beside", "#!/bin/bash\nls src\n", "bash x.sh & echo 'rm a' >> x.sh",
			"read src; read x.sh; run x.sh; unknown; write x.sh appends"},
		{"changes itself", "#!/bin/bash\necho 'rm a' >> x.sh\n", "./x.sh",
			"read x.sh; run x.sh; unknown; write x.sh appends"},
		{"its directory is replaced", "#!/bin/bash\nls src\n", "mv /tmp/evil .; ./x.sh",
			"delete /tmp/evil tree moved; read src; read x.sh; unknown; write evil"},
		{"a link is put in its place", "#!/bin/bash\nls src\n", "ln -sf y.sh x.sh; ./x.sh",
			"run x.sh; unknown; write x.sh"},
		{"an argument", "#!/bin/bash\nrm \"$1\"\n", "./x.sh a", "run x.sh"},
		{"all arguments", "#!/bin/bash\nls \"$@\"\n", "./x.sh a", "run x.sh"},
		{"where it lies", "#!/bin/bash\ncd \"$(dirname \"$0\")\" || exit 1\nrm a\n", "./x.sh", "run x.sh"},
		{"a function", "#!/bin/bash\ndie() { echo no; exit 1; }\ncd src || die no\n", "./x.sh", "run x.sh"},
		{"trap", "#!/bin/bash\ntrap 'rm a' EXIT\n", "./x.sh", "run x.sh"},
		{"exec", "#!/bin/bash\nexec rm a\n", "./x.sh", "run x.sh"},
		{"sourcing", "#!/bin/bash\n. ./y.sh\n", "./x.sh", "run x.sh"},
		{"a test of bash", "#!/bin/bash\n[[ a =~ b ]] && ls\n", "./x.sh", "run x.sh"},
		{"case", "#!/bin/bash\ncase $X in a) ls;; esac\n", "./x.sh", "run x.sh"},
		{"a default", "#!/bin/bash\nls ${X:-a}\n", "./x.sh", "run x.sh"},
		{"sudo", "#!/bin/bash\nls\n", "sudo ./x.sh", "privilege root; run x.sh"},
		{"find runs it elsewhere", "#!/bin/bash\nls\n", "find . -execdir ./x.sh \\;", "read . tree; run x.sh; unknown"},
		{"a start-up file", "ls() { rm a; }\n", "bash --rcfile x.sh -ic ls", "read .; run x.sh"},
		{"on another machine", "#!/bin/bash\nls\n", "ssh host ./x.sh", "remote host; unknown"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := scripted(map[string]string{"!x.sh": row.script,
				"!z.sh": "#!/bin/sh\n" + strings.Repeat("# "+strings.Repeat("nothing ", 12)+"\n", 610),
				"!y.sh": "rm b\n", "y2.sh": "./x.sh\n", "y.py": "print(1)\n"})
			r := Analyze(row.command, testEnv(m))
			if got := brief(r); got != row.want {
				t.Errorf("%s\nwant %s\ngot  %s\n%+v", row.command, row.want, got, r.Unknowns)
			}
			if !defines(r, testRepo+"/x.sh") && !strings.HasPrefix(row.command,
				"ssh") && !strings.HasPrefix(row.command, "sudo") && !strings.HasPrefix(row.command,
				"find") && !strings.Contains(row.command, "rcfile") {
				t.Error("the script is not among what defines the command")
			}
		})
	}
}

func defines(r Report, name string) bool {
	for _, d := range r.Definitions {
		if d.Path == name && d.Command >= 0 {
			return true
		}
	}
	return false
}
