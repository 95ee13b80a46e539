package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// layer is one file, read.
type layer struct {
	source Source
	real   string // the file's real path
	lists  [listCount]listed
	added  [listCount][]Item // what only adds: of the scopes that hold here, and of Claude Code's settings

	modeLine  int // 0 where the file does not say
	confine   Confine
	roots     []string
	model     bool // it says which model is asked
	fallbacks []Target
	prices    []Price
	scopes    []scoped
	sequences []Sequence
	broad     []NotHeld // rules of allow that were left out, and why
}

// settingsText is a managed or user file as it is decoded.
type settingsText struct {
	scalars
	listTexts
	Roots      []string    `toml:"workspace_roots"`
	Confine    string      `toml:"confine"`
	Fallback   []Target    `toml:"fallback"`
	Price      []Price     `toml:"price"`
	Repository []scopeText `toml:"repository"`
	Sequence   []Sequence  `toml:"sequence"`
}

// scalars are the keys that are taken from the highest file that has the key.
type scalars struct {
	Mode        string    `toml:"mode"`
	Profile     string    `toml:"profile"`
	Unknown     string    `toml:"unknown"`
	ClaudeRules string    `toml:"claude_rules"`
	Approvals   string    `toml:"approvals"`
	Model       modelText `toml:"model"`
	Log         logText   `toml:"log"`
	Questions   askText   `toml:"questions"`

	Team TeamSettings `toml:"team"`

	held map[string]string // what managed texts said of [scalars.words]
}

type askText struct {
	QuestionSettings
	Limit string `toml:"wait"`
}

type modelText struct {
	ModelSettings
	Limit         string `toml:"timeout"`
	OnBlock       string `toml:"on_block"`
	OnUnavailable string `toml:"on_unavailable"`
}

type logText struct {
	OnFailure string `toml:"on_failure"`
	DumpDir   string `toml:"dump_dir"`
}

// standard is what holds where no file says otherwise. The time is for all stages together.
func standard() scalars {
	return scalars{Mode: "enforce", Unknown: "host", ClaudeRules: string(ClaudeTighten), Approvals: "on",
		Model: modelText{ModelSettings{Profile: "ledger"}, "30s", "deny", "ask"},
		Log:   logText{OnFailure: "continue"}, Questions: askText{Limit: "5m"}, Team: TeamSettings{Inputs: true}}
}

// readLayer reads the text of a managed or user file, over what the files below it say. The error is a *problem.
func readLayer(p Places, source Source, text []byte, below *scalars) (layer, error) {
	t := settingsText{scalars: *below}
	headers := t.Model.Headers
	t.Model.Headers = nil
	doc, err := decode(text, &t)
	if err != nil {
		return layer{}, err
	}
	r := &reader{places: p, doc: doc, layer: layer{source: source}}
	r.scalars(&t.scalars)
	for name, value := range headers {
		if _, set := t.Model.Headers[name]; !set {
			t.Model.Headers = with(t.Model.Headers, name, value)
		}
	}
	r.rest(&t)
	r.hold(&t.scalars)
	if r.err == nil {
		*below = t.scalars
	}
	return r.layer, r.err
}

// reader checks what a file says. It keeps the first problem that it meets.
type reader struct {
	places Places
	doc    *document
	layer  layer
	err    error
}

func (r *reader) fail(path, format string, args ...any) {
	if r.err == nil {
		r.err = problemf(r.doc.at(path), format, args...)
	}
}

func (r *reader) oneOf(path, value string, words ...string) {
	if !slices.Contains(words, value) {
		r.fail(path, "%s cannot be %q; write one of %q", lastName(path), value, words)
	}
}

func (r *reader) scalars(s *scalars) {
	r.oneOf("mode", s.Mode, modes()...)
	r.oneOf("profile", s.Profile, "", string(Replace), string(Reinforce))
	r.oneOf("unknown", s.Unknown, "host", "ask")
	r.oneOf("claude_rules", s.ClaudeRules, string(ClaudeTighten), string(ClaudeOff))
	r.oneOf("approvals", s.Approvals, "on", "off")
	r.oneOf("log.on_failure", s.Log.OnFailure, "continue", "block")
	r.file("log.dump_dir", &s.Log.DumpDir)
	r.model(&s.Model)
	r.questions(&s.Questions)
	r.layer.model = r.doc.has("model.provider")
	if r.doc.has("mode") {
		r.layer.modeLine = r.doc.at("mode").line
	}
}

