// Package llm asks a fast model whether a tool call must be blocked: layer 4 of the gate. [New] returns a [nod.Model]
// that speaks Anthropic Messages (anthropic, bedrock, vertex), OpenAI Responses (openai, azure), chat completions
// (compatible: Ollama, vLLM, llama.cpp, LM Studio, gateways) or Gemini's generateContent (gemini). [Chain] asks
// further models where the first is not to be had.
//
// One question is one POST: the prompt, and a forced call of classify_result (thinking, should_block, reason, in that
// order). Only an answer of exactly that shape counts. Every other answer is a [fault.Error] whose Kind names the
// cause; nothing is guessed or repaired. Its Message is nod's own text and may be shown to an agent; what the vendor
// wrote is its Cause: one line, escaped, at most 300 bytes. Neither ever holds the key.
//
// A prompt with a quick closing is put twice at most. A fault that passes (429, 5xx, 529, a broken connection) is
// tried once more where the time that the vendor wants to be left alone for fits into half of what is left.
//
// # Nothing from the environment
//
// A repository can set the variables that nod runs under. So no proxy, root certificates, headers, endpoint or
// credentials count but those in [Options]. GODEBUG reaches Go's own libraries before any code here runs; whoever
// starts a process for this package gives it an environment built from nothing.
//
// The transport speaks HTTP/1.1 and no HTTP/2, under which GODEBUG would print the key. TLS is 1.2 or later.
// Redirects are not followed. An answer is at most 1 MiB, counted after decompression.
package llm

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// The providers.
const (
	ProviderAnthropic  = "anthropic"
	ProviderOpenAI     = "openai"
	ProviderGemini     = "gemini"
	ProviderCompatible = "compatible" // chat completions, at any endpoint
	ProviderBedrock    = "bedrock"    // Anthropic's models at Amazon
	ProviderVertex     = "vertex"     // Anthropic's models at Google
	ProviderAzure      = "azure"      // OpenAI's models at Microsoft
)

// Providers lists them.
func Providers() (names []string) {
	for _, v := range vendors() {
		names = append(names, v.provider)
	}
	return names
}

// Channel says how a model gives its answer.
type Channel string

// The channels. The zero value is Tool, and Auto for models that refuse to be
// forced. Schema is for a compatible endpoint.
const (
	Tool   Channel = "tool"   // a forced call of classify_result
	Auto   Channel = "auto"   // the same tool, which the model is not forced to call
	Schema Channel = "schema" // the message is JSON, held to a schema by the server
)

// The defaults of Options.
const (
	DefaultAnthropicModel = "claude-haiku-4-5-20251001"
	DefaultOpenAIModel    = "gpt-4.1-mini"
	DefaultGeminiModel    = "gemini-3.1-flash-lite"
	DefaultBedrockModel   = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
	DefaultVertexModel    = "claude-haiku-4-5@20251001"
	DefaultMaxTokens      = 256
	DefaultTimeout        = 30 * time.Second
)

// Options say which model is asked, where, and how. They come from managed or user settings, never from a repository.
type Options struct {
	Provider string // one of [Providers]; there is no default
	// Model is the vendor's name of the model (azure: of the deployment); "" is the provider's default.
	Model string
	// Endpoint is the base address, to which the path of the provider's API is appended; "" is the vendor's own.
	// compatible and azure have no default. It is https, or http to a loopback address.
	Endpoint string
	// Region is Amazon's or Google's; Project is Google's, "" being the key's; APIVersion is Azure's.
	Region, Project, APIVersion string
	Channel                     Channel // how the model answers
	// Effort is how much a model that reasons is to reason ("low" ...), "" what nod takes for it; Thinking is "off" or
	// "adaptive", "" the vendor's default. Temperature is nil for 0 where the model is known to take one.
	Effort, Thinking string
	Temperature      *float64
	// Key is the API key. For bedrock it is a key, or ID:SECRET[:TOKEN]; for vertex it is the JSON text of a service
	// account's key. A compatible endpoint may need none. A key from a variable goes to the vendor's own address only.
	Key                string
	KeyFromEnvironment bool
	MaxTokens          int           // of the answer; 0 is DefaultMaxTokens
	Timeout            time.Duration // of one question, besides the context's; 0 is DefaultTimeout
	Proxy              string        // an http, https or socks5 URL; not used for a loopback endpoint
	CAFile             string        // of PEM certificates that are trusted besides the system's; absolute
	// Headers are added to each request, for gateways. They cannot replace the key, or what frames the request.
	Headers map[string]string
	Prices  []Price // go before the built-in table
	// DumpDir is a directory, 0700 and this user's, that each question and its answer are written to. DumpMark ends
	// the names of this model's dumps, where several models are asked about one decision.
	DumpDir, DumpMark string
	// Notice is told, in one line, what went wrong without changing an answer. It may be called from many goroutines.
	Notice func(string)
}

