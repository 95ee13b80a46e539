package shell

import (
	"slices"
	"strings"
)

// requestRole takes the roles of what is asked of a service.
func requestRole(u *use, role string, w word) {
	file := word{value: value{known: w.known}, raw: w.raw}
	switch role {
	case "curldata": // text, or a file after @
		name, ok := strings.CutPrefix(w.text, "@")
		for _, sign := range [...]string{"=@", "=<"} {
			if _, after, found := strings.Cut(w.text, sign); found {
				name, ok = after, true
			}
		}
		if file.text, _, _ = strings.Cut(name, ";"); ok && file.text != "" && name != "-" {
			u.out.path(Read, file, u.inv.st, 0)
		}
	case "curlformat":
		var ok bool
		switch file.text, ok = strings.CutPrefix(w.text, "@"); {
		case ok:
			u.out.path(Read, file, u.inv.st, 0)
		case !w.known || strings.Contains(w.text, "%output{"):
			u.doubt(w)
		}
	case "curlmethod", "ghmethod":
		if u.method = strings.ToUpper(w.text); !w.known {
			u.method = "unknown"
		}
		reading := slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, u.method)
		u.send = u.send || role == "curlmethod" && !reading
	case "ghfield": // of a request to GitHub, which may be a query or a file
		if strings.HasPrefix(w.text, "query=") {
			if !w.known || strings.Contains(w.text, "mutation") || u.marks.has(markQuery) {
				u.marks |= markMakes // of two, releases differ in which one counts
			}
			u.marks |= markQuery
		}
		if _, name, ok := strings.Cut(w.text, "=@"); ok {
			file.text = name
			u.out.path(Read, file, u.inv.st, 0)
		}
	case "sent":
		u.send = u.send || !w.known
	}
}

// finishRequest reports a call of GitHub's API: reading, unless the method or
// a field says otherwise. A GraphQL query is sent as a field.
func finishRequest(u *use) {
	graphql := len(u.pos) > 0 && u.pos[0].text == "graphql"
	switch {
	case u.method == "unknown" || len(u.pos) > 0 && strings.Contains(u.pos[0].text, "://"):
		u.out.unknown(PartWords, u.inv.raw, "this asks an address or by a method that nod does not know")
	case u.method == "GET" || u.method == "HEAD", u.method == "" && !u.send, graphql && u.method == "" &&
		u.marks.has(markQuery) && !u.marks.has(markMakes):
		fetchesFrom(u, "github.com", u.inv.raw)
		return
	}
	u.out.does(Remote, "github.com", u.inv.raw)
}

// fetchesFrom reports a fetch from the host that the program asks if nobody says
// otherwise.
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
// names, from where go fetches them if nobody says otherwise.
func goHome(u *use) bool {
	if !slices.Contains([]string{"doc", "list", "mod graph", "mod why", "mod verify"}, u.heading) ||
		u.machine.inheritsOne("GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOVCS",
			"GOFLAGS", "GOENV", "GOAUTH", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy") {
		return false
	}
	return !slices.ContainsFunc(u.inv.args, func(w word) bool {
		option := strings.TrimLeft(w.text, "-")
		return !w.known || w.many || w.glob > 0 || strings.Contains(w.text, "@") || strings.HasPrefix(option, "http") ||
			strings.HasPrefix(option, "versions") // of any module, whose name is that of a host
	})
}

// ghHome reports whether no argument and no variable leads gh to another host,
// and no argument is computed.
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
	switch text {
	case "-q", "--jq", "-t", "--template", "--json", "-S", "--search":
		return true
	}
	return false
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
