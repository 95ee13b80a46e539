//go:build unix

package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
)

// What OCSF 1.8.0 requires of an API Activity: ocsf-schema, tag v1.8.0, events/base_event.json and
// events/application/api_activity.json, and of the objects in it objects/{actor,api,metadata,network_endpoint,policy,
// product}.json. Of at_least_one this is what nod fills.
var ocsfRequires = map[string][]string{
	"": {"activity_id", "category_uid", "class_uid", "metadata", "severity_id", "time", "type_uid", "actor", "api",
		"src_endpoint"},
	"actor":            {"app_name"},
	"api":              {"operation"},
	"metadata":         {"product", "version"},
	"src_endpoint":     {"svc_name"},
	"policy":           {"name"},
	"metadata.product": {"name"},
}

func TestOCSFHasWhatIsRequired(t *testing.T) {
	known := map[string][]float64{"activity_id": {2, 3, 99}, "action_id": {1, 2, 3, 99}, "severity_id": {1, 2, 3},
		"disposition_id": {1, 2, 17, 23}}
	for _, tool := range []string{"", "bash", "read_file", "file_edit"} {
		for _, answered := range []string{"", "allow", "ask", "deny", "confined", "abstained"} {
			for _, e := range []audit.Entry{{}, {Agent: "a", Session: "s", CallID: "c", Rule: &audit.Rule{Text: "r"}}} {
				e.Tool, e.Answered, e.Verdict = tool, answered, nod.Ask
				var event map[string]any
				if err := json.Unmarshal([]byte(ocsfLine(e)), &event); err != nil {
					t.Fatal(err)
				}
				for path, names := range ocsfRequires {
					if at := inside(event, path); at != nil {
						for _, name := range names {
							if at[name] == nil || at[name] == "" {
								t.Errorf("%s lacks %s: %v", path, name, event)
							}
						}
					}
				}
				for name, values := range known {
					if !slices.Contains(values, event[name].(float64)) {
						t.Errorf("%s is %v", name, event[name])
					}
				}
				if event["type_uid"].(float64) != 600300+event["activity_id"].(float64) {
					t.Errorf("type_uid is %v", event["type_uid"])
				}
			}
		}
	}
}

// inside is an object in an object; nil: it is not there.
func inside(v map[string]any, path string) map[string]any {
	for name := range strings.SplitSeq(path, ".") {
		if name != "" {
			v, _ = v[name].(map[string]any)
		}
	}
	return v
}

func TestEscaping(t *testing.T) {
	for text, want := range map[string][3]string{ // a cell, a header and a value of CEF
		"plain":             {"plain", "plain", "plain"},
		"=cmd|' /C calc'!A": {"'=cmd|' /C calc'!A", `=cmd\|' /C calc'!A`, `\=cmd|' /C calc'!A`},
		"  @SUM(1)":         {"'  @SUM(1)", "@SUM(1)", "  @SUM(1)"},
		"-1":                {"'-1", "-1", "-1"},
		"+1":                {"'+1", "+1", "+1"},
		"＝1":                {"'＝1", "＝1", "＝1"},
		"a=b":               {"a=b", "a=b", `a\=b`},
		"a\tb\r\nc\n":       {`a\tb\r\nc\n`, "a b c", `a\\tb\nc\n`},
		`c:\x`:              {`c:\x`, `c:\\x`, `c:\\x`},
		"\u202e\x1b[0m":     {`\u{202E}\x1b[0m`, `\\u{202E}\\x1b[0m`, `\\u{202E}\\x1b[0m`},
		`a,"b"`:             {`"a,""b"""`, `a,"b"`, `a,"b"`},
	} {
		got := [3]string{strings.TrimSuffix(csvRow([]string{text}), "\n"), cefHeader(text), cefValue(text, 100)}
		if got[0] == `"`+want[0]+`"` { // quoted for its leading blank
			got[0] = want[0]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
