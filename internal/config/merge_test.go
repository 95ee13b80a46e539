package config

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// absent is a file that does not exist.
const absent = "absent"

func threeFiles(managed, user, repo string) *view.Memory {
	m := world()
	if managed != absent {
		m.File(managedFile, managed, 0o644)
	}
	if user != absent {
		m.File(userFile, user, 0o600)
	}
	if repo != absent {
		m.File(projectRoot+"/.nod.toml", repo, 0o644)
	}
	return m
}

// TestMergeLists is the rule of the package comment, case by case. D stands for the built-in list.
func TestMergeLists(t *testing.T) {
	const soft = "soft_deny = "
	for _, c := range []struct {
		name                string
		managed, user, repo string
		want                []string
	}{
		{"no files", absent, absent, absent, []string{"D"}},
		{"user replaces", absent, soft + `["a"]`, absent, []string{"a"}},
		{"user adds in front", absent, soft + `["$defaults", "a"]`, absent, []string{"D", "a"}},
		{"managed replaces", soft + `["m"]`, absent, absent, []string{"m"}},
		{"both replace", soft + `["m"]`, soft + `["a"]`, absent, []string{"m", "a"}},
		{"user cannot remove managed", soft + `["m"]`, soft + `[]`, absent, []string{"m"}},
		{"managed pins", soft + `["$defaults", "m"]`, soft + `[]`, absent, []string{"D", "m"}},
		{"user asks for the defaults", soft + `["m"]`, soft + `["$defaults", "a"]`, absent, []string{"m", "D", "a"}},
		{"once each", soft + `["m", "m"]`, soft + `["a", "m", "a"]`, absent, []string{"m", "a"}},
		{"repository adds", absent, absent, soft + `["git r"]`, []string{"D", "git r"}},
		{"repository cannot bring back", absent, soft + `[]`, soft + `["$defaults", "git r"]`, []string{"git r"}},
		{"all three", soft + `["m"]`, soft + `["a", "$defaults"]`, soft + `["git r"]`,
			[]string{"m", "a", "D", "git r"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := loaded(t, placesIn(threeFiles(c.managed, c.user, c.repo)))
			var got []string
			for _, r := range s.Rules.SoftDeny {
				switch {
				case r.Origin != "default":
					got = append(got, r.Text)
				case len(got) == 0 || got[len(got)-1] != "D":
					got = append(got, "D")
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestManagedPathsHold: the last match holds in secrets and guarded, and no
// "!" of a user's comes after a managed entry.
func TestManagedPathsHold(t *testing.T) {
	for _, list := range []string{"secrets", "guarded"} {
		for _, c := range []struct {
			name, managed, user string
			want                []string
		}{
			{"taken back", list + ` = [".acme"]`, list + ` = [".u", "!.acme"]`, []string{".u", "!.acme", ".acme"}},
			{"named by both", list + ` = [".acme"]`, list + ` = [".acme", "!.acme", ".u"]`,
				[]string{"!.acme", ".u", ".acme"}},
			{"managed alone", list + ` = [".acme", "!.acme/pub"]`, "", []string{".acme", "!.acme/pub"}},
		} {
			s := loaded(t, placesIn(threeFiles(c.managed, c.user, absent)))
			if diff := cmp.Diff(c.want, texts(s, list)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", list, c.name, diff)
			}
		}
	}
	s := loaded(t, placesIn(threeFiles(`secrets = ["$defaults"]`, `secrets = ["$defaults", "!~/.ssh"]`, absent)))
	want := append([]string{"!~/.ssh"}, nod.DefaultRules().Secrets...)
	if diff := cmp.Diff(want, s.Rules.Secrets); diff != "" {
		t.Errorf("pinned built-in list (-want +got):\n%s", diff)
	}
}

// The files of a key and of the questions to models are secrets, in any place and against any list.
func TestFilesOfTheSettingsAreSecrets(t *testing.T) {
	text := "secrets = [\"!/vault/key\", \"!~/spare\"]\nmodel.key_file = \"~/link\"\nlog.dump_dir = \"~/dumps\"\n[[fallback]]\nprovider = \"openai\"\nname = \"x\"\nkey_file = \"~/spare\"\n"
	m := threeFiles(``, text, ``)
	m.File("/vault/key", "k", 0o600).Link("/home/u/link", "/vault/key")
	s := loaded(t, placesIn(m))
	want := []string{"/home/u/link", "/vault/key", "/home/u/spare", "/home/u/dumps"}
	if got := s.Rules.Secrets; len(got) < 4 || !slices.Equal(got[len(got)-4:], want) {
		t.Errorf("secrets end with %q", got[max(0, len(got)-6):])
	}
	shown := 0
	for _, item := range s.Lists() {
		if item.List == "secrets" && slices.Contains(want, item.Text) {
			shown++
		}
	}
	if shown != 4 {
		t.Errorf("%d of them are shown to a person", shown)
	}
}

func concat[T any](lists ...[]T) []T {
	var all []T
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func TestOrigins(t *testing.T) {
	s := loaded(t, placesIn(threeFiles("\nallow = [\"git status\",\n  \"git diff\"]", `environment = ["Go"]`,
		"hard_deny = [\"git push\"]")))
	got := map[string]string{}
	for _, r := range concat(s.Rules.Allow, s.Rules.Environment, s.Rules.HardDeny) {
		got[r.Text] = r.Origin
	}
	want := map[string]string{
		"git status": managedFile + ":2", "git diff": managedFile + ":3",
		"Go": userFile + ":1", "git push": projectRoot + "/.nod.toml:1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMergeScalars(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/merge.txtar")
	if err != nil {
		t.Fatal(err)
	}
	managed, user := string(archive.Files[0].Data), string(archive.Files[1].Data)
	s := loaded(t, placesIn(threeFiles(managed, user, absent)))
	want := Settings{
		Mode: Enforce, ClaudeRules: ClaudeTighten, ModeOrigin: managedFile + ":2", Profile: Reinforce,
		AskUnknown: true, Approvals: true,
		Roots: []string{"/srv/a", "/home/u/src"},
		Model: ModelSettings{
			Target: Target{Provider: "openai", Endpoint: "https://gate.example.com",
				Headers: map[string]string{"x-team": "org", "x-a": "1", "x-b": "2"}},
			Timeout: 30 * time.Second, MaxTokens: 1024, Profile: "ledger", Stages: 2,
		},
		Log: LogSettings{}, Questions: QuestionSettings{Wait: 5 * time.Minute},
		Prices: []Price{{"m", 1, 2, 1}, {"n", 3, 4, 3}},
	}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreFields(Settings{}, "Rules", "said", "Sources")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the organisation says of approvals holds, also against the person's settings.
func TestTheManagedFileEndsApprovals(t *testing.T) {
	for _, row := range []struct {
		managed, user string
		want          bool
	}{{"off", "on", false}, {"on", "off", true}} {
		s := loaded(t, placesIn(threeFiles("approvals = \""+row.managed+"\"\n", "approvals = \""+row.user+"\"\n",
			absent)))
		if s.Approvals != row.want {
			t.Errorf("%+v: %v", row, s.Approvals)
		}
	}
}
