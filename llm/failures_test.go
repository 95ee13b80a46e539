package llm

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/hang"
)

// refused is an answer that must not count, for one provider.
type refused struct {
	name    string
	kind    fault.Kind
	handler http.HandlerFunc
	short   bool // asked with a deadline that the answer misses
}

func raw(status int, body string) http.HandlerFunc {
	return answering(status, "application/json", body)
}

// faults are the answers that both providers must refuse. Wherever one can
// hold a decision at all, it holds "do not block".
func faults(t testing.TB, provider string) []refused {
	good := classified(provider, allowInput)
	out := []refused{}
	add := func(name string, kind fault.Kind, h http.HandlerFunc) {
		out = append(out, refused{name: name, kind: kind, handler: h})
	}
	for status, kind := range map[int]fault.Kind{
		400: fault.BadRequest, 401: fault.Unauthorized, 402: fault.Unauthorized, 403: fault.Unauthorized,
		404: fault.NotFound, 408: fault.TimedOut, 409: fault.BadRequest,
		413: fault.TooLarge, 422: fault.BadRequest, 429: fault.RateLimited, 500: fault.ServerError,
		502: fault.ServerError,
		503: fault.Overloaded, 504: fault.ServerError, 529: fault.Overloaded, 201: fault.Malformed,
		202: fault.Malformed, 299: fault.Malformed,
	} {
		add(fmt.Sprintf("status %d with a decision", status), kind, raw(status, good))
	}
	add("status 204", fault.Malformed, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	add("status 500, HTML", fault.ServerError, answering(500, "text/html", "<html>\x1b[2J</html>"))
	add("status 401 that shows the key", fault.Unauthorized,
		raw(401, `{"error":{"type":"authentication_error","message":"bad key `+testKey+` \u001b[31m\n\u202e"}}`))
	add("status 400, endless", fault.Malformed, endless("application/json"))
	add("told to try again at once", fault.Overloaded, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Should-Retry", "true")
		w.Header().Set("Retry-After-Ms", "1")
		raw(529, good)(w, r)
	})
	for name, body := range map[string]string{
		"empty": "", "blank": " \n", "null": "null", "true": "true", "a string": `"x"`, "a list": "[" + good + "]",
		"truncated": good[:len(good)-1], "half": good[:len(good)/2], "twice": good + good, "with a tail": good + "x",
		"HTML as JSON":       "<html></html>",
		"an error under 200": `{"type":"error","error":{"type":"api_error","message":"x"}}`,
		"not UTF-8":          strings.Replace(strings.Replace(good, "msg_1", "\xff", 1), "resp_1", "\xff", 1),
		"byte order mark":    "\ufeff" + good,
		"an empty object":    "{}", "half a surrogate": classified(provider,
			`{"thinking":"t","should_block":false,"reason":"\ud800"}`),
		"nested too deeply": strings.TrimSuffix(good, "}") + `,"x":` + strings.Repeat("[", 5000) + strings.Repeat("]",
			5000) + "}",
	} {
		add("body "+name, fault.Malformed, raw(200, body))
	}
	for name, contentType := range map[string]string{"HTML": "text/html", "none": "", "text": "text/plain",
		"stream": "text/event-stream", "odd": "application/json; =", "twin": "application/jsonp",
		"problem": "application/problem+json"} {
		add("content type "+name, fault.Malformed, answering(200, contentType, good))
	}
	out = append(out, inputFaults(t, provider)...)
	return append(out, wireFaults(provider)...)
}

// inputFaults are good answers around a bad input of the tool.
func inputFaults(t testing.TB, provider string) (out []refused) {
	for _, row := range rows(t, "faults/input.txt") {
		input := strings.ReplaceAll(row[1], "INPUT", allowInput)
		out = append(out, refused{name: "input " + row[0], kind: fault.Malformed,
			handler: raw(200, classified(provider, input))})
	}
	return out
}

