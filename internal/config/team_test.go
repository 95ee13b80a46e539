package config

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/view"
)

const memberFile = stateDir + "/team/member.json"

var (
	orgKey = ed25519.NewKeyFromSeed(make([]byte, 32))
	noon   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

func trust(key ed25519.PrivateKey) team.Trust {
	public := key.Public().(ed25519.PublicKey)
	return team.Trust{Org: "acme", Team: "web", Key: base64.StdEncoding.EncodeToString(public)}
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func policyOf(documents ...team.Document) team.Policy {
	return team.Policy{Org: "acme", Team: "web", Version: 7, Made: noon, MaxAge: 3600, Documents: documents}
}

func sealed(t *testing.T, p team.Policy, key ed25519.PrivateKey) string {
	t.Helper()
	text, err := team.Seal(p, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// joined is a world with a membership and, where it is not "", a policy that was kept and heard of an hour ago.
func joined(signed string) *view.Memory {
	w := world().File(memberFile, asJSON(trust(orgKey)), 0o600).Chown(memberFile, 1000)
	if signed == "" {
		return w
	}
	return w.File(stateDir+"/team/policy.json", signed, 0o600).
		File(stateDir+"/team/heard.json", asJSON(team.Heard{At: noon.Add(-time.Hour), Version: 7}), 0o600)
}

func at(files view.Files, now time.Time) Places {
	p := placesIn(files)
	p.Now = func() time.Time { return now }
	return p
}

func org(text string) team.Document { return team.Document{Name: "base", For: team.ForOrg, Text: text} }

func TestATeamsPolicyIsManaged(t *testing.T) {
	signed := sealed(t, policyOf(
		org("hard_deny = [\"$defaults\", \"git push\"]\nmode = \"enforce\"\napprovals = \"off\"\nsecrets = [\"vault.txt\"]"),
		team.Document{Name: "web", For: team.ForTeam, Text: "ask = [\"npm publish\"]\nmode = \"observe\"\nconfine = \"on\""},
		team.Document{Name: "shop", For: team.ForRepository, Repository: "github.com/acme/*",
			Text: "hard_deny = [\"make prod\"]"},
		team.Document{Name: "other", For: team.ForRepository, Repository: "github.com/other/*",
			Text: "hard_deny = [\"no\"]"},
	), orgKey)
	w := joined(signed).
		File(projectRoot+"/.git/config", "[remote \"origin\"]\n\turl = git@github.com:acme/shop.git\n", 0o644).
		File(managedFile, "hard_deny = [\"rm -rf /\"]\nmode = \"off\"\nunknown = \"ask\"\n", 0o644).
		File(userFile, "allow = [\"git push\"]\nhard_deny = []\nmode = \"off\"\napprovals = \"on\"\nsecrets = [\"!vault.txt\"]\n"+
			"unknown = \"host\"\n", 0o600)
	s := loaded(t, at(w, noon))
	if diff := cmp.Diff(&Policy{Version: 7, Heard: noon.Add(-time.Hour)}, s.Policy); diff != "" {
		t.Error(diff)
	}
	if s.Mode != Enforce || s.ModeOrigin != "policy 7/base:2" || s.Approvals || !s.AskUnknown {
		t.Errorf("mode %v (%s), approvals %v, ask %v", s.Mode, s.ModeOrigin, s.Approvals, s.AskUnknown)
	}
	got := strings.Join(append(texts(s, "hard_deny"), texts(s, "ask")...), ",")
	for _, want := range []string{"rm -rf /", "git push", "make prod", "npm publish"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
	secrets := texts(s, "secrets")
	last := strings.Join(secrets[len(secrets)-2:], " ")
	if strings.Contains(got, "no,") || last != "vault.txt "+memberFile {
		t.Errorf("%s; %s", got, last)
	}
}

func TestAPolicyThatIsOldOrMissing(t *testing.T) {
	signed := sealed(t, policyOf(org("hard_deny = [\"git push\"]")), orgKey)
	never := joined(signed)
	never.Remove(stateDir + "/team/heard.json")
	for _, c := range []struct {
		name  string
		files view.Files
		now   time.Time
		want  *Policy
	}{
		{"no member", world(), noon, nil},
		{"none has come", joined(""), noon, &Policy{Stale: true}},
		{"fresh", joined(signed), noon, &Policy{7, noon.Add(-time.Hour), false}},
		{"old", joined(signed), noon.Add(time.Second), &Policy{7, noon.Add(-time.Hour), true}},
		{"the clock was set back", joined(signed), noon.Add(-2 * time.Hour), &Policy{7, noon.Add(-time.Hour), true}},
		{"never heard", never, noon, &Policy{7, time.Time{}, true}},
	} {
		if diff := cmp.Diff(c.want, loaded(t, at(c.files, c.now)).Policy); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestAPolicyThatCannotBeUsed(t *testing.T) {
	good := policyOf(org("hard_deny = [\"git push\"]"))
	signed, theirs := sealed(t, good, orgKey), ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", 32)))
	foreign, bad := good, policyOf(org("hard_deny = [\"git push\"]\nnonsense = 1"))
	foreign.Org = "other"
	gone := joined(signed)
	gone.Remove(stateDir + "/team/policy.json")
	for name, c := range map[string]struct {
		files view.Files
		want  string
	}{
		"forged":       {joined(sealed(t, good, theirs)), "did not sign"},
		"truncated":    {joined(signed[:len(signed)/2]), "no signed policy"},
		"empty":        {joined(" "), "no signed policy"},
		"changed":      {joined(strings.Replace(signed, `"signature":"`, `"signature":"AAAA`, 1)), "did not sign"},
		"another's":    {joined(sealed(t, foreign, orgKey)), "organisation other"},
		"no settings":  {joined(sealed(t, bad, orgKey)), "policy 7/base:2:1: \"nonsense\""},
		"for others":   {joined(signed).File(stateDir+"/team/policy.json", signed, 0o622), "writable by others"},
		"no member":    {joined(signed).File(memberFile, "{", 0o600).Chown(memberFile, 1000), "member.json: unexpected end"},
		"of another":   {joined(signed).Chown(memberFile, 7), "owned by user 7"},
		"gone":         {gone, "version 7 was here before"},
		"no last word": {joined(signed).File(stateDir+"/team/heard.json", "x", 0o600), "heard.json: invalid"},
	} {
		if got := badSettings(t, at(c.files, noon)); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Under a policy that does not speak of the mode, what a user says of it hides no rules that cannot be read.
func TestNoModeHidesAnErrorUnderAPolicy(t *testing.T) {
	signed := sealed(t, policyOf(org("hard_deny = [\"git push\"]")), orgKey)
	files := joined(signed).File(claudeFile, "{", 0o600).File(userFile, `mode = "off"`, 0o600)
	p := claudePlaces(files)
	p.Now = func() time.Time { return noon }
	if got := badSettings(t, p); !strings.HasPrefix(got, claudeFile+":") {
		t.Error(got)
	}
}

func TestRootsMembershipWins(t *testing.T) {
	mine, roots := policyOf(org("mode = \"observe\"")), policyOf(org("hard_deny = [\"git push\"]"))
	roots.Version = 9
	w := joined(sealed(t, mine, orgKey)).File("/etc/nod/team/trust.json", asJSON(trust(orgKey)), 0o644).
		File("/etc/nod/team/policy.json", sealed(t, roots, orgKey), 0o644)
	if s := loaded(t, at(w, noon)); s.Policy.Version != 9 || s.Mode != Enforce {
		t.Errorf("%+v, mode %v", s.Policy, s.Mode)
	}
}

func TestWhereADocumentHolds(t *testing.T) {
	signed := sealed(t, policyOf(team.Document{Name: "shop", For: team.ForRepository, Repository: "github.com/acme/*",
		Text: "hard_deny = [\"make prod\"]"}), orgKey)
	remote := func(url string) *view.Memory {
		return joined(signed).File(projectRoot+"/.git/config", "[remote \"x\"]\nurl = "+url+"\n", 0o644)
	}
	for name, c := range map[string]struct {
		files view.Files
		holds bool
	}{
		"its remote":          {remote("https://ada@GitHub.com/acme/shop.git"), true},
		"another's":           {remote("https://github.com/acme2/shop.git"), false},
		"no repository":       {joined(signed), false},
		"no settings":         {joined(signed).Dir(projectRoot+"/.git", 0o755), true},
		"it leads nowhere":    {joined(signed).File(projectRoot+"/.git", "gitdir: /gone", 0o644), true},
		"a remote of one dir": {remote("github.com:acme"), false},
	} {
		if got := slices.Contains(texts(loaded(t, at(c.files, noon)), "hard_deny"), "make prod"); got != c.holds {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestADocumentIsChecked(t *testing.T) {
	for _, c := range []struct{ kind, pattern, text, want string }{
		{team.ForOrg, "", "allow = [\"npm test\"]", ""},
		{team.ForOrg, "", "\nallow = [7]", "d:2:10: "},
		{team.ForOrg, "", "mode = \"of\"", `d:1:8: mode cannot be "of"`},
		{team.ForOrg, "", "allow = [\"python3 *\"]", "d:1: python3 *: left out"},
		{team.ForRepository, "github.com/acme/*", "hard_deny = [\"git push\"]", ""},
		{team.ForRepository, "github.com/acme/*", "\nallow = [\"npm test\"]", "d:2:1: allow may loosen"},
		{team.ForRepository, "github.com/acme/*", "environment = [\"a sandbox\"]", "environment may loosen"},
		{team.ForRepository, "github.com/acme/*", "mode = \"off\"", "\"mode\" is not a key here"},
		{team.ForRepository, "github.com/acme/*", "soft_deny = [\"$defaults\"]", "only adds"},
		{team.ForRepository, "[", "", "no pattern"},
		{team.ForTeam, "github.com/acme/*", "", "only a document for a repository"},
		{"everybody", "", "", "it is org, team or repository"},
	} {
		d := team.Document{Name: "d", For: c.kind, Repository: c.pattern, Text: c.text}
		err := CheckDocument(placesIn(world()), d)
		if err == nil && c.want == "" {
			continue
		}
		if err == nil || c.want == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %s: %v", c.text, c.kind, err)
		}
	}
}
