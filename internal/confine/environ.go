package confine

import (
	"slices"
	"strings"
)

// Environment returns the variables that a run gets. They have names on a list, and say how programs behave; no
// program loads code or takes a key from them. A variable of another name may be a key. Package managers are told
// that there is no network, so that they say so at once.
func Environment(environ []string, home string) []string {
	var out []string
	for _, kv := range environ {
		name, value, ok := strings.Cut(kv, "=")
		if ok && passes(name) && !speaksOfKeys(name) && !strings.Contains(value, "@") {
			out = append(out, kv)
		}
	}
	return append(out, "HOME="+home, "TMPDIR=/tmp", "NOD_CONFINED=1",
		"GOPROXY=off", "GOFLAGS="+goFlags(environ), "npm_config_offline=true", "npm_config_update_notifier=false",
		"npm_config_fund=false", "npm_config_audit=false",
		"PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "UV_OFFLINE=1", "CARGO_NET_OFFLINE=true",
		"COREPACK_ENABLE_NETWORK=0", "HOMEBREW_NO_AUTO_UPDATE=1")
}

// goFlags keeps GOFLAGS but for what starts other programs.
func goFlags(environ []string) string {
	value := Variable(environ, "GOFLAGS")
	if strings.Contains(value, "exec") {
		return ""
	}
	return value
}

// passes reports whether a variable is in the list. A name that ends in * is a beginning.
func passes(name string) bool {
	return slices.ContainsFunc(names("variables"), func(known string) bool {
		begin, open := strings.CutSuffix(known, "*")
		return name == known || open && strings.HasPrefix(name, begin)
	})
}

// speaksOfKeys reports whether a name is that of a key, although the beginning of the name passes.
func speaksOfKeys(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSW", "KEY", "AUTH", "CREDENTIAL"},
		func(w string) bool { return strings.Contains(name, w) })
}

// Variable returns a variable of an environment; the last one counts.
func Variable(environ []string, name string) string {
	for _, kv := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
