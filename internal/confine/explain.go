package confine

import (
	"regexp"
	"slices"
	"strings"
)

// sign is what programs print where they miss what a confined run does not have.
// Its group, where it has one that matched, is what was wanted.
type sign struct {
	what    string
	pattern string
}

// Server begins what is said of a server on this machine that a run did not reach: each
// run has a network of its own.
const Server = "a server outside"

// signs are looked for one after the other; of those of one kind the first counts,
// so that those which name a host come first.
func signs() []sign {
	const host = `([a-z0-9][a-z0-9.-]*\.[a-z]{2,})`
	return []sign{
		{"the network", `(?i)(?:getaddrinfo|lookup|resolve host(?:name| address)?:?|failed to resolve|` +
			`could not resolve(?: host)?:?|name resolution.*?)[ :'"‘]+(?:EAI_AGAIN |ENOTFOUND )?` + host},
		{"the network", `(?i)request to https?://` + host},
		{"the network", `(?i)` + host + `\S*: module lookup disabled`},
		{"the network", `EAI_AGAIN|ENOTCACHED|ENETUNREACH|(?i:network is unreachable|` +
			`temporary failure in name resolution|only-if-cached|attempting to make an HTTP request, but --offline|` +
			`--offline was specified|offline mode|UV_OFFLINE)`},
		{"a daemon outside", `(?i)(docker daemon|/var/run/docker\.sock|podman\.sock|DBUS_SESSION_BUS|ssh-agent)`},
		{Server, `(?i)ECONNREFUSED ([^\s'",]+:\d+)`},
		{Server, `(?i)failed to connect to (?:localhost|127\.0\.0\.1|::1) port (\d+)`},
		{Server, `ERR_CONNECTION_REFUSED at (?:https?|wss?)://([^\s/]+)`},
		{Server, `(?i)((?:127\.0\.0\.1|localhost|\[::1\]):\d+)[^\n]{0,60}refused`},
		{Server, `(?i)port (\d+) failed: connection refused`},
		{Server, `(?i)connection refused`},
		{"to write outside of the workspace", `(?i)([^\s'":,]+): read-only file system`},
		{"a system call", `(?i)(ptrace|io_uring|unshare|perf_event_open|mount)[^\n]{0,40}not permitted`},
		{"a system call", `(?i)(no usable sandbox)`},
	}
}

// missed is what a run seems to have wanted and did not get. unseen reports
// whether there is something at a path outside that the run did not see.
func missed(said string, unseen func(path string) bool) (all []string) {
	var kinds []string
	for _, s := range signs() {
		m := regexp.MustCompile(s.pattern).FindStringSubmatch(said)
		if m == nil || slices.Contains(kinds, s.what) {
			continue
		}
		kinds = append(kinds, s.what)
		if len(m) > 1 {
			s.what += ": " + strings.TrimSpace(m[1])
		}
		all = append(all, s.what)
	}
	if name := absent(said, unseen); name != "" {
		all = append(all, "a file that it does not see: "+name)
	}
	return all
}

// maxAbsent bounds how many names are looked for.
const maxAbsent = 50

// absent is the first of the names that programs say are not there, and that are
// there outside.
func absent(said string, unseen func(path string) bool) string {
	for _, pattern := range []string{
		`(?i)([^\s'"‘’:,]+)['"’]?: no such file or directory`,
		`(?i)no such file or directory[^\n]{0,20}?['"]([^'"\n]+)['"]`,
		`(?i)could not open [a-z ]*file (\S+)`,
	} {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(said, maxAbsent) {
			if unseen(m[1]) {
				return m[1]
			}
		}
	}
	return ""
}