const (
	maxMaxTokens = 32768
	// maxTimeout is for a whole decision: a person waits before the screen.
	maxTimeout = 45 * time.Second
	// maxWait leaves the model and the hook their time inside the 600 s that nod install gives the host.
	maxWait = 9 * time.Minute
	// maxDollars bounds a ceiling: more is a slip of the pen.
	maxDollars = 10_000
)

func (r *reader) model(m *modelText) {
	r.target("model", &m.Target)
	if d, err := time.ParseDuration(m.Limit); err != nil || d < time.Millisecond || d > maxTimeout {
		r.fail("model.timeout", `timeout cannot be %q; write a duration up to "45s", such as "20s"`, m.Limit)
	}
	r.number("model.max_tokens", m.MaxTokens, 1, maxMaxTokens)
	r.number("model.stages", m.Stages, 1, 2)
	r.ceiling("model.max_cost_session", m.MaxCostSession)
	r.ceiling("model.max_cost_day", m.MaxCostDay)
	r.address("model.proxy", m.Proxy, "http", "https", "socks5")
	r.file("model.ca_file", &m.CAFile)
	r.oneOf("model.on_block", m.OnBlock, "deny", "ask")
	r.oneOf("model.on_unavailable", m.OnUnavailable, "ask", "deny")
	r.oneOf("model.profile", m.Profile, "ledger", "seed")
}

func (r *reader) questions(q *askText) {
	if d, err := time.ParseDuration(q.Limit); err != nil || d < 0 || d > maxWait {
		r.fail("questions.wait", `wait cannot be %q; write a duration up to "9m", such as "2m", or "0s"`, q.Limit)
	}
	if len(q.Notify) > 0 && !isAbs(q.Notify[0]) {
		r.fail("questions.notify", "notify starts %q; write the program's whole path, such as \"/bin/sh\"", q.Notify[0])
	}
	r.address("questions.page", q.Page, "http", "https")
}

func (r *reader) target(table string, t *Target) {
	r.oneOf(table+".provider", t.Provider,
		"", "anthropic", "openai", "gemini", "compatible", "bedrock", "vertex", "azure")
	r.address(table+".endpoint", t.Endpoint, "https", "http")
	r.file(table+".key_file", &t.KeyFile)
	r.oneOf(table+".channel", t.Channel, "", "tool", "auto", "schema")
	r.oneOf(table+".effort", t.Effort, "", "none", "minimal", "low", "medium", "high", "xhigh", "max")
	r.oneOf(table+".thinking", t.Thinking, "", "off", "adaptive")
	if t.Temperature != nil && !(*t.Temperature >= 0 && *t.Temperature <= 2) {
		r.fail(table+".temperature", "temperature is a number from 0 to 2")
	}
	t.Headers = r.headers(table+".headers", t.Headers)
}

func (r *reader) headers(table string, said map[string]string) (headers map[string]string) {
	for name, value := range said {
		lower := strings.ToLower(name)
		if err := checkHeader(name); err != nil {
			r.fail(table, "headers: %v", err)
		}
		if _, twice := headers[lower]; twice {
			r.fail(table, "headers: %s is set twice, in different case; keep one", lower)
		}
		headers = with(headers, lower, value)
	}
	return headers
}

func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

func (r *reader) number(path string, n, low, high int) {
	if n != 0 && (n < low || n > high) {
		r.fail(path, "%s is %d; write a number from %d to %d", lastName(path), n, low, high)
	}
}

func (r *reader) ceiling(path string, dollars float64) {
	if !(dollars >= 0 && dollars <= maxDollars) {
		r.fail(path, "%s is %v; write US dollars from 0 (no ceiling) to %d", lastName(path), dollars, maxDollars)
	}
}

func (r *reader) file(path string, name *string) {
	if *name == "" {
		return
	}
	full, err := r.places.expand(*name)
	if err != nil {
		r.fail(path, "%s: %v", lastName(path), err)
	}
	*name = full
}

