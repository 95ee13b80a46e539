package config

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

func seeds(f *testing.F) {
	for _, text := range []string{
		"", fullRepository, "mode = \"off\"\n[model]\nname = \"x\"\n", "[[price]]\nmodel = \"m\"\nin = 1\nout = 2\n",
		"a.b.c = {d = [1, {e = 2}]}", "allow = [\"\"\"x\ny\"\"\"]\r\n", "[a]\n[a.b]\n[[a.c]]",
		"hard_deny = [\"git push *\"]",
		"model.headers = { x-a = \"b\" }", "[[repository]]\npath = \"~/src/app\"\nallow = [\"npm test\"]\n",
		"allow = [[[[]]]]", "x = 1979-05-27T07:32:00Z", "# c",
	} {
		f.Add([]byte(text))
	}
}

var namesPlace = regexp.MustCompile(
	`^/home/u/[^:]*:[0-9]+:[0-9]+: .+|^/home/u/.* (lies in the workspace|cannot be followed)`)

// FuzzLoad: any text is settings or an error that names the place; and as a repository's file it adds command
// patterns to soft_deny and hard_deny, marked untrusted, and changes nothing else.
func FuzzLoad(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Load(placesIn(world().File(userFile, string(text), 0o600)))
		var failed *fault.Error
		switch {
		case errors.As(err, &failed):
			if failed.Kind != fault.BadSettings || !namesPlace.MatchString(failed.Message) && len(text) <= maxSettings {
				t.Errorf("failure %v: %s", failed.Kind, failed.Message)
			}
		case err != nil:
			t.Errorf("error %T", err)
		case s.Model.Timeout <= 0 || s.Model.MaxTokens <= 0:
			t.Errorf("model %+v", s.Model)
		}
		untrustedOnlyTightens(t, text)
	})
}

func untrustedOnlyTightens(t *testing.T, text []byte) {
	s, err := Load(placesIn(world().File(repoFile, string(text), 0o644)))
	if err != nil {
		t.Fatalf("a repository's file makes an error: %v", err)
	}
	for _, item := range s.Lists() {
		switch {
		case item.Origin == "default":
		case item.List != "soft_deny" && item.List != "hard_deny":
			t.Errorf("%s gained %q", item.List, item.Text)
		case !item.Rule.Untrusted || !item.Rule.IsPattern(func(string) bool { return true }):
			t.Errorf("%q is not a marked pattern", item.Text)
		}
	}
	lists := s.Lists()
	for i := range listCount {
		for _, item := range builtinItems(nod.DefaultRules(), i) {
			if !slices.ContainsFunc(lists, func(o Item) bool { return o.List == item.List && o.Text == item.Text }) {
				t.Errorf("%s lost %q", item.List, item.Text)
			}
		}
	}
	if s.Mode != Enforce || s.Model.Endpoint != "" || s.Model.Provider != "" || len(s.Roots) > 0 || len(s.Prices) > 0 {
		t.Errorf("settings changed: %+v", s.Model)
	}
}
