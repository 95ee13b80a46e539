package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/lines"
)

// dumped is a file of the dump directory. Bodies stand in it as JSON where they are, else as text.
type dumped struct {
	V              int                 `json:"v"`
	ID             string              `json:"id"`
	Digest         string              `json:"digest"`
	Started        time.Time           `json:"started"`
	Milliseconds   int64               `json:"milliseconds"`
	Provider       string              `json:"provider"`
	Request        dumpedHalf          `json:"request"`
	Response       *dumpedHalf         `json:"response,omitempty"`
	Classification *nod.Classification `json:"classification,omitempty"`
	Failure        map[string]string   `json:"failure,omitempty"`
}

type dumpedHalf struct {
	Method string              `json:"method,omitempty"`
	URL    string              `json:"url,omitempty"`
	Status int                 `json:"status,omitempty"`
	Header map[string][]string `json:"header"`
	Body   json.RawMessage     `json:"body,omitempty"`
	Text   string              `json:"text,omitempty"`
}

// dump writes the exchange: one file per decision, its last question winning, whole or not at all.
func (x *exchange) dump(p nod.Prompt, answer nod.Classification, err error, suffix string) error {
	dir := x.client.DumpDir
	if err := checkDumpDir(dir); err != nil {
		return err
	}
	text, err := x.encode(p, answer, err)
	if err != nil { // a price that is no number
		return err
	}
	return lines.Replace(filepath.Join(dir, dumpName(p.ID+suffix+x.client.DumpMark)), text, 0o600, -1)
}

// checkDumpDir refuses a directory that others could read or swap.
func checkDumpDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("dump_dir %s must be an absolute path", quote(dir))
	}
	if _, err := os.Lstat(dir); err != nil { // it is not made: a slip of the pen would be
		return err
	}
	return lines.PrivateDir(dir)
}

// dumpName is a file name for a decision's id, which may hold anything.
func dumpName(id string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	plain := id != "" && len(id) <= 100 && id[0] != '.' && strings.Trim(id, letters) == ""
	if plain {
		return id + ".json"
	}
	sum := sha256.Sum256([]byte(id))
	return "id-" + hex.EncodeToString(sum[:16]) + ".json"
}

func (x *exchange) encode(p nod.Prompt, answer nod.Classification, err error) ([]byte, error) {
	d := dumped{
		V: 1, ID: p.ID, Digest: p.Digest, Started: x.started.UTC(), Milliseconds: time.Since(x.started).Milliseconds(),
		Provider: x.client.provider,
		Request:  x.half(x.requestHeader, x.request),
	}
	d.Request.Method, d.Request.URL = http.MethodPost, x.url
	if x.status != 0 {
		half := x.half(x.responseHeader, x.response)
		half.Status = x.status
		d.Response = &half
	}
	if f := fault.Of(err); f != nil {
		d.Failure = map[string]string{"kind": string(f.Kind), "message": f.Error()}
	} else {
		d.Classification = &answer
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(d)
	return []byte(x.client.mask(out.String())), err
}

func (x *exchange) half(header http.Header, body []byte) dumpedHalf {
	h := dumpedHalf{Header: map[string][]string{}}
	for name, values := range header {
		h.Header[name] = values
		if !isPlainHeader(name) {
			h.Header[name] = []string{"[masked]"}
		}
	}
	if json.Valid(body) {
		h.Body = body
	} else {
		h.Text = string(body)
	}
	return h
}

// isPlainHeader names what is written down as it is. All other values are masked: a gateway's may be secrets.
func isPlainHeader(name string) bool {
	plain := []string{"Accept", "Content-Type", "Content-Length", "User-Agent", "Date", "Anthropic-Version",
		"Request-Id", "X-Request-Id", "Retry-After", "Openai-Processing-Ms", "Openai-Version"}
	return slices.Contains(plain, name) || strings.HasPrefix(name, "X-Stainless-") ||
		strings.HasPrefix(name, "Anthropic-Ratelimit-") || strings.HasPrefix(name, "X-Ratelimit-")
}
