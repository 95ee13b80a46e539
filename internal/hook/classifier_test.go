package hook_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/hang"
)

// answerTo is the beginning of a fake nod: $request is what it was asked, and $digest what its answer must carry.
const answerTo = `#!/bin/sh
request=$(cat)
digest=${request#*\"digest\":\"}
digest=${digest%%\"*}
`

// classification is a well-formed answer to $digest; more is put behind it.
func classification(block, more string) string {
	return answerTo + `printf '%s' "{\"v\":1,\"digest\":\"$digest\",\"classification\":{\"digest\":\"$digest\",\"should_block\":` + block +
		`,\"reason\":\"as asked\",\"thinking\":\"\",\"model\":\"m\",\"usage\":{\"in\":1,\"out\":1,\"cached\":0},\"cost_usd\":0}` + more + `}"` + "\n"
}

// withFakeNod gives the place a model that is asked through a program.
func withFakeNod(t *testing.T, script string) *place {
	t.Helper()
	p := newPlace(t)
	p.settings("[model]\nprovider = \"anthropic\"\ntimeout = \"45s\"\n")
	p.options.Nod = filepath.Join(p.home, "bin", "nod")
	if script == "" {
		return p
	}
	p.write(p.options.Nod, script)
	if err := os.Chmod(p.options.Nod, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// If nod classify fails in any way, the call is blocked, and the kind of the
// failure is in the log and told to the person.
func TestNodClassifyThatFailsBlocks(t *testing.T) {
	for _, row := range []struct {
		name, script string
		kind         fault.Kind
		says         string
	}{
		{"missing", "", fault.Internal, "install it again"},
		{"no program", "\x00\x01", fault.Internal, "exec format error"},
		{"killed", "#!/bin/sh\nkill -9 $$\n", fault.Internal, "without an answer: signal: killed"},
		{"fails with words", "#!/bin/sh\necho out of luck >&2\nexit 1\n", fault.Internal, "out of luck"},
		{"fails after an answer", classification("false", "") + "exit 1\n", fault.Internal, "exit status 1"},
		{"empty", "#!/bin/sh\n", fault.Malformed, "empty"},
		{"rubbish", "#!/bin/sh\necho allow\n", fault.Malformed, "malformed"},
		{"an HTML page", "#!/bin/sh\necho '<html>'\n", fault.Malformed, "malformed"},
		{"invalid UTF-8", "#!/bin/sh\nprintf '\\377'\n", fault.Malformed, "UTF-8"},
		{"half an answer", answerTo + `printf '%s' "{\"v\":1,\"digest\":\"$digest\",\"classifi"`, fault.Malformed,
			"malformed"},
		{"two answers", classification("false", "") + "echo '{}'\n", fault.Malformed, "follows its end"},
		{"no decision", answerTo +
			`printf '%s' "{\"v\":1,\"digest\":\"$digest\",\"classification\":{\"digest\":\"$digest\"}}"`,
			fault.Malformed, "no decision"},
		{"an unknown key", classification("false", `,\"allow\":true`), fault.Malformed, "unknown field"},
		{"another digest", strings.Replace(classification("false", ""), "request=$(cat)", `request='"digest":"other"'`,
			1), fault.Malformed, "another call"},
		{"another version", strings.Replace(classification("false", ""), `{\"v\":1`, `{\"v\":2`, 1), fault.Malformed,
			"one release"},
		{"too much", "#!/bin/sh\nexec head -c 3000000 /dev/zero\n", fault.Malformed, "too much"},
		{"an error", answerTo + `printf '%s' "{\"v\":1,\"digest\":\"$digest\",\"error\":{\"kind\":\"rate_limited\",\"message\":\"too many\"}}"`, fault.RateLimited, "too many"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := withFakeNod(t, row.script)
			s := p.run(bytes.NewReader(p.bash("npm publish")))
			if s.verdict != "deny" || !strings.Contains(s.reason, "model gave no answer") || !strings.Contains(s.system,
				string(row.kind)) || !strings.Contains(s.system, row.says) {
				t.Errorf("want %s and %q: %+v", row.kind, row.says, s)
			}
			entries := p.log()
			if last := entries[len(entries)-1]; len(entries) != 2 || last.Error == nil || last.Error.Kind != row.kind {
				t.Errorf("log: %+v", entries)
			}
		})
	}
}

// A nod classify that hangs is ended in time, with what it started.
func TestNodClassifyThatHangsIsEnded(t *testing.T) {
	var child []byte
	if failure := hang.Grow(450*time.Millisecond, func(limit time.Duration) string {
		p := withFakeNod(t, "#!/bin/sh\nsleep 86400 &\necho $! >\"$0.child\"\nwait\n")
		p.settings(fmt.Sprintf("[model]\nprovider = \"anthropic\"\ntimeout = \"%s\"\n", limit))
		s := p.run(bytes.NewReader(p.bash("npm publish")))
		if s.verdict != "deny" || !strings.Contains(s.system, string(fault.TimedOut)) {
			t.Errorf("%+v", s)
		}
		var err error
		if child, err = os.ReadFile(p.options.Nod + ".child"); err != nil || !bytes.HasSuffix(child, []byte("\n")) {
			return fmt.Sprintf("nod classify had started nothing: %q, %v", child, err)
		}
		return ""
	}); failure != "" {
		t.Fatal(failure)
	}
	gone(t, strings.TrimSpace(string(child)))
}

// gone waits until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	hang.Until(t, "the end of process "+pid, func() bool {
		state, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
		return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
	})
}

