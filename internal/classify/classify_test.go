package classify

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

type model func(context.Context, nod.Prompt) (nod.Classification, error)

func (m model) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	return m(ctx, p)
}

func allowing(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	return nod.Classification{Digest: p.Digest, Reason: "fine <&>\n", Thinking: "t", Model: "m",
		Usage: nod.Usage{In: 1, Out: 2, Cached: 3}, Cost: 0.001}, nil
}

var prompt = nod.Prompt{ID: "d1", Digest: strings.Repeat("ab", 32), System: "s", User: "u\n\"quoted\" \u2028"}

// ask sends one question over the wire and opens the answer.
func ask(t *testing.T, m nod.Model, r Request) (nod.Classification, error) {
	t.Helper()
	var out bytes.Buffer
	read, err := ReadRequest(bytes.NewReader(r.Encode()))
	if err == nil {
		err = Reply(context.Background(), m, read).Write(&out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if line := out.String(); strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
		t.Errorf("not one line: %q", line)
	}
	a, err := DecodeAnswer(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return a.Open(r.Prompt.Digest)
}

func TestRoundTrip(t *testing.T) {
	var seen nod.Prompt
	m := model(func(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
		seen = p
		if left, ok := ctx.Deadline(); !ok || time.Until(left) > time.Hour {
			t.Errorf("deadline %v %v", left, ok)
		}
		return allowing(ctx, p)
	})
	got, err := ask(t, m, NewRequest(prompt, time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := allowing(context.Background(), prompt)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(prompt, seen); diff != "" {
		t.Error(diff)
	}
}

func TestFailuresCross(t *testing.T) {
	for name, tc := range map[string]struct {
		m     model
		kind  fault.Kind
		says  string
		cause string
	}{
		"failure": {func(context.Context, nod.Prompt) (nod.Classification, error) {
			return nod.Classification{}, &fault.Error{Kind: fault.RateLimited, Message: "wait",
				Cause: errors.New("quota\x1b[31m")}
		}, fault.RateLimited, "wait", `quota\x1b[31m`},
		"plain error": {func(context.Context, nod.Prompt) (nod.Classification, error) {
			return nod.Classification{}, errors.New("x")
		}, fault.Internal, "nod failed", "x"},
		"panic": {func(context.Context, nod.Prompt) (nod.Classification, error) { panic("boom") }, fault.Internal,
			"failed inside", "boom"},
		"another call": {func(context.Context, nod.Prompt) (nod.Classification, error) {
			return nod.Classification{Digest: "other"}, nil
		}, fault.Malformed, "another call", ""},
		"nothing": {func(context.Context, nod.Prompt) (nod.Classification, error) { return nod.Classification{}, nil },
			fault.Malformed, "another call", ""},
		"past its time": {func(ctx context.Context, _ nod.Prompt) (nod.Classification, error) {
			<-ctx.Done()
			return nod.Classification{}, &fault.Error{Kind: fault.TimedOut, Message: "late"}
		}, fault.TimedOut, "late", ""},
	} {
		limit := time.Hour
		if tc.kind == fault.TimedOut {
			limit = 20 * time.Millisecond
		}
		got, err := ask(t, tc.m, NewRequest(prompt, limit))
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != tc.kind || !strings.Contains(f.Message, tc.says) || !reflect.DeepEqual(got,
			nod.Classification{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		if tc.cause != "" && (f.Cause == nil || !strings.Contains(f.Cause.Error(), tc.cause)) {
			t.Errorf("%s: cause %v", name, f.Cause)
		}
	}
}

func TestBadRequests(t *testing.T) {
	good := `{"v":1,"prompt":{"id":"i","digest":"d","system":"s","user":"u"},"timeout_ms":1000}`
	if _, err := ReadRequest(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{
		"empty": "", "blank": "\n", "null": "null", "a list": "[" + good + "]", "cut off": good[:40],
		"two": good + good, "a tail": good + "x",
		"not UTF-8": strings.Replace(good, `"i"`, "\"\xff\"", 1),
		"too long":  strings.Replace(good, `"u"`, `"`+strings.Repeat("u", requestLimit)+`"`, 1),
	}
	for _, row := range changes(t, "request") {
		bad[row[1]] = strings.Replace(good, row[2], row[3], 1)
	}
	for name, text := range bad {
		if r, err := ReadRequest(strings.NewReader(text)); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// changes are the lines of testdata/bad.txt of a kind: what of a good text becomes what.
func changes(t *testing.T, kind string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/bad.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if row := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); row[0] == kind {
			rows = append(rows, row)
		}
	}
	return rows
}

func TestBadAnswers(t *testing.T) {
	const class = `{"digest":"d","should_block":false,"reason":"r","thinking":"t","model":"m","usage":{"in":1,"out":1,"cached":0},"cost_usd":0}`
	good := `{"v":1,"digest":"d","classification":` + class + `}`
	open := func(text, digest string) (nod.Classification, error) {
		a, err := DecodeAnswer([]byte(text))
		if err != nil {
			return nod.Classification{}, err
		}
		return a.Open(digest)
	}
	if got, err := open(good, "d"); err != nil || got.Reason != "r" {
		t.Fatal(got, err)
	}
	bad := map[string]string{
		"empty": "", "null": "null", "nothing": `{"v":1,"digest":"d"}`, "cut off": good[:50], "two": good + good,
		"a tail":     good + "x",
		"error null": `{"v":1,"digest":"d","error":null}`,
	}
	for _, row := range changes(t, "answer") {
		bad[row[1]] = strings.Replace(good, row[2], row[3], 1)
	}
	for name, text := range bad {
		got, err := open(text, "d")
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Malformed || !reflect.DeepEqual(got, nod.Classification{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, digest := range []string{"", "e"} {
		if got, err := open(good, digest); err == nil {
			t.Errorf("opened with %q: %+v", digest, got)
		}
	}
	if got, err := open(strings.ReplaceAll(good, `"digest":"d"`, `"digest":""`), ""); err == nil {
		t.Errorf("an empty digest opened %+v", got)
	}
	if got, err := (Answer{}).Open(""); err == nil {
		t.Errorf("the zero value opened as %+v", got)
	}
}
