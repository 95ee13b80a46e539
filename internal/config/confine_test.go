package config

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// said is the setting in one line.
func saidOf(c Confine) string {
	if c.String() != "patterns" {
		return c.String()
	}
	return strings.Join(textsIn(c.Items), "; ")
}

// The strictest of the managed and the user's word holds: off, a list, on. A
// repository's file says nothing, trusted or not.
func TestTheStrictestConfineHolds(t *testing.T) {
	const on, off, some, other = `"on"`, `"off"`, `["npm test", "go test *"]`, `["make test"]`
	for _, row := range []struct{ managed, user, want string }{
		{absent, absent, "off"}, {"", "", "off"}, {absent, on, "on"}, {absent, off, "off"},
		{absent, some, "npm test; go test *"},
		{on, absent, "on"}, {off, absent, "off"}, {some, absent, "npm test; go test *"},
		{on, on, "on"}, {on, off, "off"}, {off, on, "off"}, {off, off, "off"},
		{on, some, "npm test; go test *"}, {some, on, "npm test; go test *"}, {off, some, "off"}, {some, off, "off"},
		{some, other, "npm test; go test *"}, {other, some, "make test"},
	} {
		key := func(value string) string {
			if value == "" || value == absent {
				return value
			}
			return "confine = " + value + "\n"
		}
		for _, repo := range []string{absent, key(on), key(some), key(off)} {
			s := loaded(t, placesIn(threeFiles(key(row.managed), key(row.user), repo)))
			if got := saidOf(s.Confine); got != row.want || s.Confine.On() != (row.want != "off") {
				t.Errorf("managed %s, user %s, repository %s: %s, want %s", row.managed, row.user, repo, got, row.want)
			}
			if left := strings.Contains(strings.Join(s.Notices, " "), "confine"); left != (repo != absent) {
				t.Errorf("repository %s: notices %q", repo, s.Notices)
			}
		}
	}
	if got := saidOf(Confine{}); got != "off" {
		t.Errorf("the zero value is %s", got)
	}
	got := badSettings(t, placesIn(trustedWorld("confine = "+some)))
	if want := repoFile + ":1:1: a repository's file cannot set confine; "; !strings.HasPrefix(got, want) {
		t.Errorf("trusted: %s", got)
	}
}

// A value or pattern that can do nothing is refused, with what to write.
func TestConfineThatCanDoNothing(t *testing.T) {
	for value, want := range map[string]string{
		`"yes"`:                     `1:11: confine cannot be "yes"; write "on" or "off"`,
		`true`:                      `1:11: confine needs a string; put it in quotes`,
		`[]`:                        `confine has no pattern; write "off", or the commands, such as`,
		`[7]`:                       `1:12: confine needs a string; put it in quotes`,
		`[""]`:                      `1:12: confine: an empty rule; remove it`,
		`["$defaults"]`:             `"$defaults" stands for nothing here; name the commands`,
		`["*"]`:                     `"*" is every command; for all of them write confine = "on"`,
		`["npm test", "npm test*"]`: `1:24: confine: "npm test*": a * may only stand at the end, as a word of its own, for further arguments, such as "npm test *"`,
		`["npm * test"]`:            `such as "npm *"`,
		`["npm test:*"]`:            `such as "npm test *"`,
		`["Bash(npm test:*)"]`:      `such as "npm test *"`,
		`["npm test && make"]`:      `cannot be a command pattern`,
		`["A=1 npm test"]`:          `leave the variable out`,
		`["mcp__lab__poke"]`:        `names a tool, and only a command line runs confined`,
		`["WebFetch"]`:              `is a tool`,
	} {
		if got := badSettings(t, placesIn(threeFiles(absent, "confine = "+value+"\n", absent))); !strings.Contains(got,
			want) {
			t.Errorf("%s:\n got %s\nwant %s", value, got, want)
		}
	}
	for _, value := range []string{`["python3 *"]`, `["npm test"]`, `["./scripts/check.sh *"]`, `["go test ./..."]`} {
		if s := loaded(t, placesIn(threeFiles(absent, "confine = "+value+"\n",
			absent))); !s.Confine.On() || s.Confine.All {
			t.Errorf("%s: %+v", value, s.Confine)
		}
	}
}

// SetConfine replaces what stands there, a list over several lines too, and
// leaves all else.
func TestSetConfine(t *testing.T) {
	const rest = "# mine\n[log]\non_failure = \"block\"\n"
	for before, after := range map[string]string{
		rest: "confine = \"on\"\n" + rest, "confine = \"off\" # x\n" + rest: "confine = \"on\" # x\n" + rest,
		"confine = [\"npm test\", \"a ] #\"] # x\n" + rest:                       "confine = \"on\" # x\n" + rest,
		"\"confine\"   =[\n  \"npm test\", # x ]\n  'y',\n]\nmode = 'off'\n":     "\"confine\"   =\"on\"\nmode = 'off'\n",
		"confine = [\"npm test\"]":                                               "confine = \"on\"",
		"mode = \"off\"\r\nconfine = [\r\n\"npm test\"\r\n]  \r\nallow = []\r\n": "mode = \"off\"\r\nconfine = \"on\"  \r\nallow = []\r\n",
	} {
		p := onDisk(t)
		write(t, p.User, before, 0o600)
		if err := SetConfine(p, true); err != nil {
			t.Errorf("%q: %v", before, err)
		}
		if text, err := os.ReadFile(p.User); err != nil || cmp.Diff(after, string(text)) != "" {
			t.Errorf("%q: %v (-want +got)\n%s", before, err, cmp.Diff(after, string(text)))
		}
		if err := SetConfine(p, false); err != nil {
			t.Errorf("%q: %v", before, err)
		}
		if s, err := Load(p); err != nil || s.Confine.On() {
			t.Errorf("%q: %v, %v", before, s.Confine, err)
		}
	}
}
