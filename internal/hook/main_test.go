package hook

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArguments(t *testing.T) {
	o, err := parse([]string{"--settings", "/s.toml", "--managed=", "--state=/st=ate", "--nod", "/nod"},
		[]string{"HOME=/home/u"})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{o.Places.User, o.Places.Managed, o.Places.State, o.Nod, o.Places.Home}
	if diff := cmp.Diff([]string{"/s.toml", "", "/st=ate", "/nod", "/home/u"}, got); diff != "" {
		t.Error(diff)
	}
	for _, args := range [][]string{{"--state"}, {"--stat", "/x"}, {"x"}, {"--state", "relative"}, {"--nod=relative"},
		{"--state="}, {"-state", "/x"}} {
		if _, err := parse(args, []string{"HOME=/home/u"}); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
