//go:build unix

package server

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team/client"
	"github.com/nodgate/nod/internal/testworld"
)

// described is what the test reads of openapi.json.
type described struct {
	Paths map[string]map[string]struct {
		Security    []map[string][]string
		RequestBody struct {
			Content map[string]struct{ Schema reference }
		}
		Responses map[string]struct {
			Content map[string]struct{ Schema reference }
		}
	}
	Components struct{ Schemas map[string]json.RawMessage }
}

type reference struct {
	Ref string `json:"$ref"`
}

func (r reference) name() string { return strings.TrimPrefix(r.Ref, "#/components/schemas/") }

func description31(t *testing.T) (d described) {
	t.Helper()
	if err := json.Unmarshal(description, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// Every route with its scope, and every field with its type, stands in openapi.json, and nothing else does.
func TestTheDescriptionIsTheCode(t *testing.T) {
	d, w := description31(t), newWorld(t, nil)
	for _, rt := range w.routes() {
		method := strings.ToLower(rt.method)
		op, is := d.Paths[rt.path][method]
		want := []map[string][]string{}
		if rt.needs != anybody {
			want = append(want, map[string][]string{"token": {string(rt.needs)}})
		}
		if diff := cmp.Diff(want, op.Security); diff != "" || !is {
			t.Errorf("%s %s, there: %v, its scope: %s", rt.method, rt.path, is, diff)
		}
		if delete(d.Paths[rt.path], method); len(d.Paths[rt.path]) == 0 {
			delete(d.Paths, rt.path)
		}
	}
	if len(d.Paths) > 0 {
		t.Errorf("no such routes: %v", d.Paths)
	}
	members := new(request).members()
	for i := range reflect.TypeFor[request]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[request]().Field(i).Tag.Get("json"), ",")
		if members[name] == nil {
			t.Errorf("readCall does not read %s", name)
		}
		delete(members, name)
	}
	if len(members) > 0 {
		t.Errorf("readCall reads %v", members)
	}
	for name, of := range map[string]reflect.Type{
		"request": reflect.TypeFor[request](), "answer": reflect.TypeFor[answer](),
		"answers": reflect.TypeFor[answers](), "health": reflect.TypeFor[health](),
		"problem": reflect.TypeFor[problem](), "joining": reflect.TypeFor[joining](),
		"joined": reflect.TypeFor[joined](), "report": reflect.TypeFor[store.Report](),
		"verdict": reflect.TypeFor[store.Verdict](),
		"shipped": reflect.TypeFor[shippedAnswer](), "found": reflect.TypeFor[foundLines](),
		"counts": reflect.TypeFor[counts](), "asked": reflect.TypeFor[client.Asked](),
		"heard": reflect.TypeFor[client.Answers](), "waiting": reflect.TypeFor[waiting](),
		"given": reflect.TypeFor[given](), "draft": reflect.TypeFor[store.Draft](),
		"version": reflect.TypeFor[store.Policy](), "policies": reflect.TypeFor[policyList](),
		"replayed": reflect.TypeFor[replayed](), "batch": reflect.TypeFor[struct {
			Calls []request `json:"calls"`
		}]()} {
		var schema jsonschema.Schema
		if err := json.Unmarshal(d.Components.Schemas[name], &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compareFields(t, name, &schema, of)
	}
}

// compareFields compares the properties of a schema with the fields of a type.
func compareFields(t *testing.T, at string, schema *jsonschema.Schema, of reflect.Type) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || schema.Properties == nil {
		return
	}
	left := len(schema.Properties)
	for i := range of.NumField() {
		name, options, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name == "-" || !of.Field(i).IsExported() {
			continue
		}
		p := schema.Properties[name]
		if p == nil {
			t.Errorf("%s.%s is not described", at, name)
			continue
		}
		if required := slices.Contains(schema.Required, name); required == (options != "") {
			t.Errorf("%s.%s: required %v, and the code says %q", at, name, required, options)
		}
		left--
		compareFields(t, at+"."+name, p, of.Field(i).Type)
	}
	if left != 0 {
		t.Errorf("%s: %d properties that the code does not know", at, left)
	}
}

