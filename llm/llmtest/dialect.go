package llmtest

import (
	"bytes"
	_ "embed" // the answers
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"text/template"
)

//go:embed answers.tmpl
var answers string

func (s *Server) answer(r Request) Answer {
	switch r.Kind {
	case Classifier:
		return s.classification(r)
	case Turn:
		step, index := s.due(r)
		if step.Before != nil {
			step.Before()
		}
		return said(r, step, index)
	case Judge:
		return said(r, Step{Text: judgeText(decodeBody(r.Body), s.script.Judge != nil && s.script.Judge(r))}, 0)
	case Side:
		return said(r, Step{Text: "a test"}, 0)
	case CountTokens, Models:
		return Answer{Body: filled(string(r.Kind), nil)}
	case Probe:
		return Answer{}
	}
	return failed(http.StatusNotFound, "not_found_error", "llmtest has no "+r.Method+" "+r.Path)
}

// failed is an error as Anthropic's API has it.
func failed(status int, kind, message string) Answer {
	return Answer{Status: status, Body: filled("error", struct{ Kind, Message string }{kind, message})}
}

func (s *Server) classification(r Request) Answer {
	if s.script.Classifier == nil {
		return failed(http.StatusInternalServerError, "api_error", "the script has no classifier")
	}
	a := s.script.Classifier(r)
	if a.verdict == nil {
		return a
	}
	return said(r, Step{Calls: []Call{{Tool: classifyTool, Input: a.verdict}}}, 0)
}

// turn is what a template of answers.tmpl is filled with.
type turn struct {
	Model    string
	Index    int // of the step in the script
	Text     string
	Calls    []item
	Items    []item // the text, if there is one, and the calls
	sequence int
}

// item is a text, or a call of a tool.
type item struct {
	Call
	ID, Text string
}

// Next numbers the events of a stream.
func (t *turn) Next() int {
	t.sequence++
	return t.sequence - 1
}

// said is a step in the dialect of the request, streamed if that was asked for.
func said(r Request, s Step, index int) Answer {
	b := decodeBody(r.Body)
	t := turn{Model: b.Model, Index: index, Text: s.Text}
	for _, c := range s.Calls {
		t.Calls = append(t.Calls, item{Call: c, ID: callID(index, c.Name)})
	}
	if t.Items = t.Calls; s.Text != "" {
		t.Items = append([]item{{Text: s.Text}}, t.Calls...)
	}
	if !b.Stream && !strings.HasSuffix(r.Path, ":streamGenerateContent") {
		return Answer{Body: filled(r.vendor(), &t)}
	}
	return Answer{Body: filled(r.vendor()+" stream", &t),
		Header: map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}}
}

// filled fills a template of answers.tmpl. If that fails, the package or a test is at fault.
func filled(name string, with any) string {
	var out strings.Builder
	all := template.Must(template.New("").Funcs(template.FuncMap{"json": encode, "halves": halves}).Parse(answers))
	if err := all.ExecuteTemplate(&out, name, with); err != nil {
		panic("llmtest: " + err.Error())
	}
	return out.String()
}

func halves(v any) []string {
	text := encode(v)
	return []string{text[:len(text)/2], text[len(text)/2:]}
}

// due returns the step that the conversation has come to: the step after the latest step with a call in it.
func (s *Server) due(r Request) (Step, int) {
	next := 0
	for _, m := range s.heard(r) {
		var step int
		if _, err := fmt.Sscanf(m.id, "toolu_%d_", &step); err == nil && !m.result {
			next = max(next, step+1)
		}
	}
	if steps := s.steps(r); next < len(steps) {
		return steps[next], next
	}
	return Step{Text: "done"}, next
}

// steps are those of the conversation that a request belongs to.
func (s *Server) steps(r Request) []Step {
	for task, steps := range s.script.Asides {
		if bytes.Contains(r.Body, []byte(task)) && !s.calledWith(r, task) {
			return steps
		}
	}
	return s.script.Steps
}

// calledWith reports whether a request tells of a call of the script's whose arguments hold a text.
func (s *Server) calledWith(r Request, text string) bool {
	for _, m := range decodeBody(r.Body).Contents { // Gemini's, which have no ids to tell a call by
		if slices.ContainsFunc(m.Parts, func(p block) bool {
			return p.FunctionCall != nil && strings.Contains(string(p.FunctionCall.Args), text)
		}) {
			return true
		}
	}
	for i, step := range s.script.Steps {
		for _, c := range step.Calls {
			if strings.Contains(encode(c.Input), text) && bytes.Contains(r.Body, []byte(callID(i, c.Name)+`"`)) {
				return true
			}
		}
	}
	return false
}

// callID makes the id of a call. Ids are limited to letters, digits, "_" and "-".
func callID(step int, name string) string {
	return fmt.Sprintf("toolu_%d_%x", step, name)
}

// CallName returns the name of the call with that id, as an agent's hook or
// log has the id; "" for an id that no script made.
func CallName(id string) string {
	var step int
	var name []byte
	if _, err := fmt.Sscanf(id, "toolu_%d_%x", &step, &name); err != nil {
		return ""
	}
	return string(name)
}

// judgeText is what Claude Code's judge is read from. The judge has two stages: the first stops before the closing
// tag, and the second gives a reason. It asks for one of two tags: a severity from 0 to 100 (2.1.329 by default), or
// a plain yes or no.
func judgeText(b body, block bool) string {
	tag, answer := "block", "no"
	if b.mentions("<severity>") {
		tag, answer = "severity", "0"
	}
	if block {
		answer = map[string]string{"block": "yes", "severity": "100"}[tag]
	}
	text := "<" + tag + ">" + answer
	if len(b.Stop) > 0 {
		return text
	}
	text += "</" + tag + ">"
	if block {
		text += "<category>Scripted</category><reason>[Scripted] the script blocks it</reason>"
	}
	return text
}

// encode writes values that the package or a test made up: a value that is no JSON is a fault of the test.
func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return string(raw)
}
