package llmtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// classifyTool is the tool that nod forces. It is spelled out here, since the
// server judges what nod sends rather than sharing its constant.
const classifyTool = "classify_result"

// Answer is what goes back for one request: status, headers and body, and how
// the connection behaves meanwhile. The zero value is an empty body with
// status 200.
type Answer struct {
	Status int // 0 means 200
	Header map[string]string
	Body   string
	// Delay passes before the first byte.
	Delay time.Duration
	// Pause passes between bytes of the body, if set.
	Pause time.Duration
	// Break says how the connection ends early.
	Break Break

	verdict *verdict // encoded in the dialect of the request
}

// Break is a way to end a connection early.
type Break uint8

const (
	Whole   Break = iota // it does not
	Refuse               // reset before any byte of an answer
	CutHead              // closed within the headers
	CutBody              // closed after half the body, of which all was announced
	Hang                 // never answered, until the client goes away
)

type verdict struct {
	block  bool
	reason string
}

// Allow is a well-formed classification that lets the call run.
func Allow(reason string) Answer { return Answer{verdict: &verdict{reason: reason}} }

// Block is a well-formed classification that does not.
func Block(reason string) Answer { return Answer{verdict: &verdict{block: true, reason: reason}} }

// Raw is any JSON body under any status.
func Raw(status int, body string) Answer { return Answer{Status: status, Body: body} }

// send writes the answer.
func (a Answer) send(w http.ResponseWriter, r *http.Request) {
	if !sleep(r.Context(), a.Delay) {
		return
	}
	switch a.Break {
	case Hang:
		<-r.Context().Done()
	case Refuse, CutHead, CutBody:
		a.sendBroken(w)
	default:
		a.sendWhole(w, r.Context())
	}
}

func (a Answer) sendWhole(w http.ResponseWriter, ctx context.Context) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("request-id", "req_scripted")
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(a.status())
	if a.Pause == 0 {
		fmt.Fprint(w, a.Body)
		return
	}
	for i := range len(a.Body) {
		fmt.Fprint(w, a.Body[i:i+1])
		http.NewResponseController(w).Flush()
		if !sleep(ctx, a.Pause) {
			return
		}
	}
}

// sendBroken takes the connection over from net/http, which would finish an
// answer properly.
func (a Answer) sendBroken(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // breaks the connection as well
	}
	defer conn.Close()
	switch a.Break {
	case Refuse:
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetLinger(0) // closing then sends a reset
		}
	case CutHead:
		fmt.Fprintf(conn, "HTTP/1.1 %d OK\r\nContent-Type: appli", a.status())
	case CutBody:
		fmt.Fprintf(conn, "HTTP/1.1 %d OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			a.status(), len(a.Body), a.Body[:len(a.Body)/2])
	}
}

func (a Answer) status() int {
	if a.Status == 0 {
		return http.StatusOK
	}
	return a.Status
}

// sleep waits and reports whether the client is still there.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
