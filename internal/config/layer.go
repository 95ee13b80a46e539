package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nodgate/nod"
	"github.com/pelletier/go-toml/v2/unstable"
)

// defaultsMark stands for the built-in list.
const defaultsMark = "$defaults"

// The lists, in the order in which they are shown.
const (
	listAllow = iota
	listSoftDeny
	listHardDeny
	listAsk
	listEnvironment
	listHosts
	listAllowlist
	listSecrets
	listGuarded
	listCount
)

func listNames() [listCount]string {
	return [listCount]string{"allow", "soft_deny", "hard_deny", "ask", "environment", "hosts", "allowlist",
		"secrets", "guarded"}
}

// listed is one key that holds a list.
type listed struct {
	present bool
	items   []Item // Text may be defaultsMark
}

// layer is one file, read. A nil pointer is a key that is not there.
type layer struct {
	source Source
	real   string // the file's real path
	lists  [listCount]listed

	mode     *Mode
	modeLine int
	profile  *string
	unknown  *string
	claude   *string
	approved *string
	confined *confined
	roots    []string

	target
	proxy, caFile, transcript *string
	stages                    *int
	fallbacks                 []target

	maxCostSession, maxCostDay *float64
	onBlock, onUnavailable     *string

	timeout   *time.Duration
	maxTokens *int
	headers   []header
	onFailure *OnFailure
	dumpDir   *string
	prices    []Price

	scopes []scoped
	broad  []NotHeld         // rules of allow that were left out, and why
	added  [listCount][]Item // of the scopes that hold here
}

type header struct{ name, value string }

// target is which model is asked, and where: [model], or one [[fallback]].
type target struct {
	provider, name, endpoint, keyFile, region, project, apiVersion, channel *string
	effort, thinking                                                        *string
	temperature                                                             *float64
	headers                                                                 []header // of a fallback
}

// reader turns a tree into a layer. It keeps the first problem it meets and
// then does nothing more.
type reader struct {
	places Places
	layer  *layer
	err    error
	// leaves says that a broad rule is left out with a notice, and no fault.
	leaves bool
}

// readLayer reads the text of a managed or user file. The error is a *problem.
func readLayer(p Places, source Source, text []byte) (layer, error) {
	doc, err := parseDocument(text)
	if err != nil {
		return layer{}, err
	}
	l := layer{source: source}
	r := &reader{places: p, layer: &l, leaves: true}
	for _, n := range doc.root.children {
		r.top(n)
	}
	return l, r.err
}

func (r *reader) fail(at position, format string, args ...any) {
	if r.err == nil {
		r.err = problemf(at, format, args...)
	}
}

func topKeys() []string {
	names := listNames()
	return append([]string{"mode", "profile", "unknown", "claude_rules", "approvals", "confine", "workspace_roots",
		"model",
		"fallback", "log", "price", "repository"}, names[:]...)
}

func (r *reader) top(n *node) {
	l := r.layer
	switch n.key {
	case "mode":
		r.mode(n)
	case "profile":
		if n.text == "seed" || n.text == "ledger" {
			r.fail(n.valueAt, "profile %q is what a model is shown; put it below [model]", n.text)
			return
		}
		l.profile = r.oneOf(n, "", "replace", "reinforce")
	case "unknown":
		l.unknown = r.oneOf(n, "host", "ask")
	case "claude_rules":
		l.claude = r.oneOf(n, string(ClaudeTighten), string(ClaudeAll), string(ClaudeOff))
	case "approvals":
		l.approved = r.oneOf(n, "on", "off")
	case "confine":
		r.confined(n)
	case "workspace_roots":
		r.workspaceRoots(n)
	case "model":
		r.table(n, r.model)
	case "fallback":
		r.fallbacks(n)
	case "log":
		r.table(n, r.log)
	case "price":
		r.prices(n)
	case "repository":
		r.repositories(n)
	default:
		names := listNames()
		if i := slices.Index(names[:], n.key); i >= 0 {
			l.lists[i] = r.list(i, n)
			return
		}
		r.unknown(n, "", topKeys())
	}
}

func targetKeys() []string {
	return []string{"provider", "name", "endpoint", "key_file", "region", "project", "api_version", "channel",
		"effort", "thinking", "temperature"}
}

func modelKeys() []string {
	return append(targetKeys(), "timeout", "max_tokens", "proxy", "ca_file", "headers", "profile", "transcript",
		"stages", "max_cost_session", "max_cost_day", "on_block", "on_unavailable")
}

