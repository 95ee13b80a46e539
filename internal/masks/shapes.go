package masks

import "strings"

// shape is a kind of token that can be told by how it begins.
type shape struct {
	prefix string
	min    int  // bytes that must follow
	digit  bool // among the first of them must be a digit: the prefix is common
	dots   bool // the token may hold dots
}

// digitWithin is how far into a token its digit is looked for.
const digitWithin = 64

// shapes lists them, longer prefixes first; tokenLen knows how each begins.
// Lengths are the
// shortest that the vendors issue, rounded down.
var shapes = [...]shape{
	{prefix: "AGE-SECRET-KEY-1", min: 20},
	{prefix: "AKIA", min: 16}, {prefix: "ASIA", min: 16}, // AWS
	{prefix: "AIza", min: 30},            // Google API key
	{prefix: "ATATT", min: 20},           // Atlassian
	{prefix: "GOCSPX-", min: 16},         // Google OAuth client
	{prefix: "SG.", min: 20, dots: true}, // SendGrid
	{prefix: "age-secret-key-1", min: 20},
	{prefix: "EAACEdEose0cBA", min: 10},     // Facebook
	{prefix: "PMAK-", min: 20, digit: true}, // Postman
	{prefix: "FlyV1", min: 20, digit: true}, {prefix: "fm1", min: 20, digit: true}, {prefix: "fm2", min: 20,
		digit: true}, // Fly
	{prefix: "HRKU-", min: 20, digit: true}, // Heroku
	{prefix: "LTAI", min: 16, digit: true},  // Alibaba
	{prefix: "NRAK-", min: 16}, {prefix: "NRAA-", min: 16}, {prefix: "NRII-", min: 16},
	{prefix: "NRJS-", min: 16},             // New Relic
	{prefix: "dapi", min: 30, digit: true}, // Databricks
	{prefix: "dckr_pat_", min: 16}, {prefix: "dckr_oat_", min: 16},
	{prefix: "doo_v1_", min: 16}, {prefix: "dor_v1_", min: 16},
	{prefix: "dp.pt.", min: 16}, {prefix: "dp.ct.", min: 16}, {prefix: "dp.sa.", min: 16},
	{prefix: "dp.scim.", min: 16},
	{prefix: "dp.audit.", min: 16}, {prefix: "dp.st.", min: 16, dots: true}, // Doppler
	{prefix: "dop_v1_", min: 16},
	{prefix: "figd_", min: 16},
	{prefix: "github_pat_", min: 16},
	{prefix: "ghp_", min: 16}, {prefix: "gho_", min: 16}, {prefix: "ghu_", min: 16},
	{prefix: "ghs_", min: 16}, {prefix: "ghr_", min: 16},
	{prefix: "glpat-", min: 16}, {prefix: "glrt-", min: 16}, {prefix: "gldt-", min: 16}, {prefix: "glptt-", min: 16},
	{prefix: "glcbt-", min: 16}, {prefix: "glsoat-", min: 16}, {prefix: "glft-", min: 16}, {prefix: "gloas-", min: 16},
	{prefix: "glagent-", min: 16}, {prefix: "glimt-", min: 16}, {prefix: "glffct-", min: 16}, // GitLab
	{prefix: "glsa_", min: 20}, {prefix: "glc_eyJ", min: 20}, // Grafana
	{prefix: "gsk_", min: 20},
	{prefix: "hf_", min: 20},
	{prefix: "hvs.", min: 20}, {prefix: "hvb.", min: 20}, // Vault
	{prefix: "lin_api_", min: 16}, {prefix: "lin_oauth_", min: 16},
	{prefix: "npm_", min: 30},
	{prefix: "ntn_", min: 20, digit: true}, // Notion
	{prefix: "nvapi-", min: 16},
	{prefix: "ops_eyJ", min: 20},           // 1Password
	{prefix: "phx_", min: 20, digit: true}, // PostHog
	{prefix: "pplx-", min: 16, digit: true},
	{prefix: "pscale_", min: 20, dots: true}, // PlanetScale
	{prefix: "pul-", min: 30, digit: true},   // Pulumi
	{prefix: "pypi-", min: 30},
	{prefix: "r8_", min: 24, digit: true}, // Replicate
	{prefix: "re_", min: 24, digit: true}, // Resend
	{prefix: "rubygems_", min: 30},
	{prefix: "rk_live_", min: 10}, {prefix: "rk_test_", min: 10},
	{prefix: "sbp_", min: 20, digit: true}, {prefix: "sb_secret_", min: 16}, // Supabase
	{prefix: "sgp_", min: 20, digit: true},                       // Sourcegraph
	{prefix: "sk_live_", min: 10}, {prefix: "sk_test_", min: 10}, // Stripe
	{prefix: "sntrys_", min: 16}, {prefix: "sntryu_", min: 16}, {prefix: "sq0atp-", min: 16},
	{prefix: "sq0csp-", min: 16},                             // Sentry, Square
	{prefix: "shpat_", min: 16}, {prefix: "shpss_", min: 16}, // Shopify
	{prefix: "sk-ant-", min: 8}, // Anthropic
	{prefix: "sk-proj-", min: 8},
	{prefix: "sk-", min: 20, digit: true}, // OpenAI and who followed
	{prefix: "tskey-", min: 20},           // Tailscale
	{prefix: "vercel_", min: 20, digit: true},
	{prefix: "whsec_", min: 16},
	{prefix: "xai-", min: 20, digit: true},
	{prefix: "xapp-", min: 10},
	{prefix: "xoxa-", min: 10}, {prefix: "xoxb-", min: 10}, {prefix: "xoxc-", min: 10}, {prefix: "xoxd-", min: 10},
	{prefix: "xoxe-", min: 10},
	{prefix: "xoxp-", min: 10}, {prefix: "xoxr-", min: 10}, {prefix: "xoxs-", min: 10}, // Slack
	{prefix: "ya29.", min: 20, dots: true}, // Google OAuth
}

