package main

import (
	"bufio"
	"strings"
	"testing"
)

func TestSkipsAreCountedByReason(t *testing.T) {
	r := read(bufio.NewScanner(strings.NewReader(`
{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:7: left to the deep run: sub-agents\n"}
{"Action":"skip","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"B","Output":"    a_test.go:9: left to the deep run: the failure matrix\n"}
{"Action":"skip","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Test":"C","Output":"    /x/b_test.go:9: ../../shared/corpus/a.gz absent: skipped\n"}
{"Action":"skip","Package":"p","Test":"C"}
{"Action":"skip","Package":"p","Test":"D"}
{"Action":"pass","Package":"p","Test":"E"}
`)))
	const want = "1 tests; 4 skipped: 1 ../shared absent, 2 left to the deep run, 1 no reason given"
	if got := r.summary(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestChosen(t *testing.T) {
	short, deep := stage{name: "a"}, stage{name: "b", deep: true}
	for _, row := range []struct {
		stage stage
		deep  bool
		only  string
		want  bool
	}{
		{short, false, "", true}, {short, true, "", true}, {deep, false, "", false}, {deep, true, "", true},
		{deep, false, "a,b", true}, {short, false, "b", false},
	} {
		if got := chosen(row.stage, row.deep, row.only); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}