func (r *reader) address(path, address string, schemes ...string) {
	if err := checkAddress(address, schemes); address != "" && err != nil {
		r.fail(path, "%s: %v", lastName(path), err)
	}
}

// rest checks what each file has for itself.
func (r *reader) rest(t *settingsText) {
	for _, table := range []string{"fallback", "price", "repository", "sequence"} {
		if r.doc.has(table) && !r.doc.has(table+".0") {
			r.fail(table, "%s is a list of tables; write [[%[1]s]] and its keys below it", table)
		}
	}
	for i := range listCount {
		r.layer.lists[i] = r.list(i, "", &t.listTexts)
	}
	r.confine(t.Confine)
	for i, name := range t.Roots {
		if root, ok := r.directory(fmt.Sprintf("workspace_roots.%d", i), "workspace_roots", name); ok {
			r.layer.roots = append(r.layer.roots, root)
		}
	}
	for i := range t.Fallback {
		r.fallback(i, t.Fallback[i])
	}
	for i := range t.Price {
		r.price(i, t.Price[i])
	}
	for i := range t.Repository {
		r.repository(i, t.Repository[i])
	}
	for i := range t.Sequence {
		r.sequence(i, t.Sequence[i])
	}
}

// directory resolves a name to a real directory that may be a workspace root.
func (r *reader) directory(path, key, name string) (real string, ok bool) {
	real, err := r.places.expand(name)
	if err == nil {
		real, err = r.places.usableRoot(real)
	}
	if err != nil {
		r.fail(path, "%s: %v", key, err)
	}
	return real, err == nil
}

// list checks the entries of a list, at the top or in the table with that prefix.
func (r *reader) list(i int, prefix string, texts *listTexts) listed {
	l := lists()[i]
	got := listed{present: texts.all()[i] != nil}
	for n, text := range texts.all()[i] {
		path := fmt.Sprintf("%s%s.%d", prefix, l.name, n)
		item, err := newItem(l, onOneLine(text), r.layer.source, r.doc.at(path).line)
		switch {
		case i == listAllow && nod.IsBroad(err): // without it nod only asks more
			r.layer.broad = append(r.layer.broad, NotHeld{List: l.name, Text: item.Text,
				Origin: item.Origin, Why: "left out: " + err.Error()})
		case err != nil:
			r.fail(path, "%s: %v", l.name, err)
		default:
			got.items = append(got.items, item)
		}
	}
	return got
}

// fallbackLimit bounds how many models one call may wait for.
const fallbackLimit = 4

func (r *reader) fallback(i int, t Target) {
	path := fmt.Sprintf("fallback.%d", i)
	r.target(path, &t)
	switch {
	case t.Provider == "":
		r.fail(path, "a fallback needs a provider; add it")
	case i == fallbackLimit:
		r.fail(path, "more than %d fallbacks; a call would wait too long for them", fallbackLimit)
	}
	r.layer.fallbacks = append(r.layer.fallbacks, t)
}

// maxPrice bounds what a million tokens cost.
const maxPrice = 1e6

func (r *reader) price(i int, p Price) {
	path := fmt.Sprintf("price.%d", i)
	for _, d := range []struct {
		key     string
		dollars float64
	}{{"in", p.In}, {"out", p.Out}, {"cached", p.Cached}} {
		if !(d.dollars >= 0 && d.dollars <= maxPrice) {
			r.fail(path+"."+d.key, "%s is %v; write US dollars for a million tokens, such as 1.5", d.key, d.dollars)
		}
	}
	if !r.doc.has(path + ".cached") {
		p.Cached = p.In
	}
	switch {
	case p.Model == "" || !r.doc.has(path+".in") || !r.doc.has(path+".out"):
		r.fail(path, "a price needs model, in and out; add what is missing")
	case slices.ContainsFunc(r.layer.prices, func(o Price) bool { return o.Model == p.Model }):
		r.fail(path, "the price of %q is set twice; keep one", p.Model)
	}
	r.layer.prices = append(r.layer.prices, p)
}