// tokenLen returns the length of the token that s starts with, 0 for none.
func tokenLen(s string) int {
	if len(s) < 8 {
		return 0
	}
	switch s[:2] { // what no shape begins with is most of what there is
	case "AG", "AK", "AS", "AI", "AT", "EA", "Fl", "GO", "HR", "LT", "NR", "PM", "SG", "ag", "da", "dc", "do", "dp",
		"fi", "fm", "gi", "gh", "gl", "gs", "hf", "hv", "li", "np", "nt", "nv", "op", "ph", "pp", "ps", "pu", "py",
		"r8", "re", "rk", "ru", "sb", "sg", "sk", "sh", "sn", "sq", "ts", "ve", "wh", "xa", "xo", "ya":
		for i := range shapes {
			if h := &shapes[i]; strings.HasPrefix(s, h.prefix) {
				if n := h.match(s[len(h.prefix):]); n > 0 {
					return len(h.prefix) + n
				}
			}
		}
	}
	return max(telegram(s), discord(s))
}

// telegram recognises a bot's token: its number, a colon, and 35 characters.
func telegram(s string) int {
	n := 0
	for n < len(s) && n < 11 && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n < 8 || n == 11 || n == len(s) || s[n] != ':' {
		return 0
	}
	end := n + 1
	for end < len(s) && end-n <= 40 && isTokenByte(s[end]) {
		end++
	}
	if end-n-1 < 34 || end-n > 40 {
		return 0
	}
	return end
}

// discord recognises a bot's token: three parts between dots, of which the
// first is a number in base 64.
func discord(s string) int {
	if c := s[0]; c != 'M' && c != 'N' && c != 'O' {
		return 0
	}
	var dots [2]int
	found, end := 0, 0
	for end < len(s) && end < 90 && (isTokenByte(s[end]) || s[end] == '.' && found < 2) {
		if s[end] == '.' {
			dots[found] = end
			found++
		}
		end++
	}
	if found < 2 || dots[0] < 23 || dots[0] > 28 || dots[1]-dots[0] != 7 || end-dots[1]-1 < 27 ||
		!looksRandom(s[dots[1]+1:end]) {
		return 0
	}
	return end
}

// webhook returns how much of s is an address whose rest alone lets anybody
// post there, 0 for none.
func webhook(s string) int {
	switch s[0] { // most texts are none
	case 'h', 'd', 'w', 'c', 'p', 'a', 'o', 'e':
	default:
		return 0
	}
	for _, prefix := range [...]string{"hooks.slack.com/services/", "hooks.slack.com/workflows/",
		"hooks.slack.com/triggers/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
		"webhook.office.com/webhookb2/", "hooks.zapier.com/hooks/catch/", "open.feishu.cn/open-apis/bot/v2/hook/",
		"events.pagerduty.com/integration/", "api.telegram.org/bot"} {
		if strings.HasPrefix(s, prefix) {
			return len(prefix)
		}
	}
	return 0
}

