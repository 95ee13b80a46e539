package agent

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// claudesOwn reports whether a call is the host's own bookkeeping, which it decides about
// by itself (2.1.329, run): its notes of this project, what it is to do later, and a
// working tree for itself. What comes of the latter two are calls that come to nod.
func claudesOwn(e *Event, transcript string) bool {
	switch e.Call.Tool {
	case "cron_create", "enter_worktree":
		return true
	case "file_edit", "file_write":
		return claudesMemory(e, transcript)
	}
	return false
}

// claudesMemory reports whether every file of an edit is a note in the host's memory of
// this session's project: beside its transcripts, under the name of the start directory or,
// in a repository, of its root.
func claudesMemory(e *Event, transcript string) bool {
	own := path.Dir(transcript)
	if !path.IsAbs(own) || path.Base(path.Dir(own)) != "projects" || len(e.Call.Paths) == 0 {
		return false
	}
	dirs := []string{path.Join(own, "memory")}
	for _, dir := range upwards(e.Project) {
		dirs = append(dirs, path.Join(path.Dir(own), claudeSlug(dir), "memory"))
	}
	return !slices.ContainsFunc(e.Call.Paths, func(name string) bool {
		return name != path.Clean(name) || path.Ext(name) != ".md" || !slices.Contains(dirs, path.Dir(name))
	})
}

// claudeSlug is how the host names a directory in one name.
func claudeSlug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && isLetterOrDigit(r) {
			return r
		}
		return '-'
	}, dir)
}

// claudePermissions are the allow rules of a settings file of Claude Code's.
type claudePermissions struct {
	Permissions struct {
		Allow []string `json:"allow"`
	} `json:"permissions"`
}

// claudeGranted reports whether a rule of the person's lets this call run, in their own
// settings or in what "don't ask again" writes into a project's settings.local.json. nod
// allows nothing by it: the host, which is left to it, compares by itself, and asks where
// its rule does not hold.
func claudeGranted(c nod.Call, project, home string) bool {
	var names []string
	if path.IsAbs(home) && (c.MCP == nil || !c.MCP.Brought) { // the repository may have named its server so
		names = append(names, filepath.Join(home, ".claude", "settings.json"))
	}
	if path.IsAbs(project) {
		names = append(names, filepath.Join(project, ".claude", "settings.local.json"))
	}
	return slices.ContainsFunc(names, func(name string) bool {
		s, _, err := hostSettings[claudePermissions](name)
		return err == nil && slices.ContainsFunc(s.Permissions.Allow, func(rule string) bool { return grants(rule, c) })
	})
}

// grants compares a rule with a call, never more widely than the host.
func grants(rule string, c nod.Call) bool {
	name, spec, ok := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
	switch {
	case c.MCP != nil:
		server := "mcp__" + c.MCP.Server
		start, star := strings.CutSuffix(rule, "*")
		return rule == c.RawTool || rule == server ||
			star && strings.HasPrefix(start, server+"__") && strings.HasPrefix(c.RawTool, start)
	case name != c.RawTool || c.Tool == "exec":
		return false
	case c.Tool == "web_fetch":
		domain, about := strings.CutPrefix(spec, "domain:")
		return !ok || about && domain != "" && domain == hostIn(c.URL)
	case c.Tool == "bash":
		return ok && grantsCommand(spec, c.Command)
	}
	return !ok && c.Tool != "" && len(c.Paths) == 0
}

// grantsCommand compares a rule for commands with one simple command.
func grantsCommand(spec, command string) bool {
	if spec == command {
		return spec != ""
	}
	start, open := strings.CutSuffix(spec, ":*")
	if !open {
		start, open = strings.CutSuffix(spec, " *")
	}
	if !open || start == "" || strings.Contains(start, "*") || strings.ContainsAny(command, "\n\r;&|<>`$(){}#\\") {
		return false
	}
	return command == start || strings.HasPrefix(command, start+" ")
}

// hostIn is the host of an address in its plainest form, "" for any other.
func hostIn(address string) string {
	rest, ok := strings.CutPrefix(address, "https://")
	if !ok {
		rest = strings.TrimPrefix(address, "http://")
	}
	host, _, _ := strings.Cut(rest, "/")
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return ""
	}
	return host
}
