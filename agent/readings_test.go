package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// sight is what is read in a payload, in one line: all that is not zero.
func sight(e agent.Event, err error) string {
	if err != nil {
		return "refused: " + strings.TrimPrefix(err.Error(), "the payload cannot be read: ")
	}
	c := e.Call
	kind := []string{"unexpected", "decide", "prompt", "outcome", "denied", "other"}[e.Kind]
	line := []string{strings.TrimSpace(kind + " " + e.Name)}
	for _, field := range []struct {
		name  string
		value any
	}{
		{"tool", c.Tool}, {"raw", c.RawTool}, {"command", c.Command}, {"paths", c.Paths}, {"edits", c.Edits},
		{"url", c.URL}, {"mcp", c.MCP}, {"session", c.Session}, {"id", c.ID}, {"dir", c.Dir},
		{"start", e.Start}, {"project", e.Project}, {"mode", e.Mode},
		{"shell", map[nod.Dialect]string{nod.PowerShell: "powershell", nod.Unread: "unread",
			nod.Interp: "interp"}[c.Dialect]},
		{"error", e.Error}, {"took", strings.TrimPrefix(e.Took.String(), "0s")}, {"reason", e.Reason},
		{"failed", e.Failed}, {"plan", e.Plan}, {"follows", e.PromptFollows},
		{"theirs", e.Theirs}, {"child", e.Child}, {"unproven", e.Unproven}, {"interactive", c.Interactive},
		{"judges", c.HostJudges}, {"keeps", c.Keeps}, {"outlives", c.Outlives}, {"unseen", c.StdinUnseen},
		{"rewritten", c.Rewritten != ""}, {"unread", c.Unread != ""}, {"transcript", c.Transcript != nil},
	} {
		switch v := field.value.(type) {
		case bool:
			line = append(line, map[bool]string{true: field.name}[v])
		case []nod.Edit:
			for _, one := range v {
				raw, _ := json.Marshal(one) // what is false or empty is left out
				line = append(line, "edit="+regexp.MustCompile(`,?"\w+":(false|"")`).ReplaceAllString(string(raw), ""))
			}
		case *nod.MCP:
			if v != nil {
				line = append(line, fmt.Sprintf("mcp=%+v", *v))
			}
		default:
			if value := reflect.ValueOf(v); !value.IsZero() {
				line = append(line, strings.ReplaceAll(fmt.Sprintf("%s=%#v", field.name, v), "[]string", ""))
			}
		}
	}
	return strings.Join(slices.DeleteFunc(line, func(word string) bool { return word == "" }), " ")
}

// Every payload in testdata is read as testdata/decoded.txt says.
func TestWhatIsRead(t *testing.T) {
	text, err := os.ReadFile("testdata/decoded.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for _, row := range contracts() {
		name := row.host.adapter.Name()
		all, problems := load(row.host.of(os.DirFS(filepath.Join("testdata", name))))
		for _, problem := range problems {
			t.Error(problem)
		}
		for _, f := range all {
			line := name + "/" + f.name + ": " + sight(f.event, nil) + "\n"
			if !strings.Contains(want, "\n"+line) {
				t.Errorf("not in decoded.txt: %s", line)
			}
		}
	}
	if files, _ := filepath.Glob("testdata/*/*.json"); len(files) != strings.Count(want, ".json: ") {
		t.Errorf("%d payloads, decoded.txt says of %d what they are", len(files), strings.Count(want, ".json: "))
	}
}

// TestReadings: testdata/readings.txt has a claim, and below it payloads and what is read in them.
func TestReadings(t *testing.T) {
	text, err := os.ReadFile("testdata/readings.txt")
	if err != nil {
		t.Fatal(err)
	}
	claim := ""
	for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n")[1:] {
		lines := strings.Split(block, "\n")
		for strings.HasPrefix(lines[0], "#") {
			claim, lines = lines[0], lines[1:]
		}
		if len(lines) != 3 {
			t.Fatalf("want host and environment, payload, reading: %q", lines)
		}
		words := strings.Fields(lines[0])
		if got := sight(agent.Host(words[0]).Decode([]byte(lines[1]), words[1:])); got != lines[2] {
			t.Errorf("%s\n%s\n%s\nis read as\n%s\nwant\n%s", claim, lines[0], lines[1], got, lines[2])
		}
	}
}
