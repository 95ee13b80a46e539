package confine

import (
	"regexp"
	"slices"
	"strings"
)

// signs are what programs print where they miss what a confined run does not
// have. The first group, where there is one, is what was wanted.
func signs() []sign {
	return []sign{
		{regexp.MustCompile(`(?i)(?:getaddrinfo|lookup|resolve host(?:name)?:?|failed to resolve|could not resolve(?: host)?:?|name resolution.*?)[ :'"]+(?:EAI_AGAIN |ENOTFOUND )?([a-z0-9][a-z0-9.-]*\.[a-z]{2,})`), "the network: "},
		{regexp.MustCompile(`(?i)(EAI_AGAIN|ENOTCACHED|ENETUNREACH|Network is unreachable|Temporary failure in name resolution|cache mode is 'only-if-cached'|GOPROXY=off|attempting to make an HTTP request, but --offline|--offline was specified|in offline mode|UV_OFFLINE)`), "the network: "},
		{regexp.MustCompile(`(?i)(docker daemon|/var/run/docker\.sock|podman\.sock|DBUS_SESSION_BUS|ssh-agent)`),
			"a daemon outside: "},
		{regexp.MustCompile(`(?i)(?:cannot open|no such file or directory|ENOENT)[^\n]{0,80}?((?:/home/|/root/|~/)[^\s'":,]+)`), "a file of the home directory: "},
		{regexp.MustCompile(`(?i)([^\s'":,]+): Read-only file system`), "to write outside of the workspace: "},
		{regexp.MustCompile(`(?i)(ptrace[^\n]{0,40}not permitted|io_uring[^\n]{0,40}not permitted)`),
			"a system call: "},
	}
}

type sign struct {
	pattern *regexp.Regexp
	what    string
}

// missed is what a run seems to have wanted and did not get.
func missed(said string) (all []string) {
	for _, s := range signs() {
		m := s.pattern.FindStringSubmatch(said)
		if m == nil {
			continue
		}
		if text := s.what + strings.TrimSpace(m[1]); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}
