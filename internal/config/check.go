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

// checkAddress refuses what does not begin as an address does. Package llm looks at
// the rest, and refuses to send a key in the clear: what reads addresses would cost
// every start of the hook.
func checkAddress(s string, schemes []string) error {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || rest == "" || !slices.Contains(schemes, scheme) {
		return fmt.Errorf("%q is no address; write %s://HOST", s, strings.Join(schemes, ":// or "))
	}
	return nil
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