func (r *reader) model(n *node) {
	l := r.layer
	switch n.key {
	case "timeout":
		l.timeout = r.duration(n)
	case "max_tokens":
		l.maxTokens = r.integer(n, 1, 32768)
	case "proxy":
		l.proxy = r.address(n, "http", "https", "socks5")
	case "ca_file":
		l.caFile = r.file(n)
	case "headers":
		r.table(n, r.header)
	case "profile":
		if l.transcript = r.oneOf(n, "ledger", "seed"); l.transcript != nil && *l.transcript == "seed" {
			shown := last20
			l.transcript = &shown
		}
	case "transcript": // the older spelling
		l.transcript = r.oneOf(n, "ledger", last20)
	case "stages":
		l.stages = r.integer(n, 1, 2)
	case "max_cost_session":
		l.maxCostSession = r.ceiling(n)
	case "max_cost_day":
		l.maxCostDay = r.ceiling(n)
	case "on_block":
		l.onBlock = r.oneOf(n, "deny", "ask")
	case "on_unavailable":
		l.onUnavailable = r.oneOf(n, "ask", "deny")
	default:
		if !r.target(n, &l.target) {
			r.unknown(n, "model", modelKeys())
		}
	}
}

// target reads a key that says which model is asked.
func (r *reader) target(n *node, t *target) (known bool) {
	switch n.key {
	case "provider":
		t.provider = r.oneOf(n,
			"", "anthropic", "openai", "gemini", "compatible", "bedrock", "vertex", "azure")
	case "name":
		t.name = r.str(n)
	case "endpoint":
		t.endpoint = r.address(n, "https", "http")
	case "key_file":
		t.keyFile = r.file(n)
	case "region":
		t.region = r.str(n)
	case "project":
		t.project = r.str(n)
	case "api_version":
		t.apiVersion = r.str(n)
	case "channel":
		t.channel = r.oneOf(n, "", "tool", "auto", "schema", "lines")
	case "effort":
		t.effort = r.oneOf(n, "", "none", "minimal", "low", "medium", "high", "xhigh", "max")
	case "thinking":
		t.thinking = r.oneOf(n, "", "off", "adaptive")
	case "temperature":
		t.temperature = r.temperature(n)
	default:
		return false
	}
	return true
}

// fallbackLimit bounds how many models one call may wait for.
const fallbackLimit = 4

func (r *reader) fallbacks(n *node) {
	if n.form != isTables {
		r.fail(n.valueAt, "fallback is a list of tables; write [[fallback]] and its keys below it")
		return
	}
	for _, item := range n.items {
		var t target
		for _, c := range item.children {
			switch {
			case c.key == "headers": // a gateway's are for that gateway alone
				before := r.layer.headers
				r.layer.headers = nil
				r.table(c, r.header)
				t.headers, r.layer.headers = r.layer.headers, before
			case !r.target(c, &t):
				r.unknown(c, "fallback", append(targetKeys(), "headers"))
			}
		}
		switch {
		case r.err != nil:
			return
		case t.provider == nil || *t.provider == "":
			r.fail(item.at, "a fallback needs a provider; add it")
		case len(r.layer.fallbacks) == fallbackLimit:
			r.fail(item.at, "more than %d fallbacks; a call would wait too long for them", fallbackLimit)
		}
		r.layer.fallbacks = append(r.layer.fallbacks, t)
	}
}

func logKeys() []string { return []string{"on_failure", "dump_dir"} }

func (r *reader) log(n *node) {
	switch n.key {
	case "on_failure":
		if s := r.oneOf(n, "continue", "block"); s != nil {
			policy := Block
			if *s == "continue" {
				policy = Continue
			}
			r.layer.onFailure = &policy
		}
	case "dump_dir":
		r.layer.dumpDir = r.file(n)
	default:
		r.unknown(n, "log", logKeys())
	}
}

func (r *reader) mode(n *node) {
	s := r.oneOf(n, "enforce", "observe", "off")
	if s == nil {
		return
	}
	m, _ := ParseMode(*s)
	r.layer.mode, r.layer.modeLine = &m, n.at.line
}

// table reads each key of n.
func (r *reader) table(n *node, key func(*node)) {
	if n.form != isTable {
		r.fail(n.valueAt, "%s is a table; write [%s] and its keys below it", n.key, n.key)
		return
	}
	for _, c := range n.children {
		key(c)
	}
}

// unknown reports a key that does not exist, with the one that was meant.
func (r *reader) unknown(n *node, table string, keys []string) {
	what := fmt.Sprintf("%q is not a key", n.key)
	if table != "" {
		what = fmt.Sprintf("%q is not a key of [%s]", n.key, table)
	}
	r.fail(n.at, "%s; %s", what, suggestion(n.key, table, keys))
}

