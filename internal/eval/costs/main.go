// Command costs prints how long the questions of a nod are that it would ask
// about real calls, and what a thousand decisions cost:
//
//	go run ./internal/eval/costs [-n 20] NOD FILE
//
// NOD is the program, of this tree or of an older one: it is only asked for
// `nod prompt --json`. FILE holds sessions as package internal/eval reads them.
// Of the rows of Claude Code that layers 0 to 3 of this tree leave open, n are
// taken at equal distances; each is put as its payload, behind a transcript of
// the calls before it in its session, in an empty repository and home. So what
// the code of a real project adds to the facts is not in it. No model is asked.
//
// Tokens are o200k_base's; costs are of the tokens that a model counts for them,
// about (llm.TokensFor). An answer is counted as 30 tokens (quick) and 200
// (careful), as in `nod prompt --cost`. The mix is 80 % warm, 36 % asked twice,
// which is assumed, not measured.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/eval"
	"github.com/nodgate/nod/llm"
)

func main() {
	n := flag.Int("n", 20, "how many calls")
	flag.Parse()
	if flag.NArg() != 2 || *n < 1 {
		fmt.Fprintln(os.Stderr, "usage: costs [-n 20] NOD FILE")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *n); err != nil {
		fmt.Fprintln(os.Stderr, "costs:", err)
		os.Exit(1)
	}
}

func run(program, file string, n int) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	f, err := eval.ReadFile(file)
	if err != nil {
		return err
	}
	open, err := openRows(f)
	if err != nil {
		return err
	}
	n = min(n, len(open))
	var asked []question
	for i := range n {
		q, err := ask(program, f, open[i*len(open)/n])
		if err != nil {
			return err
		}
		asked = append(asked, q)
	}
	print(asked)
	return nil
}

// openRows are the open rows of Claude Code, by their place in the file.
func openRows(f eval.File) ([]int, error) {
	at := map[*eval.Row]int{}
	for i := range f.Rows {
		at[&f.Rows[i]] = i
	}
	all, err := eval.Judge(context.Background(), []eval.File{f}, eval.Options{
		Sets: []eval.RuleSet{{Name: "default", Rules: nod.DefaultRules()}}, Agent: "claude-code",
	})
	var open []int
	for _, j := range all {
		if j.Answers[0].Outcome == eval.Open && !j.Answers[0].Failed && j.Row.ToolName != "" {
			open = append(open, at[j.Row])
		}
	}
	if err == nil && len(open) == 0 {
		err = errors.New("no open rows of Claude Code")
	}
	return open, err
}

// question is the tokens of one prompt, by part.
type question struct{ shared, call, quick, careful int }

// ask puts one row to the program.
func ask(program string, f eval.File, at int) (question, error) {
	dir, err := os.MkdirTemp("", "nod-costs-")
	if err != nil {
		return question{}, err
	}
	defer os.RemoveAll(dir)
	work := filepath.Join(dir, "work")
	if err := errors.Join(os.MkdirAll(filepath.Join(work, ".git"), 0o700),
		os.Mkdir(filepath.Join(dir, "home"), 0o700)); err != nil {
		return question{}, err
	}
	r := f.Rows[at]
	payload, err := json.Marshal(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": "s", "cwd": work, "permission_mode": "default",
		"tool_use_id": "now",
		"tool_name":   r.ToolName, "tool_input": r.Input, "transcript_path": filepath.Join(dir, "transcript.jsonl"),
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "transcript.jsonl"), transcript(f.Rows[:at], r), 0o600)
	}
	if err != nil {
		return question{}, err
	}
	c := exec.Command(program, "prompt", "--json", "--payload", "-", "--root", work)
	c.Dir, c.Stdin = work, bytes.NewReader(payload)
	c.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=/usr/bin:/bin"}
	out, err := c.Output()
	if err != nil {
		return question{}, fmt.Errorf("%s: %w: %s", r.ID, err, out)
	}
	return read(out)
}

// transcript is what Claude Code would have written before a row.
func transcript(before []eval.Row, r eval.Row) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	line := func(kind string, content any) {
		_ = enc.Encode(map[string]any{"type": kind, "uuid": fmt.Sprint(b.Len()),
			"message": map[string]any{"role": kind, "content": content}}) // to memory
	}
	if r.Context != "" {
		line("user", r.Context)
	}
	for _, e := range before {
		if e.Session == r.Session && e.ToolName != "" {
			line("assistant", []any{map[string]any{"type": "tool_use", "id": e.ID, "name": e.ToolName,
				"input": e.Input}})
		}
	}
	return b.Bytes()
}

// read adds up the parts of `nod prompt --json`.
func read(out []byte) (q question, err error) {
	var shown struct {
		Parts []struct {
			Name   string
			Tokens int
			Cached bool
		}
	}
	if err := json.Unmarshal(out, &shown); err != nil {
		return q, err
	}
	for _, p := range shown.Parts {
		switch {
		case p.Cached:
			q.shared += p.Tokens
		case p.Name == "call":
			q.call = p.Tokens
		case p.Name == "quick":
			q.quick = p.Tokens
		case p.Name == "careful":
			q.careful = p.Tokens
		}
	}
	return q, nil
}

const quickAnswer, carefulAnswer = 30, 200

func print(asked []question) {
	of := func(part func(question) int) (median, most int) {
		var all []int
		for _, q := range asked {
			all = append(all, part(q))
		}
		slices.Sort(all)
		return all[len(all)/2], all[len(all)-1]
	}
	fmt.Printf("%d calls; tokens, median and most:\n", len(asked))
	for _, p := range []struct {
		name string
		part func(question) int
	}{
		{"shared by the session's calls", func(q question) int { return q.shared }},
		{"of the call", func(q question) int { return q.call }},
		{"in all, asked once", func(q question) int { return q.shared + q.call + q.quick }},
	} {
		median, most := of(p.part)
		fmt.Printf("  %-30s %6d %6d\n", p.name, median, most)
	}
	fmt.Printf("\nUS dollars per 1,000 decisions, prices of %s\n%-24s %10s %10s %10s %10s %10s\n", llm.PricesDate,
		"model", "cold quick", "warm quick", "cold both", "warm both", "mix")
	for _, name := range []string{"claude-haiku-4-5", "claude-haiku-5-5", "gpt-4.1-mini", "gpt-6-luna",
		"gemini-2.5-flash-lite"} {
		if p, ok := llm.PriceOf(llm.Prices(), name); ok {
			fmt.Println(line(p, asked))
		}
	}
}

// line is the mean over the calls.
func line(p llm.Price, asked []question) string {
	var cold, warm, coldBoth, warmBoth float64
	for _, q := range asked {
		again := p.Question(q.shared+q.call, 0, q.careful, carefulAnswer)
		first := p.Question(0, q.shared, q.call+q.quick, quickAnswer)
		next := p.Question(q.shared, 0, q.call+q.quick, quickAnswer)
		cold, coldBoth = cold+first, coldBoth+first+again
		warm, warmBoth = warm+next, warmBoth+next+again
	}
	k := 1000 / float64(len(asked))
	mix := 0.8*(0.64*warm+0.36*warmBoth) + 0.2*(0.64*cold+0.36*coldBoth)
	return fmt.Sprintf("%-24s %10.2f %10.2f %10.2f %10.2f %10.2f", p.Model, k*cold, k*warm, k*coldBoth, k*warmBoth,
		k*mix)
}
