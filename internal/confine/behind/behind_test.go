package behind

import "testing"

func TestHomeInAListOfUsers(t *testing.T) {
	const list = "root:x:0:0:root:/root:/bin/sh\n# a comment\n+::::::\nanna:*:1001:1001:A, B,,:/net/home/anna:/bin/zsh\nbad:x:1002\nno:x:1003:1:::/bin/sh"
	for uid, want := range map[int]string{0: "/root", 1001: "/net/home/anna", 1002: "", 1003: "", 10: "", -1: ""} {
		if got := listed(list, uid); got != want {
			t.Errorf("%d: %q, want %q", uid, got, want)
		}
	}
}

// A user whom nobody knows has no home, and who asks gets an answer.
func TestHomeOfNobody(t *testing.T) {
	if home := homeOf(3_999_999_999); home != "" {
		t.Errorf("%q", home)
	}
}
