package cli

import (
	"encoding/json"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
)

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
}

type sarifTool struct {
	Driver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	} `json:"driver"`
}

// sarif writes the denials as SARIF 2.1.0, a result for each. On a runner of GitHub's, a result that names no file
// points at the workflow: code scanning wants a place.
func sarif(p *Process) format {
	ref, _, _ := strings.Cut(p.Getenv("GITHUB_WORKFLOW_REF"), "@")
	workflow := ""
	if parts := strings.SplitN(ref, "/", 3); len(parts) == 3 {
		workflow = parts[2]
	}
	var tool sarifTool
	rules, comma := map[string]bool{}, ""
	return format{
		start: `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[`,
		line: func(l audit.Line) string {
			if l.Kind != audit.Decision || told(l.Entry) != "deny" {
				return ""
			}
			tool.Driver.Version, rules[l.Layer.String()] = l.Nod, true
			text := comma + "\n" + printable.JSON(sarifOf(l.Entry, workflow))
			comma = ","
			return text
		},
		end: func() string {
			tool.Driver.Name, tool.Driver.URI = "nod", "https://github.com/nodgate/nod"
			tool.Driver.Rules = []sarifRule{}
			for _, id := range slices.Sorted(maps.Keys(rules)) {
				tool.Driver.Rules = append(tool.Driver.Rules, sarifRule{ID: id, Short: sarifText{"denied by " + id}})
			}
			return "\n],\"tool\":" + printable.JSON(tool) + "}]}\n"
		},
	}
}

func sarifOf(e audit.Entry, workflow string) sarifResult {
	call := e.InputSHA256
	if call == "" {
		call = e.ID
	}
	r := sarifResult{RuleID: e.Layer.String(), Level: "warning", Fingerprints: map[string]string{"call": call},
		Message: sarifText{strings.TrimSpace(printableLines(orUnknown(toolOf(e)) + ": " + callOf(e) + "\n" + why(e)))}}
	if name := sarifFile(e, workflow); name != "" {
		var at sarifLocation
		at.Physical.Artifact.URI, at.Physical.Region.StartLine = (&url.URL{Path: name}).EscapedPath(), 1
		r.Locations = []sarifLocation{at}
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