// match returns how much of s, which follows the prefix, is the token.
func (h *shape) match(s string) int {
	n, digits := 0, 0
	for n < len(s) && (isTokenByte(s[n]) || h.dots && s[n] == '.') {
		if s[n] >= '0' && s[n] <= '9' {
			digits++
		}
		if n++; n == digitWithin && h.digit && digits == 0 {
			return 0
		}
	}
	if n < h.min || h.digit && digits == 0 {
		return 0
	}
	return n
}

// jwt recognises a JSON web token at i: base64url of `{"`, a dot, and more.
// Where there is none it remembers how far it looked, since a later start
// before that point would see the same end.
func (s *scanner) jwt(i int) int {
	if i < s.jwtless || !strings.HasPrefix(s.in[i:], "eyJ") {
		return 0
	}
	dot := i
	for dot < len(s.in) && isTokenByte(s.in[dot]) {
		dot++
	}
	end := dot
	for dot-i >= 8 && end < len(s.in) && (isTokenByte(s.in[end]) || s.in[end] == '.') {
		end++
	}
	if end-dot < 8 {
		s.jwtless = dot
		return 0
	}
	return end - i
}

func isTokenByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// looksRandom tells an encoded secret from a word.
func looksRandom(s string) bool {
	if len(s) >= 20 {
		return true
	}
	for i := range len(s) {
		if c := s[i]; c >= '0' && c <= '9' || c == '=' || i > 0 && c >= 'A' && c <= 'Z' {
			return true
		}
	}
	return false
}

// nameLimit bounds how much of a name is looked at: its end.
const nameLimit = 64

// secretName reports whether a name (of a variable, key, header or option)
// says that its value is a secret.
func secretName(name string) bool {
	if len(name) > nameLimit {
		name = name[len(name)-nameLimit:]
	}
	var buf [nameLimit]byte
	folded := buf[:0]
	for i := range len(name) {
		if c := name[i]; isAlnum(c) {
			folded = append(folded, lower(c))
		}
	}
	s := string(folded)
	if len(s) < 3 || hasAnySuffix(s, "stdin", "file", "path", "prompt", "type", "length", "limit", "count", "policy",
		"url", "uri", "endpoint", "helper", "command", "cmd", "process") {
		return false
	}
	return s == "sig" || hasAny(s, "password", "passwd", "passphrase", "secret", "credential", "apikey", "accesskey",
		"privatekey", "signingkey", "encryptionkey", "accountkey", "masterkey", "authkey", "sharedkey", "storagekey",
		"subscriptionkey", "functionskey") ||
		saysToken(s) || hasAnySuffix(s, "authorization", "cookie", "xamzsignature") || shortName(name, s)
}

// saysToken reports whether "token" occurs, other than as the tokens that a
// model counts or the work of a tokenizer.
func saysToken(s string) bool {
	for {
		i := strings.Index(s, "token")
		if i < 0 {
			return false
		}
		if s = s[i+len("token"):]; !strings.HasPrefix(s, "s") && !strings.HasPrefix(s, "iz") {
			return true
		}
	}
}

// shortName knows the short forms, which must stand as a word of their own.
func shortName(name, folded string) bool {
	switch folded {
	case "pass", "sshpass", "dbpass", "userpass", "userpwd":
		return true
	case "pwd", "oldpwd":
		return false
	}
	last := name[strings.LastIndexAny(name, "_-. ")+1:]
	if len(last) == len(name) {
		return strings.HasSuffix(folded, "pwd")
	}
	switch strings.ToLower(last) {
	case "pass", "pwd", "pat", "pw", "dsn":
		return true
	case "key", "auth":
		return isVariable(name) && !hasAnySuffix(folded, "publickey", "cachekey", "sortkey", "primarykey", "foreignkey",
			"partitionkey", "sshkey", "hostkey", "gpgkey")
	}
	return name == "_auth"
}

// isVariable reports whether a name is spelled as variables of the environment are:
// "key" ends too many other names.
func isVariable(name string) bool {
	return name == strings.ToUpper(name) && strings.Contains(name, "_")
}

func hasAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func hasAnySuffix(s string, ends ...string) bool {
	for _, e := range ends {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