// dialectFaults are bad answers of one dialect: the kind, a name, the body.
func dialectFaults(t testing.TB, provider string) (out []refused) {
	quoted, _ := json.Marshal(allowInput)
	usage, _, _ := answerOf(provider)
	body := strings.NewReplacer("CALL", callOf(provider, nod.AnswerTool().Name, allowInput),
		"QUOTED", string(quoted), "INPUT", allowInput, "USAGE", usage)
	for _, row := range rows(t, "faults/"+dialect(provider)+".txt") {
		out = append(out, refused{name: row[1], kind: fault.Kind(row[0]), handler: raw(200, body.Replace(row[2]))})
	}
	return out
}

// endless never stops sending.
func endless(contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		chunk := []byte(`{"type":"` + strings.Repeat(" ", 64<<10))
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}

// trickle sends body a byte at a time.
func trickle(body string, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		for i := range body {
			if _, err := io.WriteString(w, body[i:i+1]); err != nil || r.Context().Err() != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(pause)
		}
	}
}

// zipped is body, compressed, with what the server says it is.
func zipped(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(body)
	}
}

func gzipOf(t interface{ Fatal(...any) }, body io.Reader) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if _, err := io.Copy(z, body); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// hijack answers with raw bytes and an end of the connection.
func hijack(text string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		io.WriteString(conn, text)
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			tcp.SetLinger(0)
		}
		conn.Close()
	}
}

// wireFaults are answers that break below JSON.
func wireFaults(provider string) []refused {
	good := classified(provider, allowInput)
	head := func(length int) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", length)
	}
	whole := gzipOf(panics{}, strings.NewReader(good))
	bomb := gzipOf(panics{}, io.LimitReader(zeros{}, 8<<20))
	return []refused{
		{"closed before an answer", fault.Unreachable, hijack("", false), false},
		{"reset before an answer", fault.Unreachable, hijack("", true), false},
		{"closed in the headers", fault.Unreachable, hijack("HTTP/1.1 200 OK\r\nConte", false), false},
		{"closed in the body", fault.Unreachable, hijack(head(len(good)+1)+good, false), false},
		{"reset in the body", fault.Unreachable, hijack(head(len(good))+good[:99], true), false},
		{"chunked and cut off", fault.Unreachable,
			hijack("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"", false), false},
		{"not HTTP", fault.Unreachable, hijack("SSH-2.0-OpenSSH_9.6\r\n", false), false},
		{"headers too long", fault.Unreachable,
			hijack("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", headerLimit*2)+"\r\n\r\n", false), false},
		{"endless body", fault.Malformed, endless("application/json"), false},
		{"compression bomb", fault.Malformed, zipped(bomb), false},
		{"compression broken", fault.Malformed, zipped(append(whole[:10:10], bytes.Repeat([]byte{0xff}, 40)...)),
			false},
		{"compression a lie", fault.Malformed, zipped([]byte(good)), false},
		{"compression cut off", fault.Unreachable, zipped(whole[:len(whole)/2]), false},
		{"redirect", fault.NotFound, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, false},
		{"redirect with a decision", fault.NotFound, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			raw(302, good)(w, r)
		}, false},
		{"no answer in time", fault.TimedOut, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, true},
		{"slow headers", fault.TimedOut, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			time.Sleep(700 * time.Millisecond)
			raw(200, good)(w, r)
		}, true},
		{"slow body", fault.TimedOut, trickle(good, 20*time.Millisecond), true},
		{"slow error", fault.TimedOut, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, true},
	}
}

// panics stands in for a test where no test runs yet.
type panics struct{}

func (panics) Fatal(v ...any) { panic(fmt.Sprint(v...)) }