// What nod classify reports beside its answer, a dump that failed, reaches the
// person with an answer and with a failure.
func TestNoticesOfNodClassifyReachThePerson(t *testing.T) {
	notices := `,\"notices\":[\"the dump failed\u001b[2J: no space left\"]`
	failure := answerTo + `printf '%s' "{\"v\":1,\"digest\":\"$digest\",\"error\":{\"kind\":\"overloaded\",\"message\":\"busy\"}` + notices + `}"`
	for verdict, script := range map[string]string{"allow": classification("false", notices), "deny": failure} {
		p := withFakeNod(t, script)
		s := p.run(bytes.NewReader(p.bash("npm publish")))
		if s.verdict != verdict || !strings.Contains(s.system, "the dump failed") || strings.Contains(s.system,
			"\x1b") {
			t.Errorf("%+v", s)
		}
	}
}

// The child's environment is built: nothing of the hook's own but the keys.
func TestNodClassifyGetsABuiltEnvironment(t *testing.T) {
	p := withFakeNod(t, "#!/bin/sh\nenv >\"$0.env\"\npwd >>\"$0.env\"\necho \"$*\" >>\"$0.env\"\nexit 1\n")
	p.options.Environ = append(p.options.Environ, "ANTHROPIC_API_KEY=sk-ant-test",
		"ANTHROPIC_BASE_URL=http://evil.example", "HTTPS_PROXY=http://evil.example",
		"SSL_CERT_FILE=/tmp/evil", "GODEBUG=x=1", "LD_PRELOAD=/tmp/evil.so", "NOD_MODE=off",
		"PATH=/tmp/evil:/usr/bin:/bin")
	p.run(bytes.NewReader(p.bash("npm publish")))
	text, err := os.ReadFile(p.options.Nod + ".env")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("classify --settings %s --managed  --state %s", p.options.Places.User, p.options.Places.State)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		switch name, _, _ := strings.Cut(line, "="); {
		case line == want, line == "/", line == "HOME="+p.home, line == "PATH=/usr/bin:/bin",
			line == "ANTHROPIC_API_KEY=sk-ant-test":
		case name == "PWD", name == "OLDPWD", name == "SHLVL", name == "_": // the shell's own
		default:
			t.Errorf("nod classify got %q", line)
		}
	}
	if !strings.Contains(string(text), "sk-ant-test") || !strings.Contains(string(text), want) {
		t.Errorf("%s", text)
	}
}

// Each kind of failure of a model reaches the agent as a reason, and the person with its kind and cause.
func TestEveryKindOfFailureIsTold(t *testing.T) {
	for _, kind := range []fault.Kind{fault.NoKey, fault.Unauthorized, fault.NotFound, fault.BadRequest,
		fault.RateLimited, fault.Overloaded, fault.ServerError,
		fault.Unreachable, fault.TimedOut, fault.Refused, fault.CutOff, fault.Malformed, fault.NoDecision,
		fault.TooLarge, fault.BadSettings, fault.Internal} {
		p := newPlace(t)
		p.options.Model = &judging{failure: &fault.Error{Kind: kind, Message: "what went wrong",
			Cause: fmt.Errorf("the vendor's words")}}
		s := p.run(bytes.NewReader(p.bash("npm publish")))
		if s.verdict != "deny" || !strings.Contains(s.reason, "what went wrong") || !strings.Contains(s.system,
			"("+string(kind)+")") || !strings.Contains(s.system, "the vendor's words") {
			t.Errorf("%s: %+v", kind, s)
		}
		if e := p.log()[1]; e.Error == nil || e.Error.Kind != kind {
			t.Errorf("%s: %+v", kind, e)
		}
	}
}
