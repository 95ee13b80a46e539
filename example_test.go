package nod_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/transcript"
)

// tree is a file system of one's own: files by name, and what they say.
type tree map[string]string

var _ nod.Files = tree{}

func (p tree) Lstat(name string) (nod.FileInfo, error) {
	if text, ok := p[name]; ok {
		return nod.FileInfo{Mode: 0o755, Size: int64(len(text)), Links: 1}, nil
	}
	if names, _ := p.List(name, len(p)); len(names) > 0 {
		return nod.FileInfo{Mode: fs.ModeDir | 0o755, Links: 1}, nil
	}
	return nod.FileInfo{}, fs.ErrNotExist
}

func (p tree) Readlink(string) (string, error) { return "", fs.ErrInvalid }

func (p tree) Read(name string, limit int64) ([]byte, error) {
	text, ok := p[name]
	if !ok || int64(len(text)) > limit {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (p tree) List(name string, limit int) (names []string, err error) {
	seen := map[string]bool{}
	for file := range p {
		below, ok := strings.CutPrefix(file, strings.TrimSuffix(name, "/")+"/")
		if first, _, _ := strings.Cut(below, "/"); ok && !seen[first] {
			seen[first], names = true, append(names, first)
		}
	}
	if len(names) == 0 || len(names) > limit {
		return nil, fs.ErrNotExist
	}
	return names, nil
}

func smallTree() tree {
	return tree{"/home/dev/shop/main.go": "package main\n", "/home/dev/.ssh/id_ed25519": "a key\n",
		"/usr/bin/cat": "a program"}
}

func inShop(command string) nod.Call {
	return nod.Call{Tool: "bash", RawTool: "Bash", Command: command, Dir: "/home/dev/shop",
		Roots: []string{"/home/dev/shop"}, Environ: []string{"PATH=/usr/bin"}}
}

// A gate in a program of one's own.
func Example() {
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: smallTree(), Home: "/home/dev"})
	for _, command := range []string{"cat main.go", "rm -rf ~", "frobnicate main.go"} {
		d := gate.Check(context.Background(), inShop(command))
		fmt.Printf("%s: %s, by layer %s\n", command, d.Verdict, d.Layer)
	}
	// Output:
	// cat main.go: allow, by layer shell
	// rm -rf ~: deny, by layer shell
	// frobnicate main.go: ask, by layer none
}

// What a person's rules and the conversation say of a call is judged by a model, where
// nod cannot tell. Package llm has the vendors' models.
func Example_model() {
	rules := nod.DefaultRules()
	rules.HardDeny = []nod.Rule{{Text: "git push --force"}}
	rules.SoftDeny = append(rules.SoftDeny, nod.Rule{Text: "never run migrations without asking"})
	rules.Environment = []nod.Rule{{Text: "Node.js project, uses PostgreSQL"}}
	gate := nod.New(nod.Options{Rules: rules, Files: nod.OnDisk(), Home: "/home/dev", Model: careful{}})

	call := nod.NewCall("bash", json.RawMessage(`{"command":"npm run migrate"}`), "/home/dev/shop", os.Environ())
	call.Transcript = transcript.Of(
		transcript.Turn{Origin: transcript.Person, Text: "add a column to the orders"},
		transcript.Turn{Origin: transcript.Agent, Text: "I have written the migration."},
	)
	d := gate.Check(context.Background(), call)
	fmt.Println(d.Verdict, d.Reason)
	// Output: deny nobody has asked for this
}

// careful is a model that blocks everything it is asked about.
type careful struct{}

func (careful) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	return nod.Classification{Digest: p.Digest, ShouldBlock: true, Reason: "nobody has asked for this"}, nil
}

// A model of one's own answers what the layers before it leave open.
func ExampleModel() {
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: smallTree(), Home: "/home/dev", Model: careful{}})
	d := gate.Check(context.Background(), inShop("frobnicate main.go"))
	fmt.Println(d.Verdict, d.Layer, d.Reason)
	// Output: deny model nobody has asked for this
}

// ledger is a recorder that keeps one line for each decision.
type ledger struct{ lines []string }

func (l *ledger) Begin(nod.Call, string) error { return nil }

func (l *ledger) Record(c nod.Call, d nod.Decision) error {
	l.lines = append(l.lines, d.Verdict.String()+" "+c.Command)
	return nil
}

// A recorder of one's own writes down what was decided, before it is answered.
func ExampleRecorder() {
	var book ledger
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: smallTree(), Home: "/home/dev", Recorder: &book})
	gate.Check(context.Background(), inShop("cat main.go"))
	gate.Check(context.Background(), inShop("cat ~/.ssh/id_ed25519"))
	fmt.Println(strings.Join(book.lines, "\n"))
	// Output:
	// allow cat main.go
	// ask cat ~/.ssh/id_ed25519
}