// expand makes a name in a settings file absolute and clean.
func (p Places) expand(name string) (string, error) {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		if !path.IsAbs(p.Home) {
			return "", fmt.Errorf("%q: the home directory is not known; write an absolute name", name)
		}
		return path.Join(p.Home, name[1:]), nil
	case isAbs(name):
		return path.Clean(name), nil
	}
	return "", fmt.Errorf("%q is relative, and to nothing in particular; start it with / or ~/", name)
}

// usableRoot resolves a workspace root, and refuses those that hold everything.
func (p Places) usableRoot(root string) (string, error) {
	real, err := view.Resolve(p.Files, root)
	if err != nil {
		return "", fmt.Errorf("%q cannot be followed (%v); correct it", root, err)
	}
	if real == "/" {
		return "", fmt.Errorf("/ is no workspace; name a project's directory")
	}
	home, err := view.Resolve(p.Files, p.Home)
	if path.IsAbs(p.Home) && (err != nil || view.Within(p.Files, real, home)) {
		return "", fmt.Errorf("%q holds the home directory and is no workspace; name a project's directory", root)
	}
	return real, nil
}

// workspaceRoot is the real path of Root, "" where that is no workspace.
func (p Places) workspaceRoot() string {
	if p.Root == "" {
		return ""
	}
	real, err := p.usableRoot(p.Root)
	if err != nil {
		return ""
	}
	return real
}

// checkAddress refuses what does not begin as an address does. Package llm looks at the rest, and refuses to send a
// key in the clear: what reads addresses would cost every start of the hook.
func checkAddress(s string, schemes []string) error {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || rest == "" || !slices.Contains(schemes, scheme) {
		return fmt.Errorf("%q is no address; write %s://HOST", s, strings.Join(schemes, ":// or "))
	}
	return nil
}

// checkHeader refuses what is not a header name, and headers that carry a key: settings get copied.
func checkHeader(name string) error {
	if strings.Trim(name, wordBytes+"-") != "" {
		return fmt.Errorf("%q is no header name; use letters, digits and -", name)
	}
	switch strings.ToLower(name) {
	case "":
		return fmt.Errorf("a header without a name; remove it")
	case "authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie":
		return fmt.Errorf("%s would hold a key in the settings; use key_file", name)
	}
	return nil
}

// lowerBytes and wordBytes are what names are made of.
const (
	lowerBytes = "abcdefghijklmnopqrstuvwxyz0123456789_"
	wordBytes  = lowerBytes + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// checkHost accepts a host name or address, or "*." and a name of two labels at least.
func checkHost(host string) error {
	if strings.Count(host, ":") >= 2 && strings.Trim(strings.ToLower(host), "0123456789abcdef:.") == "" {
		return nil // generous: a text that only looks like an IPv6 address reaches nothing
	}
	name, wild := strings.CutPrefix(host, "*.")
	if wild && !strings.Contains(name, ".") {
		return fmt.Errorf("%q covers too much; write *.example.com", host)
	}
	for label := range strings.SplitSeq(name, ".") {
		if strings.Trim(label, wordBytes+"-") != "" || label == "" || len(label) > 63 || label[0] == '-' ||
			label[len(label)-1] == '-' {
			return fmt.Errorf("%q is no host; write a name such as pkg.go.dev, without scheme, port or path", host)
		}
	}
	return nil
}

// checkTool accepts a canonical tool name. MCP tools are not among them.
func checkTool(name string) error {
	if strings.HasPrefix(name, "mcp__") {
		return fmt.Errorf("%q is a tool of an MCP server, which stands as a rule: allow = [%q]", name, name)
	}
	switch {
	case strings.Trim(name, lowerBytes) != "":
		return fmt.Errorf("%q is no canonical tool name, such as read_file", name)
	case name == "":
		return fmt.Errorf("an empty tool name; remove it")
	}
	return nil
}

func checkPathPattern(pattern string) error {
	rest := strings.TrimPrefix(pattern, "!")
	if rest != "~" {
		rest = strings.TrimPrefix(rest, "~/")
	}
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("%q: unbalanced [ or a trailing \\; correct it", pattern)
		}
		switch part {
		case "":
			return fmt.Errorf("%q names nothing; write a name, ~/name or /name", pattern)
		case ".", "..", "**", "~":
			return fmt.Errorf("%q: %s is not supported here; a name matches at any depth, with all below it", pattern,
				part)
		}
	}
	return nil
}
