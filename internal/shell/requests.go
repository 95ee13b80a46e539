package shell

import (
	"slices"
	"strings"
)

// sent takes a field of a request: text, or a file behind @.
func sent(u *use, w word) {
	_, name, found := strings.Cut(w.text, "@")
	if !found {
		_, name, found = strings.Cut(w.text, "=<")
	}
	name, _, _ = strings.Cut(name, ";")
	if found && name != "" && name != "-" {
		u.out.path(Read, word{value: value{text: name, known: w.known}, raw: w.raw}, u.inv.st, 0)
	}
}

// finishRequest reports a call of GitHub's API: reading, unless a field says otherwise.
func finishRequest(u *use) {
	switch {
	case len(u.pos) > 0 && strings.Contains(u.pos[0].text, "://"):
		u.out.unknown(PartWords, u.inv.raw, "this asks an address that nod does not know")
	case u.marks.has(markSend):
		u.out.does(Remote, "github.com", u.inv.raw)
		return
	}
	fetchesFrom(u, "github.com", u.inv.raw)
}

// fetchesFrom reports a fetch from the host that the program asks if nobody says otherwise.
func fetchesFrom(u *use, target, raw string) {
	e := Effect{Kind: Fetch, Target: target, Place: Network, Words: raw, Part: PartWords}
	switch {
	case u.home == "gh" && ghHome(u):
		e.Declared = "the login of gh"
	case u.home == "gh":
		e.Target = "a host that gh is told"
	case u.home == "go" && goHome(u):
		e.Declared = "go.mod"
	}
	u.out.effect(e)
}

// inheritsOne reports whether one of these variables is set.
func (m *machine) inheritsOne(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, ok := m.inherits(name)
		return ok
	})
}

// goHome reports whether a verb of go asks for nothing but the modules that go.mod
// names, from where go fetches them by default.
func goHome(u *use) bool {
	if !slices.Contains([]string{"doc", "list", "mod graph", "mod why", "mod verify"}, u.heading) ||
		u.machine.inheritsOne("GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOVCS",
			"GOFLAGS", "GOENV", "GOAUTH", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy") {
		return false
	}
	return !slices.ContainsFunc(u.inv.args, func(w word) bool {
		option := strings.TrimLeft(w.text, "-")
		return !w.known || w.many || w.glob > 0 || strings.Contains(w.text, "@") || strings.HasPrefix(option, "http") ||
			strings.HasPrefix(option, "modfile") || // of another file
			strings.HasPrefix(option, "versions") // of any module, whose name is that of a host
	})
}

// ghHome reports whether no argument and no variable leads gh to another host, and no argument is computed.
func ghHome(u *use) bool {
	if u.machine.inheritsOne("GH_HOST", "GH_REPO", "GH_CONFIG_DIR", "GH_ENTERPRISE_TOKEN", "HTTPS_PROXY", "https_proxy",
		"ALL_PROXY", "all_proxy") {
		return false
	}
	before := ""
	for _, w := range u.inv.args {
		if (w.text == "-w" || w.text == "--web") && !strings.HasPrefix(u.heading, "run ") {
			return false // opens a browser
		}
		if !w.known || w.many || !formatFlag(before) && (w.glob > 0 || !atGitHub(w.text, before)) {
			return false
		}
		before = w.text
	}
	return true
}

// formatFlag recognises the options of gh whose argument shapes its output.
func formatFlag(text string) bool {
	return slices.Contains([]string{"-q", "--jq", "-t", "--template", "--json", "-S", "--search"}, text)
}

// atGitHub reports whether a word of gh names no other host: HOST/OWNER/NAME,
// a URL, git@HOST:..., or a header of a request.
func atGitHub(text, before string) bool {
	if before == "-H" || before == "--header" {
		text = strings.ToLower(text)
		return strings.HasPrefix(text, "accept:") || strings.HasPrefix(text, "x-github-api-version:")
	}
	if name, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(name, "-") {
		if name == "--header" || formatFlag(name) {
			return formatFlag(name)
		}
		text = value
	} else if strings.HasPrefix(text, "-R") || strings.HasPrefix(text, "-H") {
		text = text[2:]
	}
	for _, own := range [...]string{"https://github.com/", "https://api.github.com/", "github.com/",
		"git@github.com:"} {
		if strings.HasPrefix(text, own) {
			return true
		}
	}
	first, _, slash := strings.Cut(strings.TrimPrefix(text, "/"), "/")
	return !strings.ContainsAny(first, ":@") && !(slash && strings.Contains(first, "."))
}