// No failing answer ever yields a classification, each names its cause, and only what passes is tried again, once.
func TestFailures(t *testing.T) {
	for _, provider := range providers() {
		all := append(faults(t, provider), dialectFaults(t, provider)...)
		if len(all) < 30 {
			t.Fatalf("only %d faults", len(all))
		}
		for _, f := range all {
			t.Run(provider+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				var requests, elsewhere atomic.Int32
				url := serve(t, func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					if r.URL.Path == "/elsewhere" {
						elsewhere.Add(1)
					}
					f.handler(w, r)
				})
				timeout := hang.Limit()
				if f.short {
					timeout = 250 * time.Millisecond
				}
				m := newModel(t, provider, url, func(o *Options) { o.Timeout = timeout })
				got, err := m.Classify(context.Background(), prompt)
				checkFailure(t, f.kind, got, err)
				if want := tries(f.kind); requests.Load() != want && !f.short || elsewhere.Load() != 0 {
					t.Errorf("%d requests, want %d; %d of them elsewhere", requests.Load(), want, elsewhere.Load())
				}
			})
		}
	}
}

// tries is how often a question is put that fails like this each time.
func tries(k fault.Kind) int32 {
	switch k {
	case fault.RateLimited, fault.Overloaded, fault.ServerError, fault.Unreachable:
		return 2
	}
	return 1
}

func checkFailure(t *testing.T, kind fault.Kind, got nod.Classification, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("taken for an answer: %+v", got)
	}
	if !reflect.DeepEqual(got, nod.Classification{}) {
		t.Errorf("an answer beside an error: %+v", got)
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != kind {
		t.Errorf("%v\nwant the kind %s", err, kind)
	}
	checkShown(t, err)
}

// What cannot be written as JSON is a failure, and no panic.
func TestARequestThatCannotBeBuilt(t *testing.T) {
	for _, provider := range providers() {
		none := math.NaN()
		m := newModel(t, provider, "http://127.0.0.1:1", func(o *Options) { o.Temperature = &none })
		got, err := m.Classify(context.Background(), prompt)
		checkFailure(t, fault.Internal, got, err)
	}
}

// The caller's deadline counts besides the model's own.
func TestTheContextsDeadlineHolds(t *testing.T) {
	for _, provider := range providers() {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		m := newModel(t, provider, url)
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		got, err := m.Classify(ctx, prompt)
		checkFailure(t, fault.TimedOut, got, err)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v does not wrap the deadline", provider, err)
		}
		gone, cancelNow := context.WithCancel(context.Background())
		cancelNow()
		got, err = m.Classify(gone, prompt)
		checkFailure(t, fault.TimedOut, got, err)
	}
}

func TestVendorsTextIsBoundedAndMasked(t *testing.T) {
	text := strings.Repeat("\u00e9\x1b[31m "+testKey+" ", 500)
	for _, provider := range providers() {
		_, err := newModel(t, provider, serve(t, answering(400, "text/plain", text))).Classify(context.Background(),
			prompt)
		checkShown(t, err)
		if !strings.Contains(err.Error(), "[masked]") || !strings.Contains(err.Error(), `\x1b`) {
			t.Errorf("%v", err)
		}
	}
}

// A good answer that is too long is refused, whether its length crosses the wire or comes out of the decompression.
func TestAnswersAreBounded(t *testing.T) {
	for _, provider := range providers() {
		good := classified(provider, allowInput)
		for size, fits := range map[int]bool{1 << 20: true, 1<<20 + 1: false, 3 << 20: false} {
			body := good + strings.Repeat(" ", size-len(good))
			for name, h := range map[string]http.HandlerFunc{"plain": raw(200, body),
				"zipped": zipped(gzipOf(t, strings.NewReader(body)))} {
				got, err := newModel(t, provider, serve(t, h)).Classify(context.Background(), prompt)
				if fits {
					if err != nil || got.Reason != "r" {
						t.Errorf("%s %s of %d bytes: %v", provider, name, size, err)
					}
					continue
				}
				checkFailure(t, fault.Malformed, got, err)
				if !strings.Contains(err.Error(), "longer than 1 MiB") {
					t.Errorf("%s %s of %d bytes: %v", provider, name, size, err)
				}
			}
		}
	}
}