// New returns the model that o describes, safe for concurrent use. It sends
// nothing. An error is a *[fault.Error] of kind NoKey or BadSettings.
func New(o Options) (nod.Model, error) {
	v := vendorOf(o.Provider)
	if v.provider == "" {
		return nil, badSettings("provider %s is not known; set [model] provider to one of %s", quote(o.Provider),
			strings.Join(Providers(), ", "))
	}
	if err := v.checkFit(o); err != nil {
		return nil, err
	}
	return newClient(v, o)
}

// checkFit refuses a setting that the provider has no use for, and the lack of a setting that it needs.
func (v vendor) checkFit(o Options) error {
	for _, f := range []struct{ key, value string }{{"region", o.Region}, {"project", o.Project},
		{"api_version", o.APIVersion}, {"channel", string(o.Channel)}, {"effort", o.Effort},
		{"thinking", o.Thinking}, {"endpoint", o.Endpoint}, {"name", o.Model}} {
		needed := slices.Contains(strings.Fields(v.needs), f.key)
		taken := needed || slices.Contains(strings.Fields(v.takes+" channel effort endpoint name"), f.key)
		switch {
		case f.value == "" && needed:
			return badSettings("provider %s needs [model] %s", v.provider, f.key)
		case f.value != "" && !taken:
			return badSettings("provider %s has no use for [model] %s; remove it", v.provider, f.key)
		case f.key == "channel" && f.value == string(Schema) && v.provider != ProviderCompatible:
			return badSettings("provider %s has no use for [model] channel %s; write tool or auto", v.provider, f.value)
		case f.key == "channel" && !slices.Contains([]Channel{"", Tool, Auto, Schema}, o.Channel):
			return badSettings("[model] channel %s is not known; want tool, auto or schema", quote(f.value))
		case !isSegment(f.value) && f.key != "endpoint" && f.key != "name":
			return badSettings("[model] %s %s holds characters that none has", f.key, quote(f.value))
		}
	}
	return nil
}

