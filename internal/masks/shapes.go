package masks

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// What must follow the prefix of a token: a few characters behind a prefix that nothing else
// begins with; more characters, and a digit, behind a common prefix.
const (
	fewBytes  = 8
	manyBytes = 16
)

//go:embed prefixes.txt
var prefixText string

// tail is what must follow a prefix.
type tail struct {
	least int
	digit bool // one of them is a digit
}

// prefixes are those that vendors give their tokens.
var prefixes = sync.OnceValue(func() map[string]tail {
	kinds, all := map[string]tail{"few": {fewBytes, false}, "many": {manyBytes, false}, "digit": {manyBytes, true}},
		make(map[string]tail, 128)
	for line := range strings.Lines(prefixText) {
		kind, list, _ := strings.Cut(line, ":")
		for _, prefix := range strings.Fields(list) {
			all[prefix] = kinds[kind]
		}
	}
	return all
})

// longestPrefix is how long a known prefix is at most.
const longestPrefix = len("AGE-SECRET-KEY-1")

// tokenLen returns the length of the token that s starts with, 0 for none. A word made by
// chance is looked for where a whole one begins, and that once.
func tokenLen(s string, whole bool) int {
	if tokenEnd(s, 3+fewBytes) < 3+fewBytes { // as most words are
		return 0
	}
	for n := min(longestPrefix, len(s)); n >= 3; n-- {
		known := prefixes()[s[:n]]
		if known.least == 0 {
			continue
		}
		if head := s[n : n+tokenEnd(s[n:], 64)]; len(head) >= known.least && (!known.digit ||
			strings.ContainsAny(head, "0123456789")) {
			return n + tokenEnd(s[n:], len(s))
		}
	}
	if end := tokenEnd(s, 512); whole && madeByChance(s[:end]) {
		return tokenEnd(s, len(s))
	}
	return 0
}

func tokenEnd(s string, limit int) int {
	end := 0
	for end < len(s) && end < limit && (isTokenByte(s[end]) || s[end] == '.') {
		end++
	}
	return len(strings.TrimRight(s[:end], "."))
}

// leastChance is the shortest word that is hidden without a name or a prefix.
const leastChance = 24

// madeByChance tells a long random word by how often it goes from one kind of character to
// another. Hashes of git and UUIDs have no capitals, names in code few digits.
func madeByChance(s string) bool {
	if len(s) < leastChance || strings.Count(s, ".") > 2 {
		return false
	}
	var counts [3]int
	changes, capitals, before := 0, 0, -1 // capitals are the changes to and from one
	for i := range len(s) {
		var kind int
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			kind = 0
		case c >= 'A' && c <= 'Z':
			kind = 1
		case c >= 'a' && c <= 'z':
			kind = 2
		default:
			continue
		}
		counts[kind]++
		if kind != before {
			changes++
			if kind == 1 || before == 1 {
				capitals++
			}
		}
		before = kind
	}
	return min(counts[0], counts[1], counts[2]) >= 3 && changes*5 >= len(s)*2 && capitals*5 >= len(s)
}

// looksRandom tells an encoded secret from a word.
func looksRandom(s string) bool {
	return len(s) >= 20 || strings.ContainsAny(s, "0123456789=") || len(s) > 1 && strings.ToLower(s[1:]) != s[1:]
}

// nameLimit bounds how much of a name is looked at: its end.
const nameLimit = 64

// secretName reports whether a name (of a variable, key, header or option) says that its value is a secret.
func secretName(name string) bool {
	if len(name) < 3 {
		return false
	}
	name = name[max(0, len(name)-nameLimit):]
	var buf [nameLimit]byte
	folded := buf[:0]
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			folded = append(folded, c+'a'-'A')
		case isAlnum(c):
			folded = append(folded, c)
		}
	}
	s := string(folded)
	if hasAnySuffix(s, "stdin", "file", "path", "prompt", "type", "length", "limit", "count", "policy",
		"url", "uri", "endpoint", "helper", "command", "cmd", "process") {
		return false
	}
	for _, says := range [...]string{"password", "passwd", "passphrase", "secret", "credential", "apikey", "accesskey",
		"privatekey", "signingkey", "encryptionkey", "accountkey", "masterkey", "authkey", "sharedkey", "storagekey",
		"subscriptionkey", "functionskey"} {
		if strings.Contains(s, says) {
			return true
		}
	}
	return saysToken(s) || hasAnySuffix(s, "authorization", "cookie", "xamzsignature") || shortName(name, s)
}

// saysToken reports whether "token" occurs, other than as the tokens that a model counts or the work of a tokenizer.
func saysToken(s string) bool {
	for {
		_, after, found := strings.Cut(s, "token")
		if !found {
			return false
		}
		if s = after; !strings.HasPrefix(s, "s") && !strings.HasPrefix(s, "iz") {
			return true
		}
	}
}

// shortName knows the short forms, which must stand as a word of their own.
func shortName(name, folded string) bool {
	switch folded {
	case "pass", "sshpass", "dbpass", "userpass", "userpwd", "sig":
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
	case "key", "auth": // these end too many names but those of variables
		return name == strings.ToUpper(name) && strings.Contains(name, "_") && !hasAnySuffix(folded, "publickey",
			"cachekey", "sortkey", "primarykey", "foreignkey", "partitionkey", "sshkey", "hostkey", "gpgkey")
	}
	return name == "_auth"
}

func hasAnySuffix(s string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(s, e) })
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func isTokenByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
