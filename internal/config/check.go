package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// expand makes a name in a settings file absolute and clean.
func (p Places) expand(name string) (string, error) {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		if !path.IsAbs(p.Home) {
			return "", fmt.Errorf("%q: the home directory is not known; write an absolute name", name)
		}
		return path.Join(p.Home, name[1:]), nil
	case path.IsAbs(name):
		return path.Clean(name), nil
	}
	return "", fmt.Errorf("%q is relative, and to nothing in particular; start it with / or ~/", name)
}

// usableRoot resolves a workspace root, and refuses those that hold
// everything.
func (p Places) usableRoot(root string) (string, error) {
	real, err := view.Resolve(p.Files, root)
	if err != nil {
		return "", fmt.Errorf("%q cannot be followed (%v); correct it", root, err)
	}
	if real == "/" {
		return "", fmt.Errorf("/ is no workspace; name a project's directory")
	}
	if p.holdsHome(real) {
		return "", fmt.Errorf("%q holds the home directory and is no workspace; name a project's directory", root)
	}
	return real, nil
}

func (p Places) holdsHome(real string) bool {
	if !path.IsAbs(p.Home) {
		return false
	}
	home, err := view.Resolve(p.Files, p.Home)
	return err != nil || view.Within(p.Files, real, home)
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

// checkAddress accepts an absolute URL. Plain HTTP is for this machine only,
// save for a proxy, which is told apart by its schemes. Package net/url would
// link net/netip, whose set-up every start of the hook would pay for.
func checkAddress(s string, schemes []string) error {
	scheme, rest, ok := strings.Cut(s, "://")
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	user := strings.LastIndexByte(authority, '@')
	host := authority[user+1:]
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		if port := host[i+1:]; port == "" || strings.Trim(port, "0123456789") != "" {
			ok = false
		}
		host = host[:i]
	}
	if !ok || !isHost(host) || !slices.Contains(schemes, scheme) || strings.ContainsFunc(tail, isBlankOrControl) {
		return fmt.Errorf("%q is no address; write %s://HOST", s, strings.Join(schemes, ":// or "))
	}
	switch {
	case slices.Contains(schemes, "socks5"):
		return nil
	case user >= 0 || strings.ContainsAny(tail, "?#"):
		return fmt.Errorf("an endpoint holds neither a name, a password nor a query; use key_file")
	case scheme == "http" && !isLoopback(host):
		return fmt.Errorf("%q would send the key in the clear; use https, or http to this machine", s)
	}
	return nil
}

func isBlankOrControl(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }

// isHost accepts a name, or an IPv6 address in brackets.
func isHost(s string) bool {
	inner, open := strings.CutPrefix(s, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if open || closed {
		return open && closed && isIPv6(inner)
	}
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789.-_") == ""
}

// isLoopback takes no name that only begins like an address: 127.evil.com.
func isLoopback(host string) bool {
	return host == "localhost" || host == "[::1]" || strings.HasPrefix(host, "127.") &&
		strings.Count(host, ".") == 3 && strings.Trim(host, "0123456789.") == ""
}

// isIPv6 is generous: what is none reaches nothing.
func isIPv6(host string) bool {
	return strings.Count(host, ":") >= 2 && strings.Trim(strings.ToLower(host), "0123456789abcdef:.") == ""
}

// checkHeader refuses what is no header name, and headers that carry a key:
// settings files are often readable by others, and get copied.
func checkHeader(name string) error {
	for _, c := range []byte(name) {
		if !isWordByte(c) && c != '-' {
			return fmt.Errorf("%q is no header name; use letters, digits and -", name)
		}
	}
	switch strings.ToLower(name) {
	case "":
		return fmt.Errorf("a header without a name; remove it")
	case "authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie":
		return fmt.Errorf("%s would hold a key in the settings; use key_file", name)
	}
	return nil
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// checkHost accepts a host name or address, or "*." and a name of two labels
// at least.
func checkHost(host string) error {
	if isIPv6(host) {
		return nil
	}
	name, wild := strings.CutPrefix(host, "*.")
	if wild && !strings.Contains(name, ".") {
		return fmt.Errorf("%q covers too much; write *.example.com", host)
	}
	for label := range strings.SplitSeq(name, ".") {
		if !isLabel(label) {
			return fmt.Errorf("%q is no host; write a name such as pkg.go.dev, without scheme, port or path", host)
		}
	}
	return nil
}

func isLabel(s string) bool {
	for _, c := range []byte(s) {
		if !isWordByte(c) && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 63 && s[0] != '-' && s[len(s)-1] != '-'
}

// checkTool accepts a canonical tool name. MCP tools are not among them.
func checkTool(name string) error {
	if strings.HasPrefix(name, "mcp__") {
		return fmt.Errorf("%q is a tool of an MCP server, which stands as a rule: allow = [%q]", name, name)
	}
	for _, c := range []byte(name) {
		if !isWordByte(c) || c >= 'A' && c <= 'Z' {
			return fmt.Errorf("%q is no canonical tool name, such as read_file", name)
		}
	}
	if name == "" {
		return fmt.Errorf("an empty tool name; remove it")
	}
	return nil
}

// checkPathPattern refuses what could never match.
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

// Nearest returns the word that key was probably meant to be; ok is false where
// it is like none of them.
func Nearest(key string, words []string) (word string, ok bool) {
	best, distance := "", len(key)/2+1
	key = strings.ToLower(strings.ReplaceAll(key, "-", "_"))
	if len(key) > 40 {
		return "", false
	}
	for _, w := range words {
		d := edits(key, w)
		if swapped(key, w) { // the commonest slip, and two edits
			d = 1
		}
		if d < distance {
			best, distance = w, d
		}
	}
	return best, best != ""
}

// swapped reports whether two letters that stand together are all that sets two
// words apart.
func swapped(a, b string) bool {
	for i := 1; i < len(a) && len(a) == len(b); i++ {
		if a[i-1] != b[i-1] {
			return a[i-1] == b[i] && a[i] == b[i-1] && a[i+1:] == b[i+1:]
		}
	}
	return false
}

// edits is the Levenshtein distance of two short words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
