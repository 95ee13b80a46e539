//go:build unix

package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/system"
	"github.com/nodgate/nod/internal/testworld"
)

// TestMain is the load process, too: load ADDRESS CONNECTIONS REQUESTS, with the request on standard input. And it is a
// server: serve FLAGS.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		p := Process{Environ: testworld.Environ("/"), Stdout: os.Stdout, Stderr: os.Stderr}
		os.Exit(Main(context.Background(), p, os.Args[1:]))
	}
	if len(os.Args) == 5 && os.Args[1] == "load" {
		connections, _ := strconv.Atoi(os.Args[3])
		requests, _ := strconv.Atoi(os.Args[4])
		load(os.Args[2], connections, requests)
		return
	}
	os.Exit(m.Run())
}

// loaded is what the load process saw.
type loaded struct {
	Seconds       float64
	P50, P99, Max time.Duration
}

// load sends one request again and again over connections that stay open.
func load(address string, connections, requests int) {
	request, _ := io.ReadAll(os.Stdin)
	var left atomic.Int64
	left.Store(int64(requests))
	all, begun := make([][]time.Duration, connections), time.Now()
	var done sync.WaitGroup
	for i := range connections {
		done.Go(func() {
			c, err := net.Dial("tcp", address)
			in := bufio.NewReader(c)
			for err == nil && left.Add(-1) >= 0 {
				start := time.Now()
				if _, err = c.Write(request); err == nil {
					err = takeAnswer(in)
				}
				all[i] = append(all[i], time.Since(start))
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		})
	}
	done.Wait()
	took, times := time.Since(begun), slices.Concat(all...)
	slices.Sort(times)
	_ = json.NewEncoder(os.Stdout).Encode(loaded{took.Seconds(), times[len(times)/2], times[len(times)*99/100],
		times[len(times)-1]})
}

// takeAnswer reads an answer with little work, so that the load takes little from the server.
func takeAnswer(in *bufio.Reader) error {
	length := 0
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")):
			return fmt.Errorf("%s", line)
		case len(line) == 2:
			_, err = in.Discard(length)
			return err
		}
		if value, is := bytes.CutPrefix(line, []byte("Content-Length: ")); is {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
	}
}

// BenchmarkCheck loads a server from another process, over connections that stay open:
//
//	go test ./internal/server -run '^$' -bench Check -benchtime 20000x -cpuprofile cpu.out
//
// server-us/check is the processor's time that this process takes, which the load of the machine changes little.
func BenchmarkCheck(b *testing.B) {
	w := newWorld(b, func(_ *world, o *Options) {
		o.Rate = 1e9
		o.Files = testworld.Disk()
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	tune()
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- w.Serve(ctx, l, "", "") }()
	defer func() { stop(); <-ended }()
	deny := w.call("bash", `{"command":"git push --force"}`)
	for _, c := range []struct{ name, path, body, want string }{
		{"health", "/healthz", "", `"ok"`},
		{"guard", "/v1/check", deny, `"guard"`},
		{"allowlist", "/v1/check", w.call("read_file", `{"file_path":"`+w.shop+`/main.go"}`), `"allowlist"`},
		{"edit", "/v1/check", w.call("file_write", `{"file_path":"`+w.shop+`/new.go","content":"x"}`), `"edit"`},
		{"shell", "/v1/check", w.call("bash", `{"command":"git status && ls -l"}`), `"shell"`},
		{"batch of 100", "/v1/check/batch", `{"calls":[` + strings.Repeat(deny+",", 99) + deny + `]}`, `"guard"`},
	} {
		for _, connections := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/%d", c.name, connections), func(b *testing.B) {
				each, requests := 1.0, b.N
				if c.path == "/v1/check/batch" {
					each, requests = 100, max(b.N/100, 1)
				}
				method := map[bool]string{true: "POST", false: "GET"}[c.body != ""]
				if r, said := w.ask(method, c.path, c.body); r.StatusCode != 200 || !strings.Contains(said, c.want) {
					b.Fatalf("%d %s", r.StatusCode, said)
				}
				text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
					"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
					method, c.path, w.token, len(c.body), c.body)
				program, _ := os.Executable()
				child := exec.Command(program, "load", l.Addr().String(), strconv.Itoa(connections),
					strconv.Itoa(requests))
				child.Stdin, child.Stderr = strings.NewReader(text), os.Stderr
				before := system.Processor()
				out, err := child.Output()
				used := system.Processor() - before
				var got loaded
				if err != nil || json.Unmarshal(out, &got) != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(requests)*each/got.Seconds, "checks/s")
				b.ReportMetric(float64(got.P50.Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(got.P99.Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(used.Microseconds())/float64(requests)/each, "server-us/check")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
