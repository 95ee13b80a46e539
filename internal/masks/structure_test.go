package masks

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// structure writes down what of a command is no literal: the
// operators, the redirections, the number of words, and what is substituted.
func structure(t *testing.T, text string) (string, bool) {
	t.Helper()
	tree, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return "", false
	}
	var b strings.Builder
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.Comment, *syntax.Word,
			*syntax.Assign:
			return true
		case *syntax.CallExpr:
			fmt.Fprintf(&b, "call %d", len(n.Assigns)+len(n.Args))
		case *syntax.BinaryCmd:
			b.WriteString(n.Op.String())
		case *syntax.Redirect:
			b.WriteString(n.Op.String())
		case *syntax.ParamExp:
			if n.Param != nil {
				b.WriteString("${" + n.Param.Value)
			}
		case *syntax.Stmt:
			fmt.Fprintf(&b, "stmt %v %v", n.Background, n.Negated)
		default:
			fmt.Fprintf(&b, "%T", n)
		}
		b.WriteByte('\n')
		return true
	})
	return b.String(), true
}

// masked is what the log and `nod approve` show of a command.
func masked(t *testing.T, command string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]string
	if err := json.Unmarshal(Mask(raw), &fields); err != nil {
		t.Fatal(err)
	}
	return fields["command"]
}

// What would run stays readable, in any surroundings.
func TestMaskHidesNoCode(t *testing.T) {
	for _, command := range lines(t, "code") {
		got := masked(t, command)
		if strings.Count(got, "touch") != strings.Count(command, "touch") || strings.Count(got,
			"PWNED") != strings.Count(command, "PWNED") {
			t.Errorf("%s\nis shown as %s", command, got)
		}
		if log := Text("this changes it: " + command); strings.Count(log, "touch") != strings.Count(command,
			"touch") {
			t.Errorf("%s\nis shown in a reason as %s", command, log)
		}
		sameStructure(t, command, got)
	}
}

func sameStructure(t *testing.T, command, shown string) {
	t.Helper()
	want, ok := structure(t, command)
	if !ok {
		return
	}
	if got, ok := structure(t, shown); !ok || got != want {
		t.Errorf("%q\nis shown as %q\n got %s\nwant %s", command, shown, got, want)
	}
}

// Of any command that a shell can read, the masked text has the same operators, words and substitutions.
func TestMaskKeepsTheStructure(t *testing.T) {
	read, changed, pieces := 0, 0, lines(t, "pieces") // full of what looks like secrets
	for seed := range uint64(60000) {
		random := rand.New(rand.NewPCG(seed, 7))
		var b strings.Builder
		for range 2 + random.IntN(9) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		command := b.String()
		if _, ok := structure(t, command); !ok {
			continue
		}
		shown := masked(t, command)
		read++
		if shown != command {
			changed++
			sameStructure(t, command, shown)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if read < 1000 || changed < 300 {
		t.Errorf("%d commands could be read, %d had something masked: this test sees nothing", read, changed)
	}
}

// Secrets of these forms stay out of the log and its reasons.
func TestSecretsInCommands(t *testing.T) {
	const secret = "Zq7Wk3Rt9Yp2"
	for _, command := range lines(t, "commands") {
		command = strings.ReplaceAll(command, "SECRET", secret)
		for context, shown := range map[string]string{
			"the command": masked(t, command),
			"a reason":    Text("this sends data: " + command),
		} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s: %s\nis shown as %s", context, command, shown)
			}
		}
	}
}
