package index

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/lines"
)

// kind is a kind of call, and about how many of a hundred are such.
type kind struct {
	percent  int
	tool     string
	input    string // with a number
	verdict  nod.Verdict
	layer    nod.Layer
	answered string
	reason   string
}

func kinds() []kind {
	return []kind{
		{28, "read_file", `{"file_path":"ROOT/src/page%d.go"}`, nod.Allow, nod.LayerAllowlist, "abstained",
			"read_file is a safe tool"},
		{18, "file_edit", `{"file_path":"ROOT/src/page%d.go","old_string":"a := 1\nb","new_string":"a := 2\nb"}`, nod.Allow,
			nod.LayerEdit, "allow", "a file edit inside the workspace"},
		{20, "bash", `{"command":"git log --oneline -%d && git status --short","description":"Look at the history"}`,
			nod.Allow, nod.LayerShell, "allow", "it changes nothing"},
		{12, "bash", `{"command":"cd src && go test ./page%d/... 2>&1 | tail -40"}`, nod.Allow, nod.LayerShell, "allow",
			"allow rule: go test *"},
		{10, "bash", `{"command":"npm run build -- --page=%d"}`, nod.Ask, nod.LayerNone, "abstained",
			"this runs code that nod has not read: npm run build"},
		{7, "bash", `{"command":"curl -fsS https://api.example.com/v1/items/%d"}`, nod.Allow, nod.LayerModel, "allow",
			"reads a public address, as the task asks"},
		{3, "bash", `{"command":"rm -rf ../build-%d"}`, nod.Ask, nod.LayerNone, "ask",
			"this deletes outside of the workspace"},
		{2, "bash", `{"command":"git push --force origin main # %d"}`, nod.Deny, nod.LayerGuard, "deny",
			"a hard_deny rule speaks against this"},
	}
}

const fileBytes = audit.DefaultMaxBytes

// writeLines writes a long log for measurements: n lines of sessions of several agents in a few repositories, with
// calls of the kinds that agents make. The same number of lines gives the same log. It returns how many bytes it has.
func writeLines(dir string, n int, roots []string) (size int64, err error) {
	if err := lines.PrivateDir(dir); err != nil {
		return 0, err
	}
	g := generator{Rand: rand.New(rand.NewPCG(1, 2)), roots: roots, dir: dir,
		now: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}
	for _, k := range kinds() {
		for range k.percent {
			g.kinds = append(g.kinds, k)
		}
	}
	for i := range n {
		if err := g.put(i); err != nil {
			return size, err
		}
	}
	return g.size, g.close("")
}

type generator struct {
	*rand.Rand
	kinds   []kind
	roots   []string
	dir     string
	now     time.Time
	session string
	root    string

	file    *os.File
	out     *bufio.Writer
	written int64 // into this file
	size    int64
}

func (g *generator) put(i int) error {
	if g.session == "" || g.IntN(150) == 0 {
		g.session = fmt.Sprintf("%08x-%04x-4000-8000-%012x", g.Uint32(), g.IntN(1<<16), g.Uint64()>>16)
		g.root = g.roots[g.IntN(len(g.roots))]
	}
	g.now = g.now.Add(time.Duration(g.IntN(30_000)) * time.Millisecond)
	line, err := lines.JSON(g.entry(i))
	if err == nil && g.written >= fileBytes {
		err = g.close(filepath.Join(g.dir, "decisions-"+g.now.Format("20060102T150405.000000000Z")+".jsonl"))
	}
	if err == nil && g.file == nil {
		g.file, err = os.OpenFile(filepath.Join(g.dir, audit.FileName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		g.out, g.written = bufio.NewWriterSize(g.file, 1<<20), 0
	}
	if err != nil {
		return err
	}
	g.written, g.size = g.written+int64(len(line)+1), g.size+int64(len(line)+1)
	_, err = g.out.Write(append(line, '\n'))
	return err
}

// close ends a file, and gives it its last name, where it has one.
func (g *generator) close(name string) error {
	err := g.out.Flush()
	g.file.Close()
	if err == nil && name != "" {
		err = os.Rename(g.file.Name(), name)
	}
	g.file = nil
	return err
}

func (g *generator) entry(i int) audit.Entry {
	k := g.kinds[g.IntN(len(g.kinds))]
	agent := []string{"claude-code", "claude-code", "claude-code", "codex", "opencode"}[int(g.session[0])%5]
	input := strings.Replace(fmt.Sprintf(k.input, g.IntN(400)), "ROOT", g.root, 1)
	c := nod.NewCall(k.tool, json.RawMessage(input), g.root, nil)
	c.Agent, c.Session, c.ID, c.Roots = agent, g.session, fmt.Sprintf("toolu_%024d", i), []string{g.root}
	c.RawTool = map[string]string{"bash": "Bash", "file_edit": "Edit", "read_file": "Read"}[k.tool]
	d := nod.Decision{ID: g.now.Format("20060102T150405.000000-") + fmt.Sprintf("%012x", g.Uint64()>>16),
		Verdict: k.verdict, Layer: k.layer, Reason: k.reason,
		Latency: time.Duration(400+g.ExpFloat64()*900) * time.Microsecond}
	if k.layer == nod.LayerModel {
		d.Cost, d.Latency = 0.0004+g.Float64()/2000, d.Latency+time.Duration(g.IntN(900))*time.Millisecond
	}
	e := audit.FromDecision(c, d, g.now)
	e.Nod, e.Mode, e.Setting, e.Answered = "1.0.0", "default", "enforce", k.answered
	return e
}
