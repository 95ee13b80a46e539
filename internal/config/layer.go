package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// layer is one file, read.
type layer struct {
	source Source
	real   string // the file's real path
	lists  [listCount]listed
	added  [listCount][]Item // what only adds: of the scopes that hold here, and of Claude Code's settings

	modeLine  int // 0 where the file does not say
	confine   *Confine
	roots     []string
	fallbacks []Target
	prices    []Price
	scopes    []scoped
	broad     []NotHeld // rules of allow that were left out, and why
}

// settingsText is a managed or user file as it is decoded.
type settingsText struct {
	scalars
	listTexts
	Roots      []string    `toml:"workspace_roots"`
	Confine    any         `toml:"confine"`
	Fallback   []Target    `toml:"fallback"`
	Price      []Price     `toml:"price"`
	Repository []scopeText `toml:"repository"`
}

// scalars are the keys of which the highest file that has one holds: each file
// is decoded over what the ones below it say.
type scalars struct {
	Mode        string    `toml:"mode"`
	Profile     string    `toml:"profile"`
	Unknown     string    `toml:"unknown"`
	ClaudeRules string    `toml:"claude_rules"`
	Approvals   string    `toml:"approvals"`
	Model       modelText `toml:"model"`
	Log         logText   `toml:"log"`
}

type modelText struct {
	Target
	Timeout        string  `toml:"timeout"`
	MaxTokens      int     `toml:"max_tokens"`
	Proxy          string  `toml:"proxy"`
	CAFile         string  `toml:"ca_file"`
	Profile        string  `toml:"profile"`
	Transcript     string  `toml:"transcript"` // the older spelling
	Stages         int     `toml:"stages"`
	MaxCostSession float64 `toml:"max_cost_session"`
	MaxCostDay     float64 `toml:"max_cost_day"`
	OnBlock        string  `toml:"on_block"`
	OnUnavailable  string  `toml:"on_unavailable"`
}

type logText struct {
	OnFailure string `toml:"on_failure"`
	DumpDir   string `toml:"dump_dir"`
}

// standard is what holds where no file says otherwise. The time is for all
// stages together.
func standard() scalars {
	return scalars{Mode: "enforce", Unknown: "host", ClaudeRules: string(ClaudeTighten), Approvals: "on",
		Model: modelText{Timeout: "30s", Transcript: "ledger", OnBlock: "deny", OnUnavailable: "ask"},
		Log:   logText{OnFailure: "continue"}}
}

// readLayer reads the text of a managed or user file, over what the files below
// it say. The error is a *problem.
func readLayer(p Places, source Source, text []byte, below *scalars) (layer, error) {
	doc, err := parseDocument(text)
	if err != nil {
		return layer{}, err
	}
	if err := doc.checkKeys(tables()); err != nil {
		return layer{}, err
	}
	t := settingsText{scalars: *below}
	headers := t.Model.Headers
	t.Model.Headers = nil
	if err := doc.decode(&t); err != nil {
		return layer{}, err
	}
	r := &reader{places: p, doc: doc, layer: layer{source: source}, leaves: true}
	r.scalars(&t.scalars)
	for name, value := range headers {
		if _, set := t.Model.Headers[name]; !set {
			t.Model.Headers = with(t.Model.Headers, name, value)
		}
	}
	r.rest(&t)
	if r.err == nil {
		*below = t.scalars
	}
	return r.layer, r.err
}

// tables are the keys of each table of a settings file.
func tables() map[string][]string {
	return map[string][]string{
		"": keysOf(reflect.TypeFor[settingsText]()), "model": keysOf(reflect.TypeFor[modelText]()),
		"fallback": keysOf(reflect.TypeFor[Target]()), "log": keysOf(reflect.TypeFor[logText]()),
		"price": keysOf(reflect.TypeFor[Price]()), "repository": append(listsThat(list.mayBeScoped), "path"),
	}
}

func keysOf(t reflect.Type) (keys []string) {
	for field := range t.Fields() {
		if field.Anonymous {
			keys = append(keys, keysOf(field.Type)...)
		} else {
			keys = append(keys, field.Tag.Get("toml"))
		}
	}
	return keys
}

// checkKeys refuses a key that does not exist. The decoder would take one in
// other letters, and pass over the rest.
func (d *document) checkKeys(tables map[string][]string) error {
	for _, k := range d.keys {
		keys, known := tables[k.table]
		if !known || slices.Contains(keys, k.name) {
			continue
		}
		what := fmt.Sprintf("%q is not a key", k.name)
		if k.table != "" {
			what += fmt.Sprintf(" of [%s]", k.table)
		}
		return problemf(k.at(d.text), "%s; %s", what, suggestion(k, keys, tables))
	}
	return nil
}

// suggestion says what was meant by a key that does not exist.
func suggestion(k key, keys []string, tables map[string][]string) string {
	folded := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(k.name))
	switch {
	case strings.Contains(folded, "readonly"):
		return `no agent tells nod the annotations of an MCP tool (readOnlyHint), so no setting can go by them; name the tools: allow = ["mcp__SERVER__get_*"]`
	case k.table != "" && slices.Contains(tables[""], k.name):
		return fmt.Sprintf("put %s at the top of the file, before the first [table]", k.name)
	}
	for _, table := range []string{"model", "log"} {
		if slices.Contains(tables[table], k.name) {
			return fmt.Sprintf("put %s below [%s]", k.name, table)
		}
	}
	if near, ok := Nearest(k.name, keys); ok {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "the keys are " + strings.Join(slices.Sorted(slices.Values(keys)), ", ")
}

