// Package web is what nod's pages share: what a browser may do with a page ([Protect]), where a request comes from
// ([Origins]), and how pages look ([Static], [Views]).
package web

import (
	"bytes"
	"cmp"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/nodgate/nod/internal/printable"
)

// What a browser may do with a page of ours, by the page's kind.
const (
	Scripted = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"
	Scriptless = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
		"frame-ancestors 'none'; base-uri 'none'"
)

// Protect tells the browser what a page may do, and to keep nothing.
func Protect(w http.ResponseWriter, policy string) {
	maps.Copy(w.Header(), http.Header{
		"Content-Security-Policy": {policy}, "X-Content-Type-Options": {"nosniff"}, "Referrer-Policy": {"no-referrer"},
		"Cache-Control": {"no-store"}, "Cross-Origin-Resource-Policy": {"same-origin"},
		"Cross-Origin-Opener-Policy": {"same-origin"}, "X-Frame-Options": {"DENY"},
	})
}

// Origins are how a browser may name a page, such as "http://127.0.0.1:7311". There is no other way in.
type Origins []string

// Admits answers a request that does not come from the page itself or from the person, and says whether it does. leads
// says which requests may come by a link on another page.
func (o Origins) Admits(w http.ResponseWriter, r *http.Request, leads func(r *http.Request) bool) bool {
	switch why := o.foreign(r, leads); {
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "only GET and POST", http.StatusMethodNotAllowed)
	case why != "":
		http.Error(w, why, http.StatusForbidden)
	default:
		return true
	}
	return false
}

// foreign says why a request does not come from the page itself, or from the person.
func (o Origins) foreign(r *http.Request, leads func(r *http.Request) bool) string {
	origin, site := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	same := slices.Equal(site, []string{"same-origin"})
	switch {
	case !slices.ContainsFunc(o, func(origin string) bool { return o.Has(origin, r.Host) }):
		return "this page is not served under that name"
	case len(origin) > 1 || len(site) > 1:
		return "a header that stands there twice"
	case len(site) > 0 && !same && site[0] != "none" && !(followed(r) && leads(r)):
		return "another page asked for this"
	case len(origin) > 0 && !o.Has(origin[0], r.Host) && !(origin[0] == "null" && same):
		return "another page asked for this"
	case r.Method == http.MethodPost && len(origin) == 0 && !same:
		return "no browser says which page asked for this"
	}
	return ""
}

// Has reports whether an origin is the one of the page under the host that was asked. A form of a page that names no
// referrer has the origin null.
func (o Origins) Has(origin, host string) bool {
	return slices.ContainsFunc(o, func(o string) bool {
		return strings.EqualFold(o, origin) && strings.HasSuffix(strings.ToLower(o), "://"+strings.ToLower(host))
	})
}

// followed reports whether a request is somebody's following of a link.
func followed(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// Secure reports whether a browser speaks https to the page, whatever stands between.
func (o Origins) Secure(r *http.Request) bool { return o.Has("https://"+r.Host, r.Host) }

// Cookie is a cookie for this host alone. Over https its name says so to the browser.
func (o Origins) Cookie(r *http.Request, name, value string, seconds int, site http.SameSite) *http.Cookie {
	c := &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: site}
	if c.Secure = o.Secure(r); c.Secure {
		c.Name = "__Host-" + name
	}
	return c
}

// Refusal is an answer of one sentence: what is wrong, and what to do next.
type Refusal struct {
	Status int
	Text   string
}

func (e Refusal) Error() string { return e.Text }

// Refuse makes a refusal.
func Refuse(status int, text string) error { return Refusal{status, text} }

// Sentence is an error as a page says it.
func Sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// Form reads the form of a request. Where token is not empty, the form must carry it.
func Form(r *http.Request, token string) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind != "application/x-www-form-urlencoded":
		return Refuse(http.StatusUnsupportedMediaType, "Only forms of this page are read.")
	case r.ParseForm() != nil:
		return Refuse(http.StatusRequestEntityTooLarge, "The form is too long, or came too slowly.")
	case token != "" && !Equal(r.PostForm.Get("form"), token):
		return Refuse(http.StatusForbidden, "That form is of another session. Load the page again.")
	}
	return nil
}

// Equal compares secrets.
func Equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Prefetched reports whether a browser asks ahead: nobody has followed the link yet.
func Prefetched(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch")
}

// Leads shows another page where nothing is wrong.
func Leads(w http.ResponseWriter, r *http.Request, to string, err error) error {
	if err == nil {
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
	return err
}

//go:embed static templates
var files embed.FS

// Static answers with a file that every nod has: one of own's, or one that all pages have. The system's own table of
// types may say anything of a script.
func Static(w http.ResponseWriter, r *http.Request, own fs.FS) {
	kinds := map[string]string{".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
	name := "static/" + r.PathValue("file")
	w.Header().Set("Content-Type", cmp.Or(kinds[path.Ext(name)], "text/plain")+"; charset=utf-8")
	if _, err := fs.Stat(files, name); err == nil {
		own = files
	}
	http.ServeFileFS(w, r, own, name)
}

// Views reads templates, of own and those that all pages have. Every text of others goes through one of line and lines.
func Views(own fs.FS, more template.FuncMap) *template.Template {
	return template.Must(template.Must(template.New("").Funcs(template.FuncMap{
		"line":  func(text string) string { return printable.Line(text, 400) },
		"lines": func(text string) string { return printable.Lines(strings.ReplaceAll(text, "\t", "    ")) },
	}).Funcs(more).ParseFS(files, "templates/*.html")).ParseFS(own, "templates/*.html"))
}

// Show writes a page.
func Show(w http.ResponseWriter, views *template.Template, status int, name string, page any) {
	var text bytes.Buffer
	if err := views.ExecuteTemplate(&text, name+".html", page); err != nil {
		http.Error(w, "this page of nod's is broken; please report it: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// Argument is one of a call's.
type Argument struct{ Name, Text string }

// Arguments are a call's, by name; a text is shown as it is, all else as JSON.
func Arguments(input json.RawMessage) (list []Argument) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		fields = map[string]json.RawMessage{"": input}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var text string
		if json.Unmarshal(fields[name], &text) != nil {
			text = string(fields[name])
		}
		list = append(list, Argument{name, text})
	}
	return list
}

// DiffLine is a line of a unified diff. Kind is "add", "del", "at" or "same".
type DiffLine struct{ Kind, Text string }

// Diff is a unified diff without its head, of at most 2,000 lines.
func Diff(before, after string) (list []DiffLine) {
	text := string(diff.Diff("a", []byte(before), "b", []byte(after)))
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i < 3 || line == "" {
			continue
		}
		if len(list) == 2000 {
			return append(list, DiffLine{"at", "the rest is not shown"})
		}
		kind := map[byte]string{'+': "add", '-': "del", '@': "at", '\\': "at"}[line[0]]
		list = append(list, DiffLine{cmp.Or(kind, "same"), line})
	}
	return list
}
