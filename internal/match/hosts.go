package match

import (
	_ "embed" // the list of what is privileged
	"slices"
	"strings"
)

// HostAllowed reports whether a plain http address, or a bare host, is this machine, or on the list: exactly, or
// below an entry that starts with "*.". What this machine serves under a name of secrets, administration or
// debugging is not read for that: such a port is guarded by nothing but that it is local.
func HostAllowed(hosts []string, address string) bool {
	host := HostOf(address)
	if IsThisMachine(address) && !isPrivileged(address) {
		return true
	}
	for _, h := range hosts {
		h = strings.ToLower(h)
		if h == host && host != "" {
			return true
		}
		if suffix, ok := strings.CutPrefix(h, "*."); ok && strings.HasSuffix(host, "."+suffix) {
			return true
		}
	}
	return false
}

// IsThisMachine reports whether an address is one of this machine.
func IsThisMachine(address string) bool {
	switch HostOf(address) {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return false
}

// isPrivileged reports whether an address of this machine speaks of secrets,
// administration, debugging or of what a GET should not do.
func isPrivileged(address string) bool {
	rest := address + "/"
	if scheme, after, ok := strings.Cut(rest, "://"); ok && !strings.ContainsAny(scheme, "/?#.:") {
		rest = after
	}
	at := strings.IndexAny(rest, "/?#")
	path := strings.ToLower(rest[at:])
	if strings.ContainsAny(path, "%[]{}") || // curl makes several addresses of it
		slices.Contains(privileged("ports"), rest[strings.LastIndexByte(rest[:at], ':')+1:at]) {
		return true
	}
	if slices.ContainsFunc(privileged("pieces"), func(piece string) bool { return strings.Contains(path, piece) }) {
		return true
	}
	words := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(privileged("words"), w) }) ||
		strings.HasPrefix(path, "/json/") && strings.Count(strings.Trim(path, "/"), "/") < 2 // of a browser's debugger
}

//go:embed privileged.txt
var privilegedNames string

// privileged is a list of privileged.txt.
func privileged(list string) []string {
	_, line, _ := strings.Cut(privilegedNames, "\n"+list+":")
	line, _, _ = strings.Cut(line, "\n")
	return strings.Fields(line)
}

// HostOf returns the host of an address, "" where there is any doubt: a user
// name, a port that is no number, a character that no host has.
func HostOf(address string) string {
	address = strings.ToLower(address)
	for _, scheme := range [...]string{"https://", "http://"} {
		address = strings.TrimPrefix(address, scheme)
	}
	if i := strings.IndexAny(address, "/?#"); i >= 0 {
		address = address[:i]
	}
	if port, ok := strings.CutPrefix(address, "[::1]"); ok && strings.Trim(port, ":0123456789") == "" {
		return "::1"
	}
	host, port, _ := strings.Cut(address, ":")
	if strings.Trim(port, "0123456789") != "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return ""
	}
	return strings.TrimSuffix(host, ".")
}
