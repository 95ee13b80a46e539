package agent

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
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
		named := func(rule string) bool { return grants(rule, c) }
		return err == nil && slices.ContainsFunc(s.Permissions.Allow, named) &&
			(path.Base(name) == "settings.json" || !slices.ContainsFunc(upwards(project), bringsLocal))
	})
}

// indexLimit bounds the list of a repository's files.
const indexLimit = 64 << 20

// bringsLocal reports whether the repository of a directory holds a settings.local.json, or
// may: git's list may have but the end of a name.
func bringsLocal(project string) bool {
	dir := filepath.Join(project, ".git")
	if text, there, err := hostText(dir); err == nil && there { // a linked working tree
		dir = strings.TrimSpace(strings.TrimPrefix(text, "gitdir:"))
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(project, dir)
		}
	}
	file, size, err := openRegular(filepath.Join(dir, "index"))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	list, err := io.ReadAll(io.LimitReader(file, indexLimit))
	return err != nil || size > indexLimit || bytes.Contains(list, []byte("local.json\x00"))
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
	start, word, ok := commandSpec(spec)
	if !ok || spec == command || spec == start {
		return ok && spec == command
	}
	if strings.ContainsAny(command, "\n\r;&|<>`$(){}#\\") {
		return false
	}
	rest, ok := strings.CutPrefix(command, start)
	return ok && (!word || rest == "" || rest[0] == ' ')
}

// commandSpec is what a rule for commands begins with, and whether a word ends there. ok is
// false for the rules of which nod leaves nothing to the host.
func commandSpec(spec string) (start string, word, ok bool) {
	start, word = strings.CutSuffix(spec, ":*")
	if !word {
		start, word = strings.CutSuffix(spec, " *")
	}
	start = strings.TrimSuffix(start, "*")
	return start, word, start != "" && !strings.Contains(start, "*")
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
