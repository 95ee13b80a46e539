package nod_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"iter"
	"slices"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/transcript"
)

// newWorld is a machine with a project, held in memory.
func newWorld(fold bool) *view.Memory {
	w := view.NewMemory(fold)
	w.Dir("/tmp", 0o777|fs.ModeSticky)
	w.Dir("/home/dev/shop", 0o755)
	w.File("/home/dev/shop/main.go", "package main\n", 0o644)
	w.File("/home/dev/shop/src/a.go", "package a\n", 0o644)
	w.File("/home/dev/shop/.git/config", "[core]\n\tbare = false\n", 0o644)
	w.File("/home/dev/shop/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	w.Link("/home/dev/shop/out", "/home/dev/elsewhere")
	w.Link("/home/dev/shop/out.txt", "../notes.txt")
	w.Link("/home/dev/shop/in", "src")
	w.Link("/home/dev/shop/loop", "loop")
	w.File("/home/dev/shop/a/deep/kept/k.txt", "x", 0o644)
	w.Dir("/home/dev/shop/a/b/c", 0o755).Link("/home/dev/shop/deep", "a/b/c")
	w.Link("/home/dev/shop/hooks", ".git/hooks")
	w.File("/home/dev/notes.txt", "x", 0o644)
	w.Dir("/home/dev/elsewhere", 0o755)
	w.Dir("/home/dev/shop-twin", 0o755)
	w.Special("/home/dev/shop/fifo", fs.ModeNamedPipe|0o644)
	w.Special("/home/dev/shop/dev", fs.ModeDevice|0o644)
	w.File("/home/dev/shop/linked", "x", 0o644).Hard("/home/dev/shop/linked", 2)
	w.Dir("/home/dev/shop/tools", 0o755)
	w.File("/home/dev/shop/linkedtree/.git", "gitdir: /home/dev/other/.git/worktrees/x\n", 0o644)
	w.File("/home/dev/shop/own/.git", "gitdir: ../.git/worktrees/own\n", 0o644)
	w.File("/home/dev/shop/sub/.git", "gitdir: ../.git/modules/sub\n", 0o644)
	w.Dir("/home/dev/shop/.git/worktrees/own", 0o755)
	w.Dir("/home/dev/shop/.git/modules/sub", 0o755)
	w.File("/home/dev/.ssh/id_ed25519", "key", 0o600)
	w.File("/home/dev/.config/nod/nod.toml", "", 0o600)
	for _, name := range []string{"ls", "cat", "git", "rm", "echo", "grep", "npm", "python3", "find", "dd", "env",
		"timeout", "touch", "head", "sudo", "bash", "sh", "curl", "nod", "tee", "cp", "mv", "xargs", "python"} {
		w.File("/usr/bin/"+name, "", 0o755)
	}
	return w
}

const (
	home = "/home/dev"
	shop = "/home/dev/shop"
)

// ruled returns the default rules with some of a test's own.
func ruled(list nod.RuleList, texts ...string) nod.Rules {
	rules := nod.DefaultRules()
	for _, text := range texts {
		r, err := nod.ParseRule(list, text, "test:1")
		if err != nil {
			panic(err)
		}
		switch list {
		case nod.ListAllow:
			rules.Allow = append(rules.Allow, r)
		case nod.ListSoftDeny:
			rules.SoftDeny = append(rules.SoftDeny, r)
		case nod.ListHardDeny:
			rules.HardDeny = append(rules.HardDeny, r)
		case nod.ListAsk:
			rules.Ask = append(rules.Ask, r)
		}
	}
	return rules
}

func options(rules nod.Rules) nod.Options {
	return nod.Options{
		Rules: rules, Files: newWorld(false), Home: home,
		Self: []string{"/home/dev/.config/nod", "/home/dev/.local/state/nod", "/usr/bin/nod"},
	}
}

func environ(more ...string) []string {
	return append([]string{"PATH=/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8"}, more...)
}

func bash(command string) nod.Call {
	input, _ := json.Marshal(map[string]string{"command": command})
	return nod.Call{Agent: "test", Session: "s", Tool: "bash", RawTool: "Bash", Command: command, Dialect: nod.Bash,
		Input: input, Dir: shop, Roots: []string{shop}, Environ: environ()}
}

func tool(name string, paths ...string) nod.Call {
	input, _ := json.Marshal(map[string]any{"paths": paths})
	return nod.Call{Agent: "test", Session: "s", Tool: name, RawTool: name, Input: input, Paths: paths, Dir: shop,
		Roots: []string{shop}, Environ: environ()}
}

// answering is a model that says the same every time.
type answering struct {
	block bool
	err   error
	seen  *nod.Prompt
	wrong bool
	panic bool
	hang  bool
}

func (a answering) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	if a.seen != nil {
		*a.seen = p
	}
	if a.panic {
		panic("boom")
	}
	if a.hang {
		select {} // ignores its context
	}
	c := nod.Classification{Digest: p.Digest, ShouldBlock: a.block, Reason: "because", Thinking: "hm", Model: "m",
		Cost: 0.001}
	if a.wrong {
		c.Digest = "another"
	}
	return c, a.err
}

// turns makes a transcript, newest first.
func turns(list ...transcript.Turn) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			for _, t := range list {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}

// broken is a transcript that cannot be read.
func broken(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(yield func(transcript.Turn, error) bool) { yield(transcript.Turn{}, fs.ErrPermission) }
}

// witness is a session that wrote some files.
type witness struct {
	wrote []string
}

func (witness) Standing(nod.Evidence) nod.Standing { return nod.Accepted }
func (w witness) Wrote(name string) bool           { return slices.Contains(w.wrote, name) }
func (w witness) History() []string                { return []string{"an earlier call touched a secret store"} }
func (witness) Blocked() []string                  { return nil }

// verdictOf decides without a model: layers 0 to 3 alone.
func verdictOf(o nod.Options, c nod.Call) nod.Decision {
	return nod.New(o).Check(context.Background(), c)
}