func suggestion(key, table string, keys []string) string {
	switch {
	case strings.Contains(strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key)), "readonly"):
		return `no agent tells nod the annotations of an MCP tool (readOnlyHint), so no setting can go by them; name the tools: allow = ["mcp__SERVER__get_*"]`
	case table != "" && slices.Contains(topKeys(), key):
		return fmt.Sprintf("put %s at the top of the file, before the first [table]", key)
	case table != "model" && slices.Contains(modelKeys(), key):
		return fmt.Sprintf("put %s below [model]", key)
	case table != "log" && slices.Contains(logKeys(), key):
		return fmt.Sprintf("put %s below [log]", key)
	}
	if near, ok := Nearest(key, keys); ok {
		return fmt.Sprintf("did you mean %s?", near)
	}
	slices.Sort(keys)
	return "the keys are " + strings.Join(keys, ", ")
}

// str reads a string without control characters.
func (r *reader) str(n *node) *string {
	if n.form != isValue || n.kind != unstable.String {
		r.fail(n.valueAt, "%s needs a string; put it in quotes", n.key)
		return nil
	}
	if i := strings.IndexFunc(n.text, unicode.IsControl); i >= 0 {
		r.fail(n.valueAt, "%s holds a control character (%U); remove it", n.key, []rune(n.text[i:])[0])
		return nil
	}
	return &n.text
}

func (r *reader) oneOf(n *node, words ...string) *string {
	s := r.str(n)
	if s == nil || slices.Contains(words, *s) {
		return s
	}
	r.fail(n.valueAt, "%s cannot be %q; write %s", n.key, *s, quoted(words))
	return nil
}

// quoted lists words for a message: "a", "b" or "c".
func quoted(words []string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(w))
	}
	return b.String()
}

func (r *reader) integer(n *node, low, high int64) *int {
	if n.form != isValue || n.kind != unstable.Integer {
		r.fail(n.valueAt, "%s needs a whole number", n.key)
		return nil
	}
	v, err := strconv.ParseInt(n.text, 0, 64)
	if err != nil || v < low || v > high {
		r.fail(n.valueAt, "%s is %s; write a number from %d to %d", n.key, n.text, low, high)
		return nil
	}
	i := int(v)
	return &i
}

// maxTimeout leaves the hook its own few seconds inside the 60 that nod
// install gives the host.
const maxTimeout = 45 * time.Second

func (r *reader) duration(n *node) *time.Duration {
	if n.form != isValue || n.kind != unstable.String {
		r.fail(n.valueAt, `%s needs a duration in quotes, such as "20s"`, n.key)
		return nil
	}
	d, err := time.ParseDuration(n.text)
	if err != nil || d < time.Millisecond || d > maxTimeout {
		r.fail(n.valueAt, `%s cannot be %q; write a duration up to "45s", such as "20s"`, n.key, n.text)
		return nil
	}
	return &d
}

// maxDollars bounds a ceiling: more is a slip of the pen.
const maxDollars = 10_000

