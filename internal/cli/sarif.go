package cli

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
)

// sarif writes the denials as SARIF 2.1.0, a result for each. On a runner of GitHub's, a result that names no file
// points at the workflow: code scanning wants a place.
func sarif(p *Process) format {
	ref, _, _ := strings.Cut(p.Getenv("GITHUB_WORKFLOW_REF"), "@")
	workflow := append(strings.SplitN(ref, "/", 3), "", "")[2] // behind the owner and the repository
	rules, seen, comma := []object{}, map[string]bool{}, ""
	driver := object{"name": "nod", "informationUri": "https://github.com/nodgate/nod"}
	return format{
		start: `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[`,
		line: func(l audit.Line) string {
			if l.Kind != audit.Decision || told(l.Entry) != "deny" {
				return ""
			}
			if id := l.Layer.String(); !seen[id] {
				seen[id] = true
				rules = append(rules, object{"id": id, "shortDescription": object{"text": "denied by " + id}})
			}
			driver["version"] = l.Nod
			text := comma + "\n" + printable.JSON(sarifOf(l.Entry, workflow))
			comma = ","
			return text
		},
		end: func() string {
			driver["rules"] = rules
			return "\n],\"tool\":" + printable.JSON(object{"driver": driver}) + "}]}\n"
		},
	}
}

func sarifOf(e audit.Entry, workflow string) object {
	text := printable.Lines(orUnknown(toolOf(e)) + ": " + callOf(e) + "\n" + why(e))
	r := object{"ruleId": e.Layer.String(), "level": "warning", "message": object{"text": strings.TrimSpace(text)},
		"partialFingerprints": object{"call": cmp.Or(e.InputSHA256, e.ID)}}
	if name := sarifFile(e, workflow); name != "" {
		uri := (&url.URL{Path: name}).EscapedPath()
		r["locations"] = []object{{"physicalLocation": object{"artifactLocation": object{"uri": uri},
			"region": object{"startLine": 1}}}}
	}
	return r
}

// sarifFile is the file of the workspace that a denied edit names, else the workflow.
func sarifFile(e audit.Entry, workflow string) string {
	var input struct {
		Path string `json:"file_path"`
	}
	if json.Unmarshal(e.Input, &input) == nil && input.Path != "" && e.Root != "" {
		if below, err := filepath.Rel(e.Root, input.Path); err == nil && filepath.IsLocal(below) {
			return filepath.ToSlash(below)
		}
	}
	return workflow
}
