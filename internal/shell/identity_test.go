package shell

import (
	"testing"
)

func withPath(env Env, path string) Env {
	env.Lookup = func(name string) (string, bool) {
		if name == "PATH" {
			return path, true
		}
		return "", false
	}
	return env
}

func TestProgramIdentity(t *testing.T) {
	m := world()
	m.File(testRepo+"/bin/ls", "\x7fELF\x00", 0o755)
	m.File(testRepo+"/bin/plain", "", 0o644)
	m.File("/tmp/bin/ls", "", 0o755)
	m.Dir("/opt/shared", 0o777)
	m.File("/opt/shared/ls", "", 0o755)
	m.Dir("/opt/bob", 0o755).Chown("/opt/bob", 1001)
	m.File("/opt/bob/ls", "", 0o755)
	m.Link("/opt/linked", testRepo+"/bin")
	m.Dir("/opt/good", 0o755)
	m.Link("/opt/good/ls", testRepo+"/bin/ls")
	m.File("/usr/bin/cat", "", 0o755)
	for path, want := range map[string]string{
		"/usr/bin":                      "read .",
		testRepo + "/bin:/usr/bin":      "run bin/ls",
		"/usr/bin:" + testRepo + "/bin": "read .",
		"/tmp/bin:/usr/bin":             "run /tmp/bin/ls",
		"/opt/shared:/usr/bin":          "run /opt/shared/ls",
		"/opt/bob:/usr/bin":             "run /opt/bob/ls",
		"/opt/linked:/usr/bin":          "run bin/ls",
		"/opt/good:/usr/bin":            "run bin/ls",
		"bin:/usr/bin":                  "run /usr/bin/ls",
		":/usr/bin":                     "run /usr/bin/ls",
		"/usr/bin:.":                    "read .",
		"/nowhere:/usr/bin":             "read .",
		"/nowhere":                      "read .; unknown",
		"":                              "run ls",
	} {
		if got := brief(Analyze("ls", withPath(testEnv(m), path))); got != want {
			t.Errorf("PATH=%s: want %s, got %s", path, want, got)
		}
	}
	facts(t, testEnv(m), []string{
		"./bin/ls", "run bin/ls",
		"bin/ls", "run bin/ls",
		"bin/plain", "run bin/plain",
		"/usr/bin/ls", "read .",
		"/tmp/bin/ls", "run /tmp/bin/ls",
		"/opt/none/ls", "read .; unknown",
		"./made-later", "run made-later",
		"PATH=" + testRepo + "/bin ls", "read .; unknown",
		"PATH=$PATH:x ls", "read .; unknown",
		"export PATH=/tmp/bin:/usr/bin; ls", "read .; unknown",
		"PATH=bin:/usr/bin; ls", "read .; unknown",
		"sudo /tmp/bin/ls", "privilege root; run /tmp/bin/ls",
		"nosuchprogram x", "unknown",
		"path=(/tmp/bin); ls", "read .; unknown",
	})
	var nothing Env
	if r := Analyze("ls", nothing); len(r.Unknowns) == 0 {
		t.Errorf("the zero Env knows a program: %+v", r)
	}
	if r := Analyze("cat a", nothing); len(r.Unknowns) == 0 {
		t.Errorf("the zero Env knows a program: %+v", r)
	}
}

func TestAssignments(t *testing.T) {
	facts(t, testEnv(world()), []string{
		"LANG=C ls", "read .",
		"LC_ALL=C sort a", "read a",
		"NO_COLOR=1 CI=1 git status", "nothing",
		"GIT_PAGER=cat git log", "nothing",
		"PAGER=./x git log", "unknown",
		"LD_PRELOAD=./x.so ls", "read .; unknown",
		"GIT_SSH_COMMAND=x git status", "unknown",
		"FOO=bar ls", "read .; unknown",
		"FOO=bar sort a", "read a; unknown",
		"export FOO=bar; git status", "unknown",
		"foo=bar; ls", "read .",
		"FOO=bar; ls", "read .; unknown",
		"PS4='$(id)'; set -x; ls", "read .; unknown",
		"LESSOPEN='|id %s' less a", "read a; unknown",
		"export LD_PRELOAD=x; ls", "read .; unknown",
		"HOME=/etc; cat ~/passwd", "read ~/passwd; unknown",
		"alias ls='rm -rf /'", "unknown",
		"enable -f ./x.so x", "unknown",
		"hash -p /tmp/x ls; ls", "read .; read ?; unknown",
		"printenv HOME", "nothing",
		"env", "secret environment",
		"set", "secret environment",
		"export -p", "secret environment; unknown",
		"declare -p", "secret environment; unknown",
		"echo $AWS_SECRET_ACCESS_KEY", "secret AWS_SECRET_ACCESS_KEY",
		"x='a[$(id)]'; echo $((x))", "unknown",

		"n=$(wc -l < a); echo $((n+1))", "read a; unknown",
		"echo ${x@P}", "unknown",
		"source ./x", "run x; unknown",
		". /tmp/x", "run /tmp/x; unknown",
		"source <(curl -s https://x.y)", "fetch https://x.y; run; unknown",
		"$X a", "run; unknown",
		"\"$(cat a)\"", "read a; run; unknown",
	})
}

func TestEvidence(t *testing.T) {
	r := Analyze("git log", testEnv(world()))
	if len(r.Read) != 1 || r.Read[0].Path != testRepo+"/.git/config" || len(r.Read[0].SHA256) != 64 {
		t.Errorf("%+v", r.Read)
	}
}