// isSegment reports whether s can stand in a host's name or a path as it is.
func isSegment(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// KeyVariable names the variable that the provider's key is customarily in,
// "" for a provider that has none. This package never reads it.
func KeyVariable(provider string) string { return vendorOf(provider).variable }

// client is a model at a vendor's. It is immutable once it is made.
type client struct {
	vendor
	Options    // with the defaults put in
	base, path string
	style      style
	grant      grant
	secrets    []string // never shown or written: the key, values of headers
	http       *http.Client
}

func newClient(v vendor, o Options) (nod.Model, error) {
	v.address = strings.ReplaceAll(v.address, "REGION", o.Region)
	v.address = strings.Replace(v.address, "global-", "", 1) // Google's for no region
	endpoint, err := parseEndpoint(o.Endpoint, v.address)
	if err == nil {
		o.Key, err = checkKey(v, o, endpoint)
	}
	if err == nil {
		err = checkHeaders(o.Headers, v.keyHeader)
	}
	if err == nil && (o.MaxTokens < 0 || o.Timeout < 0) {
		err = badSettings("[model] max_tokens and timeout must not be negative")
	}
	if err != nil {
		return nil, err
	}
	transport, err := newTransport(endpoint, o.Proxy, o.CAFile)
	if err != nil {
		return nil, err
	}
	o.Model, o.Headers, o.Prices = cmp.Or(o.Model, v.defaultModel), maps.Clone(o.Headers),
		slices.Concat(o.Prices, Prices())
	o.MaxTokens, o.Timeout = cmp.Or(o.MaxTokens, DefaultMaxTokens), cmp.Or(o.Timeout, DefaultTimeout)
	c := &client{vendor: v, Options: o, base: strings.TrimRight(endpoint.String(), "/"), style: styleOf(o.Model, o),
		http: &http.Client{Transport: transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if c.style.reasons {
		c.MaxTokens = max(c.MaxTokens, reasoningTokens)
	}
	c.addSecrets(secretsOf(o.Key, o.Headers, o.Proxy)...)
	if c.grant, err = v.grants(c); err != nil {
		return nil, err
	}
	c.path = strings.NewReplacer("QUOTED", url.QueryEscape(c.Model),
		"MODEL", url.PathEscape(strings.TrimPrefix(c.Model, "models/")),
		"REGION", c.Region, "PROJECT", c.Project, "VERSION", url.QueryEscape(c.APIVersion)).Replace(v.path)
	return c, nil
}

// parseEndpoint reads the base address. Plain http, which shows key and prompt, is for loopback only.
func parseEndpoint(text, vendors string) (*url.URL, error) {
	u, err := url.Parse(cmp.Or(text, vendors))
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return nil, badSettings("[model] endpoint %s is not a URL with a host", quote(text))
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, badSettings("[model] endpoint must hold no user, query or fragment; keys belong " +
			"into [model] key_file")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u):
		return u, nil
	}
	return nil, badSettings("[model] endpoint %s must begin with https:// (http:// is for loopback addresses only)",
		quote(text))
}

func isLoopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// checkKey returns the key that may be sent to endpoint.
func checkKey(v vendor, o Options, endpoint *url.URL) (string, error) {
	key := strings.TrimSpace(o.Key)
	if key == "" && v.keyless {
		return "", nil
	}
	if key == "" {
		message := fmt.Sprintf("no API key for %s was found; put it into a file that only you can read and name that "+
			"file in the settings as [model] key_file", v.provider)
		if variable := KeyVariable(v.provider); variable != "" {
			message += ", or set " + variable
		}
		return "", &fault.Error{Kind: fault.NoKey, Message: message}
	}
	if !v.document && strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &fault.Error{Kind: fault.NoKey,
			Message: "the API key holds spaces, line ends or characters that no key has; see that [model] key_file " +
				"holds the key and nothing else"}
	}
	own := strings.TrimRight(endpoint.String(), "/") == v.address
	if o.KeyFromEnvironment && !own {
		return "", &fault.Error{Kind: fault.NoKey,
			Message: fmt.Sprintf("the API key in %s is sent to %s only, and [model] endpoint is another address; put "+
				"the key for that address into a file and name it as [model] key_file", KeyVariable(v.provider),
				v.address)}
	}
	return key, nil
}

func checkHeaders(headers map[string]string, keyHeader string) error {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		switch canonical := http.CanonicalHeaderKey(name); canonical {
		case "Host", "Content-Length", "Content-Type", "Content-Encoding", "Accept", "Accept-Encoding",
			"Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Expect":
			return badSettings("[model] headers: %s is nod's own and cannot be set", quote(name))
		case keyHeader:
			return badSettings("[model] headers: %s carries the API key, which belongs into [model] key_file",
				quote(name))
		}
		if !isToken(name) || strings.ContainsFunc(headers[name], func(r rune) bool { return r < ' ' || r > '~' }) {
			return badSettings("[model] headers: %s is not a header's name, or its value holds more "+
				"than printable ASCII", quote(name))
		}
	}
	return nil
}

// isToken reports whether s is a header's name as RFC 9110 has it.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

func secretsOf(key string, headers map[string]string, proxy string) []string {
	out := []string{key}
	for _, v := range headers {
		out = append(out, strings.TrimSpace(v))
		if _, token, ok := strings.Cut(strings.TrimSpace(v), " "); ok {
			out = append(out, token) // "Bearer ..."
		}
	}
	if u, err := url.Parse(proxy); err == nil && u.User != nil {
		password, _ := u.User.Password()
		out = append(out, password, u.User.String())
	}
	return out
}

// addSecrets adds to what is masked, longest first, so that a secret that holds another is masked whole. Very short
// values are no secrets and would garble what is left.
func (c *client) addSecrets(more ...string) {
	c.secrets = slices.DeleteFunc(append(c.secrets, more...), func(s string) bool { return len(s) < 6 })
	slices.SortFunc(c.secrets, func(a, b string) int { return len(b) - len(a) })
}

