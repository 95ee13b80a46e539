package match

import (
	"strings"
)

// HostAllowed reports whether a plain http address, or a bare host, is this
// machine, or on the list: exactly, or below an entry that starts with "*.".
func HostAllowed(hosts []string, address string) bool {
	host := HostOf(address)
	switch host {
	case "localhost", "127.0.0.1", "::1":
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
