package cli

import (
	"encoding"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/history"
)

// answers are what subcommands print with --json. Keys are only ever added: a
// line that goes from docs/json.md is a change that breaks somebody's script.
func answers() map[string]any {
	return map[string]any{
		"check": checked{}, "prompt": promptOutput{}, "install": changesOutput{}, "uninstall": changesOutput{},
		"doctor":  examined{},
		"history": history.Report{}, "rules": rulesOutput{}, "rules check": rulesCheckOutput{},
		"init": proposed{}, "mode": modeOutput{}, "approve": approvalsOutput{},
		"approvals": approvalsOutput{}, "undo": undoOutput{},
		"daemon status": daemon.State{}, "version": versionOutput{}, "confine": confineOutput{},
	}
}

// elsewhere are documented in a place of their own.
func elsewhere() map[string]string {
	return map[string]string{"demo": "a line for each call, and a last one", "log": "decision-log.md"}
}

// TestJSONIsDocumented: docs/json.md names every key that any --json prints, and
// every subcommand that takes --json is there. -update rewrites the list.
func TestJSONIsDocumented(t *testing.T) {
	const file, begin, end = "../../docs/json.md", "<!-- keys -->\n", "<!-- /keys -->\n"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no list", file)
	}
	want := before + begin + "\n" + allKeys() + end + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("the keys are others (-now +docs); go test ./internal/cli -run JSONIsDocumented -update:\n%s", diff)
	}
	for _, c := range commands() {
		_, here := answers()[c.name]
		_, there := elsewhere()[c.name]
		if strings.Contains(c.long(), "--json") && !here && !there && c.name != "daemon" {
			t.Errorf("nod %s --json is documented nowhere", c.name)
		}
	}
}

// TestEveryCommandAndJSON: a subcommand that prints no JSON refuses --json, and
// docs/json.md names it.
func TestEveryCommandAndJSON(t *testing.T) {
	docs, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		_, here := answers()[c.name]
		_, there := elsewhere()[c.name]
		if here || there || c.name == "daemon" {
			continue
		}
		var out, errs strings.Builder
		p := &Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: t.TempDir(),
			Environ: []string{"HOME=" + t.TempDir()}}
		code := Main(t.Context(), p, []string{c.name, "--json"})
		if code != ExitBadInput || out.Len() > 0 || !strings.Contains(errs.String(), "there is no flag --json") {
			t.Errorf("nod %s --json: exit %d, %s%s", c.name, code, out.String(), errs.String())
		}
		if !strings.Contains(string(docs), "`nod "+c.name+"`") {
			t.Errorf("docs/json.md does not say that nod %s has no --json", c.name)
		}
	}
}

func allKeys() string {
	var names []string
	for name := range answers() {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for i, name := range names {
		of := reflect.TypeOf(answers()[name])
		fmt.Fprintf(&b, "## nod %s --json\n\n", name)
		alike := func(n string) bool { return reflect.TypeOf(answers()[n]) == of }
		if same := slices.IndexFunc(names[:i], alike); same >= 0 {
			fmt.Fprintf(&b, "The keys of `nod %s`.\n\n", names[same])
			continue
		}
		fmt.Fprintf(&b, "```\n%s```\n\n", strings.Join(keysOf(of, ""), ""))
	}
	return b.String()
}

// keysOf lists the keys of a type, each with what it holds; "?" is left out where
// it is empty.
func keysOf(of reflect.Type, prefix string) (lines []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		if strings.Contains(options, "omit") {
			name += "?"
		}
		word, inner := kindOf(field.Type)
		if field.Anonymous {
			lines = append(lines, keysOf(inner, prefix)...)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s%-*s %s\n", prefix, max(1, 16-len(prefix)), name, word))
		if inner != nil {
			lines = append(lines, keysOf(inner, prefix+"  ")...)
		}
	}
	return lines
}

// kindOf is what a value of a type is in JSON, and the struct of whose keys it is
// made.
func kindOf(of reflect.Type) (word string, inner reflect.Type) {
	switch of.Kind() {
	case reflect.Pointer:
		return kindOf(of.Elem())
	case reflect.Slice:
		word, inner = kindOf(of.Elem())
		return "list of " + word, inner
	case reflect.Map:
		word, inner = kindOf(of.Elem())
		return "object by name of " + word, inner
	}
	text := reflect.TypeFor[encoding.TextMarshaler]()
	own := reflect.TypeFor[json.Marshaler]()
	switch {
	case of.String() == "time.Time":
		return "time", nil
	case of.Implements(text), of.Implements(own), of.Kind() == reflect.String:
		return "text", nil
	case of.Kind() == reflect.Struct:
		return "object", of
	case of.Kind() == reflect.Bool:
		return "true or false", nil
	}
	return "number", nil
}