func (c *client) mask(text string) string {
	for _, s := range c.secrets {
		text = strings.ReplaceAll(text, s, "[masked]")
	}
	return text
}

// question is a prompt with one of its closings.
type question struct {
	nod.Prompt
	closing string
}

// text is the user's part as one string.
func (q question) text() string { return q.Text(q.closing) }

// reply is a vendor's answer, reduced to what both dialects have.
type reply struct {
	input      []byte // the JSON text of the tool's input
	model      string
	usage      nod.Usage
	cacheWrite int // tokens of usage.In that were written to the vendor's cache
}

// object is a JSON object, to be sent.
type object = map[string]any

// vendor is what the providers differ in.
type vendor struct {
	provider, address, defaultModel string
	// path is what follows the address, with the words that newClient replaces.
	path string
	// variable is where the key customarily is, keyHeader what it is sent in, behind keyPrefix.
	variable, keyHeader, keyPrefix string
	// keyless says that a key may be missing, document that it is a JSON text.
	keyless, document bool
	// needs and takes are settings, by their keys; every provider takes some others.
	needs, takes string
	// fixed are headers of the API; bodyVersion is its version where the body says it.
	fixed       map[string]string
	bodyVersion string
	// grants makes what lets requests in.
	grants func(c *client) (grant, error)
	// What read is handed holds no key twice.
	ask  func(c *client, q question) object
	read func(c *client, answer value) (reply, error)
}

func vendors() []vendor {
	const bearer = "Bearer "
	return []vendor{
		{provider: ProviderAnthropic, address: "https://api.anthropic.com", defaultModel: DefaultAnthropicModel,
			path: "/v1/messages", variable: "ANTHROPIC_API_KEY", keyHeader: "X-Api-Key", takes: "thinking",
			fixed:  map[string]string{"Anthropic-Version": "2023-06-01"},
			grants: withKey, ask: askMessages, read: readMessage},
		{provider: ProviderOpenAI, address: "https://api.openai.com/v1", defaultModel: DefaultOpenAIModel,
			path: "/responses", variable: "OPENAI_API_KEY", keyHeader: "Authorization", keyPrefix: bearer,
			grants: withKey, ask: askResponses, read: readResponse},
		{provider: ProviderGemini, address: "https://generativelanguage.googleapis.com",
			defaultModel: DefaultGeminiModel, path: "/v1beta/models/MODEL:generateContent",
			variable: "GEMINI_API_KEY", keyHeader: "X-Goog-Api-Key", grants: withKey, ask: askGemini, read: readGemini},
		{provider: ProviderCompatible, path: "/chat/completions", keyHeader: "Authorization", keyPrefix: bearer,
			keyless: true, needs: "endpoint name", grants: withKey, ask: askChat, read: readChat},
		{provider: ProviderBedrock, address: "https://bedrock-runtime.REGION.amazonaws.com",
			defaultModel: DefaultBedrockModel, path: "/model/QUOTED/invoke", keyHeader: "Authorization",
			keyPrefix: bearer, needs: "region", takes: "thinking", bodyVersion: "bedrock-2023-05-31",
			grants: withAmazons, ask: askMessages, read: readMessage},
		{provider: ProviderVertex, address: "https://REGION-aiplatform.googleapis.com",
			defaultModel: DefaultVertexModel,
			path:         "/v1/projects/PROJECT/locations/REGION/publishers/anthropic/models/MODEL:rawPredict",
			keyHeader:    "Authorization", document: true, needs: "region", takes: "project thinking",
			bodyVersion: "vertex-2023-10-16", grants: withGoogles, ask: askMessages, read: readMessage},
		{provider: ProviderAzure, path: "/openai/responses?api-version=VERSION", keyHeader: "Api-Key",
			needs: "api_version endpoint name", grants: withKey, ask: askResponses, read: readResponse},
	}
}

// vendorOf finds a provider by its name; the zero value means none.
func vendorOf(provider string) vendor {
	for _, v := range vendors() {
		if v.provider == provider {
			return v
		}
	}
	return vendor{}
}
