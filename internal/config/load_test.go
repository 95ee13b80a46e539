package config

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/view"
)

const (
	managedFile = "/etc/nod/nod.toml"
	userFile    = "/home/u/.config/nod/nod.toml"
	stateDir    = "/home/u/.local/state/nod"
	projectRoot = "/home/u/src/app"
)

// world has a home and a project, and no settings.
func world() *view.Memory {
	return view.NewMemory(false).Dir("/home/u", 0o755).Dir(projectRoot, 0o755)
}

func placesIn(files view.Files) Places {
	return Places{Managed: managedFile, User: userFile, State: stateDir, Root: projectRoot, Home: "/home/u",
		Files: files, UID: 1000}
}

func loaded(t *testing.T, p Places) Settings {
	t.Helper()
	s, err := Load(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// badSettings returns the message of Load's failure.
func badSettings(t *testing.T, p Places) string {
	t.Helper()
	s, err := Load(p)
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.BadSettings {
		t.Fatalf("error %v, want a BadSettings failure", err)
	}
	if diff := cmp.Diff(Settings{}, s, cmpopts.IgnoreUnexported(nod.Rule{}, Settings{})); diff != "" {
		t.Errorf("settings beside an error:\n%s", diff)
	}
	return f.Error()
}

func texts(s Settings, list string) []string {
	var out []string
	for _, item := range s.Lists() {
		if item.List == list {
			out = append(out, item.Text)
		}
	}
	return out
}

func TestNoFiles(t *testing.T) {
	s := loaded(t, placesIn(world()))
	want := Settings{
		ModeOrigin: "default", Approvals: true, ClaudeRules: ClaudeTighten,
		Model: ModelSettings{Timeout: 30 * time.Second, MaxTokens: 1024, Profile: "ledger", Stages: 2},
		Log:   LogSettings{UnrecordedRuns: true}, Questions: QuestionSettings{Wait: 5 * time.Minute},
		Team: TeamSettings{Inputs: true},
	}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreFields(Settings{}, "Rules", "said")); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(nod.DefaultRules(), s.Rules, cmp.AllowUnexported(nod.Rule{}),
		cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rules (-default +got):\n%s", diff)
	}
}

func TestZeroValuesAreStrict(t *testing.T) {
	var s Settings
	if s.Mode != Enforce || s.Log.UnrecordedRuns || s.Model.EnvironmentKey() != true {
		t.Errorf("zero settings: mode %v, on_failure %v", s.Mode, s.Log.UnrecordedRuns)
	}
}

func TestEveryKey(t *testing.T) {
	data, err := os.ReadFile("testdata/every.toml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	m := world().File(userFile, text, 0o600).Chown(userFile, 1000)
	s := loaded(t, placesIn(m))
	want := Settings{
		Mode: Observe, ModeOrigin: userFile + ":2", Profile: Reinforce, ClaudeRules: ClaudeTighten,
		Roots: []string{"/home/u/src", "/srv/work"},
		Model: ModelSettings{
			Target: Target{Provider: "anthropic", Name: "m", Endpoint: "https://gate.example.com/v1",
				KeyFile: "/home/u/.config/nod/key", Headers: map[string]string{"x-team": "core"}},
			Fallbacks: []Target{{Provider: "compatible", Name: "qwen3", Endpoint: "http://127.0.0.1:11434/v1",
				Channel: "schema"}, {Provider: "vertex", KeyFile: "/home/u/sa.json", Region: "us-east5", Project: "p"}},
			Stages: 2, Timeout: 31 * time.Second, MaxTokens: 512, Proxy: "http://u:p@proxy:3128",
			CAFile:  "/etc/ca.pem",
			Profile: "seed",
		},
		Log: LogSettings{DumpDir: "/home/u/dumps"},
		Questions: QuestionSettings{Wait: 2 * time.Minute, Notify: []string{"/bin/sh", "-c", "say"},
			Page: "https://h:1", First: true},
		Team:    TeamSettings{Verdicts: true},
		Prices:  []Price{{"m", 1, 5.5, 0.1}, {"n", 2, 3, 2}},
		Sources: []Source{{Path: userFile, Level: User}},
	}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreFields(Settings{}, "Rules", "said")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Model.EnvironmentKey() {
		t.Error("a key file and a foreign endpoint, and still a key from the environment")
	}
	for list, want := range map[string][]string{
		"hosts": {"pkg.go.dev", "*.example.com", "::1"}, "allowlist": {"read_file"},
		"secrets": {"~/.config/acme", "!*.pub", "/home/u/.config/nod/key", "/home/u/sa.json", "/home/u/dumps"},
		"guarded": {"Justfile"},
	} {
		if diff := cmp.Diff(want, texts(s, list)); diff != "" {
			t.Errorf("%s:\n%s", list, diff)
		}
	}
}

// TestBadText holds the messages: they are what a person has to go by.
func TestBadText(t *testing.T) {
	for _, c := range append(rows(t, "nod.toml"), []row{
		{"not UTF-8", "mode = \"\xff\"", "1:1: not UTF-8 text; save the file as UTF-8"},
		{"fallbacks", strings.Repeat("[[fallback]]\nprovider = \"openai\"\n", 5),
			`9:3: more than 4 fallbacks; a call would wait too long for them`},
	}...) {
		t.Run(c.name, func(t *testing.T) {
			m := world().File(userFile, c.text, 0o600)
			got := badSettings(t, placesIn(m))
			if want := userFile + ":" + c.want; !strings.HasPrefix(got, want) {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			m = world().File(managedFile, c.text, 0o644)
			if got := badSettings(t, placesIn(m)); !strings.HasPrefix(got, managedFile+":"+c.want) {
				t.Errorf("managed: %s", got)
			}
		})
	}
}

// row is one of testdata/bad.txt: a text of a file that cannot be used, and what is said.
type row struct{ name, text, want string }

// rows reads those of one file. The text is quoted.
func rows(t *testing.T, file string) (all []row) {
	t.Helper()
	data, err := os.ReadFile("testdata/bad.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if text, err := strconv.Unquote(fields[2]); err != nil {
			t.Fatalf("%s: %v", line, err)
		} else if fields[0] == file {
			all = append(all, row{fields[1], text, fields[3]})
		}
	}
	return all
}

func TestGoodText(t *testing.T) {
	for _, text := range []string{
		"", "# only a comment", "\r\nmode = 'off'\r\n", "[model]\n[model.headers]\nx-a = \"b\"",
		"[model.headers]\nx-a = \"b\"\n[model]\nname = \"x\"", "model.name = \"x\"\nmodel.timeout = \"1s\"",
		"soft_deny = [\"\"\"never\nthat\"\"\"]", "model.endpoint = \"http://127.0.0.1:8080/v1\"",
		"model.endpoint = \"http://[::1]\"", "model.endpoint = \"http://localhost\"",
		"model.proxy = \"socks5://p:1080\"",
	} {
		if _, err := Load(placesIn(world().File(userFile, text, 0o600))); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// failing is a file system on which one name cannot be looked at.
type failing struct {
	view.Files
	name string
}

func (f failing) Lstat(name string) (view.Info, error) {
	if name == f.name {
		return view.Info{}, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrPermission}
	}
	return f.Files.Lstat(name)
}

func TestUnreadableIsNotMissing(t *testing.T) {
	for name, file := range map[string]string{managedFile: managedFile, userFile: userFile,
		"/etc/nod": "/etc/nod/team/trust.json"} {
		p := placesIn(failing{world().File(managedFile, "", 0o644).File(userFile, "", 0o600), name})
		want := file + ": cannot be followed (permission denied); make it readable, or correct its links"
		if got := badSettings(t, p); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestHomeIsNoWorkspace: an agent started in the home directory has no
// workspace, so the user's settings do not lie in one.
func TestHomeIsNoWorkspace(t *testing.T) {
	for _, root := range []string{"/", "/home", "/home/u", "/home/u/link"} {
		m := world().File(userFile, `mode = "off"`, 0o600).File("/home/u/.nod.toml", `hard_deny = ["git"]`,
			0o600).Link("/home/u/link", "/home/u")
		p := placesIn(m)
		p.Root = root
		if s := loaded(t, p); s.Mode != Off || len(s.Rules.HardDeny) != len(nod.DefaultRules().HardDeny) {
			t.Errorf("root %s: mode %v, hard_deny %v", root, s.Mode, s.Rules.HardDeny)
		}
	}
}

func TestKey(t *testing.T) {
	for _, c := range []struct {
		name, text string
		mode       fs.FileMode
		uid        uint32
		key, want  string
	}{
		{"good", "sk-1\n", 0o600, 1000, "sk-1", ""},
		{"read only", "sk-1", 0o400, 1000, "sk-1", ""},
		{"group may read", "sk-1", 0o640, 1000, "", "key file /k: others may use it (mode 0640); run: chmod go= /k"},
		{"root's", "sk-1", 0o600, 0, "", "key file /k: owned by user 0, not you (1000); take it over with chown"},
		{"empty", " \n", 0o600, 1000, "",
			"key file /k: it does not hold one key; write the key into it, and nothing else"},
		{"two lines", "a\nb\n", 0o600, 1000, "",
			"key file /k: it does not hold one key; write the key into it, and nothing else"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := world().File("/k", c.text, c.mode).Chown("/k", c.uid)
			key, err := Target{KeyFile: "/k"}.Key(m, 1000)
			checkKey(t, key, err, c.key, c.want)
		})
	}
	key, err := Target{KeyFile: "/gone"}.Key(world(), 1000)
	checkKey(t, key, err, "", "key file /gone: it does not exist; write the key into it, mode 0600")
	document := "{\n  \"type\": \"service_account\"\n}\n"
	key, err = Target{Provider: "vertex", KeyFile: "/k"}.Key(world().File("/k", document, 0o600).Chown("/k", 1000),
		1000)
	checkKey(t, key, err, strings.TrimSpace(document), "")
	key, err = Target{}.Key(world(), 1000)
	checkKey(t, key, err, "", "")
}

func checkKey(t *testing.T, key string, err error, want, message string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
		if fault.Of(err).Kind != fault.NoKey {
			t.Errorf("kind %v", fault.Of(err).Kind)
		}
	}
	if key != want || got != message {
		t.Errorf("key %q, error %q; want %q, %q", key, got, want, message)
	}
}

// TestManual: the file that shows every key can be loaded, and shows them.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile("../../docs/settings.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []any{settingsText{}, modelText{}, Target{}, logText{}, Price{}, scopeText{}} {
		for _, key := range keysOf(reflect.TypeOf(table)) {
			if !regexp.MustCompile(`(?m)^(# |\[\[?)?` + key + `\b`).Match(manual) {
				t.Errorf("%s of %T is not shown", key, table)
			}
		}
	}
	s := loaded(t, placesIn(world().File(userFile, string(manual), 0o600)))
	want := ModelSettings{
		Target: Target{Provider: "anthropic", KeyFile: "/home/u/.config/nod/key",
			Headers: map[string]string{"x-team": "core"}},
		Fallbacks: []Target{{Provider: "openai", KeyFile: "/home/u/.config/nod/openai-key"}},
		Timeout:   30 * time.Second, MaxTokens: 1024, Stages: 2,
		Profile: "ledger",
	}
	if diff := cmp.Diff(want,
		s.Model); diff != "" || len(s.Prices) != 1 || len(s.Rules.Allow) != len(nod.DefaultRules().Allow)+2 {
		t.Errorf("prices %v, allow %v, model:\n%s", s.Prices, s.Rules.Allow, diff)
	}
}

func keysOf(t reflect.Type) (keys []string) {
	for field := range t.Fields() {
		if field.Anonymous {
			keys = append(keys, keysOf(field.Type)...)
		} else if key := field.Tag.Get("toml"); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}