// reader checks what a file says. It keeps the first problem that it meets.
type reader struct {
	places Places
	doc    *document
	layer  layer
	err    error
	// leaves says that a broad rule is left out with a notice, and no fault.
	leaves bool
}

// fail notes what is wrong with the value at a path.
func (r *reader) fail(path, format string, args ...any) {
	if r.err == nil {
		r.err = problemf(r.doc.at(path), format, args...)
	}
}

func (r *reader) oneOf(path, value string, words ...string) {
	if r.doc.has(path) && !slices.Contains(words, value) {
		r.fail(path, "%s cannot be %q; write %s", lastName(path), value, quoted(words))
	}
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

func (r *reader) scalars(s *scalars) {
	if s.Profile == "seed" || s.Profile == "ledger" {
		r.fail("profile", "profile %q is what a model is shown; put it below [model]", s.Profile)
	}
	r.oneOf("mode", s.Mode, "enforce", "observe", "off")
	r.oneOf("profile", s.Profile, "", string(Replace), string(Reinforce))
	r.oneOf("unknown", s.Unknown, "host", "ask")
	r.oneOf("claude_rules", s.ClaudeRules, string(ClaudeTighten), string(ClaudeAll), string(ClaudeOff))
	r.oneOf("approvals", s.Approvals, "on", "off")
	r.oneOf("log.on_failure", s.Log.OnFailure, "continue", "block")
	r.file("log.dump_dir", &s.Log.DumpDir)
	r.model(&s.Model)
	if r.doc.has("mode") {
		r.layer.modeLine = r.doc.at("mode").line
	}
}

const (
	last20       = "last20"
	maxMaxTokens = 32768
	// maxTimeout leaves the hook its own few seconds inside the 60 that nod
	// install gives the host.
	maxTimeout = 45 * time.Second
	// maxDollars bounds a ceiling: more is a slip of the pen.
	maxDollars = 10_000
)

func (r *reader) model(m *modelText) {
	r.target("model", &m.Target)
	if d, err := time.ParseDuration(m.Timeout); err != nil || d < time.Millisecond || d > maxTimeout {
		r.fail("model.timeout", `timeout cannot be %q; write a duration up to "45s", such as "20s"`, m.Timeout)
	}
	r.number("model.max_tokens", m.MaxTokens, 1, maxMaxTokens)
	r.number("model.stages", m.Stages, 1, 2)
	r.ceiling("model.max_cost_session", m.MaxCostSession)
	r.ceiling("model.max_cost_day", m.MaxCostDay)
	r.address("model.proxy", m.Proxy, "http", "https", "socks5")
	r.file("model.ca_file", &m.CAFile)
	r.oneOf("model.on_block", m.OnBlock, "deny", "ask")
	r.oneOf("model.on_unavailable", m.OnUnavailable, "ask", "deny")
	r.oneOf("model.transcript", m.Transcript, "ledger", last20)
	r.oneOf("model.profile", m.Profile, "ledger", "seed")
	if r.doc.has("model.profile") {
		if m.Transcript = m.Profile; m.Profile == "seed" {
			m.Transcript = last20
		}
	}
}

// target checks which model is asked: [model], or a [[fallback]].
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

// headers returns them with their names in lower case.
func (r *reader) headers(table string, said map[string]string) (headers map[string]string) {
	for _, k := range r.doc.keys {
		name := strings.ToLower(k.name)
		if k.path != table+"."+k.name {
			continue
		}
		if err := checkHeader(k.name); err != nil && r.err == nil {
			r.err = problemf(k.at(r.doc.text), "headers: %v", err)
		}
		if _, twice := headers[name]; twice && r.err == nil {
			r.err = problemf(k.at(r.doc.text), "header %s is set twice, in different case; keep one", name)
		}
		headers = with(headers, name, said[k.name])
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
	if r.doc.has(path) && (n < low || n > high) {
		r.fail(path, "%s is %d; write a number from %d to %d", lastName(path), n, low, high)
	}
}

// ceiling checks an amount; 0 is no ceiling.
func (r *reader) ceiling(path string, dollars float64) {
	if !(dollars >= 0 && dollars <= maxDollars) {
		r.fail(path, "%s is %s; write US dollars from 0 (no ceiling) to %d", lastName(path), r.doc.word(path),
			maxDollars)
	}
}

// file makes the name of a file absolute; "" is none.
func (r *reader) file(path string, name *string) {
	if *name == "" || !r.doc.has(path) {
		return
	}
	full, err := r.places.expand(*name)
	if err != nil {
		r.fail(path, "%s: %v", lastName(path), err)
	}
	*name = full
}

func (r *reader) address(path, address string, schemes ...string) {
	if address == "" || !r.doc.has(path) {
		return
	}
	if err := checkAddress(address, schemes); err != nil {
		r.fail(path, "%s: %v", lastName(path), err)
	}
}

// rest checks what each file has for itself.
func (r *reader) rest(t *settingsText) {
	for _, table := range []string{"fallback", "price", "repository"} {
		if r.doc.has(table) && !r.doc.has(table+".0") {
			r.fail(table, "%s", needs(table))
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
}

// directory resolves one that is no place for everything.
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
	got := listed{present: r.doc.has(prefix + l.name)}
	for n, text := range texts.all()[i] {
		path := fmt.Sprintf("%s%s.%d", prefix, l.name, n)
		line := r.doc.at(path).line
		item, err := newItem(l, onOneLine(text), r.layer.source, line)
		switch {
		case r.leaves && i == listAllow && nod.IsBroad(err): // without it nod only asks more
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
			r.fail(path+"."+d.key, "%s is %s; write US dollars for a million tokens, such as 1.5", d.key,
				r.doc.word(path+"."+d.key))
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