// ceiling reads an amount; 0 is no ceiling.
func (r *reader) ceiling(n *node) *float64 {
	if n.form != isValue || n.kind != unstable.Integer && n.kind != unstable.Float {
		r.fail(n.valueAt, "%s needs an amount of US dollars, such as 1.50", n.key)
		return nil
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	if err != nil || !(v >= 0 && v <= maxDollars) {
		r.fail(n.valueAt, "%s is %s; write US dollars from 0 (no ceiling) to %d", n.key, n.text, maxDollars)
		return nil
	}
	return &v
}

// temperature reads a number from 0 to 2.
func (r *reader) temperature(n *node) *float64 {
	if v, err := strconv.ParseFloat(n.text, 64); err == nil && v >= 0 && v <= 2 {
		return &v
	}
	r.fail(n.valueAt, "temperature is a number from 0 to 2")
	return nil
}

// file reads the name of a file, "~/" expanded; "" is none.
func (r *reader) file(n *node) *string {
	s := r.str(n)
	if s == nil || *s == "" {
		return s
	}
	name, err := r.places.expand(*s)
	if err != nil {
		r.fail(n.valueAt, "%s: %v", n.key, err)
		return nil
	}
	return &name
}

func (r *reader) address(n *node, schemes ...string) *string {
	s := r.str(n)
	if s == nil || *s == "" {
		return s
	}
	if err := checkAddress(*s, schemes); err != nil {
		r.fail(n.valueAt, "%s: %v", n.key, err)
		return nil
	}
	return s
}

func (r *reader) header(n *node) {
	s := r.str(n)
	if s == nil {
		return
	}
	if err := checkHeader(n.key); err != nil {
		r.fail(n.at, "headers: %v", err)
		return
	}
	h := header{strings.ToLower(n.key), *s}
	for _, o := range r.layer.headers {
		if o.name == h.name {
			r.fail(n.at, "header %s is set twice, in different case; keep one", h.name)
			return
		}
	}
	r.layer.headers = append(r.layer.headers, h)
}

func (r *reader) workspaceRoots(n *node) {
	for _, item := range r.elements(n) {
		s := r.str(item)
		if s == nil {
			return
		}
		root, err := r.places.expand(*s)
		if err == nil {
			root, err = r.places.usableRoot(root)
		}
		if err != nil {
			r.fail(item.valueAt, "workspace_roots: %v", err)
			return
		}
		r.layer.roots = append(r.layer.roots, root)
	}
}

// elements returns the elements of a list.
func (r *reader) elements(n *node) []*node {
	if n.form != isList {
		r.fail(n.valueAt, "%s needs a list; write %s = [\"...\"]", n.key, n.key)
		return nil
	}
	return n.items
}

func (r *reader) list(i int, n *node) listed {
	got := listed{present: true}
	for _, element := range r.elements(n) {
		s := r.prose(element)
		if s == nil {
			break
		}
		item, err := r.item(i, *s, element.valueAt.line)
		if r.leaves && i == listAllow && nod.IsBroad(err) { // without it nod only asks more
			r.layer.broad = append(r.layer.broad, NotHeld{List: n.key, Text: *s,
				Origin: originOf(r.layer.source, element.valueAt.line), Why: "left out: " + err.Error()})
			continue
		}
		if err != nil {
			r.fail(element.valueAt, "%s: %v", n.key, err)
			break
		}
		got.items = append(got.items, item)
	}
	return got
}

// prose reads an element; rules may run over several lines, which count as
// blanks.
func (r *reader) prose(n *node) *string {
	if n.form == isValue && n.kind == unstable.String && strings.ContainsAny(n.text, "\r\n\t") {
		flat := *n
		flat.text = strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(n.text))
		n = &flat
	}
	return r.str(n)
}

func (r *reader) item(i int, text string, line int) (Item, error) {
	return newItem(i, text, r.layer.source, line)
}

func originOf(source Source, line int) string {
	return shown(source.Path) + ":" + strconv.Itoa(line)
}

// newItem checks one entry of a list.
func newItem(i int, text string, source Source, line int) (Item, error) {
	item := Item{List: listNames()[i], Text: text, Level: source.Level, Origin: originOf(source, line)}
	if text == defaultsMark {
		return item, nil
	}
	var err error
	switch i {
	case listHosts:
		err = checkHost(text)
	case listAllowlist:
		err = checkTool(text)
	case listSecrets, listGuarded:
		err = checkPathPattern(text)
	default:
		item.Rule, err = nod.ParseRule(nod.RuleList(item.List), text, item.Origin)
		item.Rule.Team = item.Level == Managed
	}
	return item, err
}

func (r *reader) prices(n *node) {
	if n.form != isTables {
		r.fail(n.valueAt, "price is a list of tables; write [[price]] and its keys below it")
		return
	}
	for _, t := range n.items {
		r.price(t)
	}
}

func (r *reader) price(t *node) {
	var p Price
	var model *string
	var in, out, cached *float64
	for _, n := range t.children {
		switch n.key {
		case "model":
			model = r.str(n)
		case "in":
			in = r.dollars(n)
		case "out":
			out = r.dollars(n)
		case "cached":
			cached = r.dollars(n)
		default:
			r.unknown(n, "price", []string{"model", "in", "out", "cached"})
		}
	}
	if r.err != nil {
		return
	}
	if model == nil || *model == "" || in == nil || out == nil {
		r.fail(t.at, "a price needs model, in and out; add what is missing")
		return
	}
	p = Price{Model: *model, In: *in, Out: *out, Cached: *in}
	if cached != nil {
		p.Cached = *cached
	}
	if slices.ContainsFunc(r.layer.prices, func(o Price) bool { return o.Model == p.Model }) {
		r.fail(t.at, "the price of %q is set twice; keep one", p.Model)
		return
	}
	r.layer.prices = append(r.layer.prices, p)
}

func (r *reader) dollars(n *node) *float64 {
	if n.form != isValue || n.kind != unstable.Float && n.kind != unstable.Integer {
		r.fail(n.valueAt, "%s needs a number of US dollars for a million tokens", n.key)
		return nil
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1e6 {
		r.fail(n.valueAt, "%s is %s; write US dollars for a million tokens, such as 1.5", n.key, n.text)
		return nil
	}
	return &v
}