// What is sent and answered fits the schema of its route and status.
func TestAnswersFitTheDescription(t *testing.T) {
	d, w := description31(t), newWorld(t, disk)
	call := w.call("bash", `{"command":"git push --force"}`)
	for _, c := range []struct {
		method, path, body, header, status string
	}{
		{"POST", "/v1/check", call, "", "200"},
		{"POST", "/v1/check", w.call("bash", `{"command":"make deploy"}`), "", "200"},
		{"POST", "/v1/check", w.call("bash", `{"command":"ls"}`), "", "200"},
		{"POST", "/v1/check/batch", `{"calls":[` + call + `,` + call + `]}`, "", "200"},
		{"POST", "/v1/check", call, "Authorization: ", "401"},
		{"POST", "/v1/check", call, "Content-Type: text/plain", "415"},
		{"GET", "/healthz", "", "", "200"},
		{"GET", "/readyz", "", "", "200"},
	} {
		op := d.Paths[c.path][strings.ToLower(c.method)]
		r, text := w.ask(c.method, c.path, c.body, c.header)
		if r.StatusCode != map[string]int{"200": 200, "401": 401, "415": 415}[c.status] {
			t.Errorf("%s: %d %s", c.path, r.StatusCode, text)
		}
		fits(t, d, op.Responses[c.status].Content[r.Header.Get("Content-Type")].Schema.name(), text)
		if c.body != "" {
			fits(t, d, op.RequestBody.Content["application/json"].Schema.name(), c.body)
		}
	}
}

func fits(t *testing.T, d described, name, text string) {
	t.Helper()
	defs, err := json.Marshal(d.Components.Schemas)
	if err != nil {
		t.Fatal(err)
	}
	whole := `{"$ref":"#/components/schemas/` + name + `","$defs":` + string(defs) + `}`
	whole = strings.ReplaceAll(whole, "#/components/schemas/", "#/$defs/")
	var schema jsonschema.Schema
	var value any
	if err := json.Unmarshal([]byte(whole), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s does not fit %s: %v", text, name, err)
	}
}

// The example of docs/server.md works as it stands.
func TestTheExampleOfTheDocument(t *testing.T) {
	sh, curl := testworld.Needs(t, "sh"), testworld.Needs(t, "curl")
	text, err := os.ReadFile("../../docs/server.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```\ncurl ")
	example, _, _ = strings.Cut(example, "```")
	w := newWorld(t, nil)
	r := exec.Command(sh, "-c", strings.ReplaceAll(curl+" "+example, "http://127.0.0.1:7322", w.at))
	r.Env = testworld.Started(w.home, "NOD_TOKEN="+w.token)
	out, err := r.Output()
	var a answer
	err = errors.Join(err, json.Unmarshal(out, &a))
	if err != nil || a.Verdict.String() != "deny" || a.Layer.String() != "guard" {
		t.Errorf("%s %v: %s", example, err, out)
	}
}

func TestCommands(t *testing.T) {
	w := newWorld(t, nil)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, c := range []struct {
		args string
		code int
		said string
	}{
		{"token add --scope check main", 0, "nod_"},
		{"token list", 0, "main"},
		{"token add --scope check,read --expires 90d ci", 0, "nod_"},
		{"token add --scope check ci", 1, "revoke it first"},
		{"token add --scope root x", 2, "the scopes are"},
		{"token add x", 2, "--scope says"},
		{"token add --scope check --expires never x", 2, "90d"},
		{"token list", 0, "check read"},
		{"token revoke ci", 0, "revoked ci"},
		{"token revoke ci", 1, "there is no token"},
		{"token", 2, "token add"},
		{"team add shop", 0, ""},
		{"team list", 0, "shop"},
		{"machine code shop", 0, "nod-serve join URL"},
		{"machine code shopping", 1, "there is no team"},
		{"machine list", 0, ""},
		{"machine remove x", 1, "there is no such thing"},
		{"join https://nod.example", 1, "there is no code"},
		{"join nod.example", 2, "no address"},
		{"token list --org other", 2, "--org names"},
		{"backup server.db", 1, "whole path"},
		{"lines --since 2d", 0, ""},
		{"lines --since never", 2, "90d"},
		{"serve --listen 0.0.0.0:0", 2, "in the clear"},
		{"serve --listen 127.0.0.1:0 --cert x", 2, "go together"},
		{"serve --otlp 127.0.0.1:4318", 2, "want a URL"},
		{"serve --listen 127.0.0.1:0 --files some", 2, "none or disk"},
		{"serve --listen " + busy.Addr().String(), 1, "in use"},
		{"serve --help", 0, "--behind-proxy"},
	} {
		var said strings.Builder
		words := strings.Fields(c.args)
		if !strings.Contains(c.args, "--help") && len(words) > 1 {
			at := map[string]int{"serve": 1, "join": 1, "token": 2, "team": 2, "machine": 2, "backup": 1,
				"lines": 1}[words[0]]
			words = slices.Insert(words, at, "--state", w.state)
		}
		code := Main(t.Context(), Process{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said}, words)
		if code != c.code || !strings.Contains(said.String(), c.said) {
			t.Errorf("%s: %d, want %d %q: %s", c.args, code, c.code, c.said, said.String())
		}
	}
}
