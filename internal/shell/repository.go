package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

const maxConfig = 256 << 10 // bounds how much of a file of git's is read

// repository is what was found of a git repository.
type repository struct {
	from    string // the directory it was looked for from
	top     string // of the working tree; "" in a bare repository
	dir     string // the git directory
	common  string // that of the main working tree
	found   bool
	fault   string // why git is not plain here
	secret  bool   // a setting holds a password, a token or a header
	hooks   bool   // a setting says where the hooks lie
	reaches bool   // a setting says how git asks another machine
	remotes map[string]string
}

// repository finds and reads the repository around a directory; nil if the directory or the files are not known.
func (d *draft) repository(dir string) *repository {
	if dir == "" || d.machine.env.Files == nil {
		return nil
	}
	for _, r := range d.repos {
		if r.from == dir {
			return r
		}
	}
	r := &repository{from: dir, remotes: map[string]string{}}
	d.repos = append(d.repos, r)
	real, err := view.Resolve(d.machine.env.Files, dir)
	if err != nil {
		r.fault = "where the repository lies is not known"
	} else if found, fault := repo.Find(d.machine.env.Files, real); found != nil {
		r.found, r.top, r.dir, r.common, r.fault = true, found.Top, found.Dir, found.Common, grammar.Escaped(fault)
	} else {
		r.fault = grammar.Escaped(fault)
	}
	if r.found {
		d.settings(r, r.common+"/config", true)
		d.settings(r, r.dir+"/config.worktree", true)
	}
	if d.machine.env.Home != "" {
		d.settings(r, d.machine.env.Home+"/.gitconfig", false)
		d.settings(r, d.machine.env.Home+"/.config/git/config", false)
	}
	return r
}

func (m *machine) exists(name string) bool {
	_, err := m.env.Files.Lstat(name)
	return err == nil
}

// settings reads a file of git's settings. Those of the repository must be on the list
// of what starts nothing (git's sheet); those of the person are the person's.
func (d *draft) settings(r *repository, name string, own bool) {
	real, err := view.Resolve(d.machine.env.Files, name)
	if err != nil || !d.machine.exists(real) {
		return
	}
	data, err := d.machine.env.Files.Read(real, maxConfig)
	settings, ok := repo.Settings(string(data))
	if err != nil || !ok {
		r.fault = grammar.Escaped(name) + " cannot be read"
		return
	}
	d.rests(name, data)
	for _, s := range settings {
		r.secret = r.secret || secretSetting(s.Name, s.Text)
		if strings.EqualFold(s.Name, "core.hookspath") {
			r.hooks = r.hooks || s.Value() != "" && s.Value() != "/dev/null"
		} else if own && !d.machine.plainSetting(r, s) {
			r.fault = grammar.Escaped(name) + " sets " + grammar.Escaped(s.Name) + ", which may start something"
		}
	}
}

// plainSetting reports whether a setting of a repository changes nothing of what git starts, asks or keeps.
func (m *machine) plainSetting(r *repository, s repo.Setting) bool {
	first, rest, _ := strings.Cut(s.Name, ".")
	last := rest[strings.LastIndexByte(rest, '.')+1:]
	value := s.Value()
	switch key := first + "." + last; key {
	case "remote.url":
		r.remotes[strings.TrimSuffix(rest, ".url")] = value
		return !strings.Contains(value, "::")
	case "remote.fetch":
		_, to, _ := strings.Cut(value, ":")
		return strings.HasPrefix(to, "refs/remotes/") || strings.HasPrefix(to, "refs/tags/")
	case "core.logallrefupdates":
		return !falsy(value)
	case "core.worktree": // of a submodule: its own
		return r.top != "" && path.Join(r.dir, value) == r.top
	case "core.fsmonitor":
		return falsy(value) || strings.EqualFold(value, "true")
	case "filter.clean", "filter.smudge", "filter.process":
		return strings.HasPrefix(s.Name, "filter.lfs.") && strings.HasPrefix(value, "git-lfs ") &&
			!strings.ContainsAny(value, ";|&$`/")
	case "branch.remote":
		return !strings.ContainsAny(value, `:\`) && !strings.HasPrefix(value, "/")
	default:
		network := key == "core.sshcommand" || Lists("git", "network-settings", first)
		r.reaches = r.reaches || network
		return network || Lists("git", "plain-settings", key) || Lists("git", "plain-settings", first)
	}
}

func falsy(text string) bool {
	return slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(text))
}

// plainGit reports what keeps a git command from being plain where it runs, and the hooks that it starts.
func (d *draft) plainGit(r *repository, inv *invocation, sub string) {
	if Lists("git", "anywhere", sub) {
		return
	}
	switch {
	case r == nil:
		d.unknown(PartWords, inv.raw, "this runs git, and nod cannot tell in which repository")
	case r.fault != "":
		d.unknown(PartWords, inv.raw, "this runs git, and "+r.fault)
	case !r.found && d.changed && sub != "clone" && sub != "init":
		d.unknown(PartWords, inv.raw,
			"this runs git in a repository that the same line may make, so that nod cannot read its settings")
	case r.found:
		d.runHooks(r, sub, inv)
	}
}

// remote is the address that git asks where the arguments name a remote, or none; false
// where anything may lead elsewhere than over https or ssh.
func (r *repository) remote(args []word) (url string, ok bool) {
	for name, address := range r.remotes {
		if len(args) == 0 && !plainRemote(address) { // that of the branch may be any
			return "", false
		}
		if len(args) > 0 && name == args[0].text || len(args) == 0 && (url == "" || name == "origin") {
			url = address
		}
	}
	return url, !r.reaches && plainRemote(url)
}

// plainRemote reports whether an address leads to a host over https or ssh, and nowhere
// else: no helper, no file, no password.
func plainRemote(url string) bool {
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "https://"), "/")
	if rest, ssh := strings.CutPrefix(url, "git@"); ssh {
		host, _, _ = strings.Cut(rest, ":")
	} else if host == "" || !strings.HasPrefix(url, "https://") {
		return false
	}
	const plain = "abcdefghijklmnopqrstuvwxyz0123456789.-"
	return host != "" && host[0] != '-' && strings.Trim(strings.ToLower(host), plain) == ""
}

// runHooks reports the hooks that exist, or that the line may make, and that the subcommand starts.
func (d *draft) runHooks(r *repository, sub string, inv *invocation) {
	s, _ := d.machine.sheet("git")
	hooks := listed(s.all, "hooks-of-"+sub)
	if hooks == nil {
		hooks = listed(s.all, "hooks-of-others")
	}
	if hooks[0] == "none" {
		return
	}
	dir := r.common + "/hooks"
	if r.hooks || d.mayMake(dir) {
		d.does(Run, "hooks", inv.raw)
	}
	for _, hook := range hooks {
		name := dir + "/" + hook
		info, err := d.machine.env.Files.Lstat(name)
		if err != nil || info.Mode.IsDir() || info.Mode.IsRegular() && info.Mode.Perm()&0o111 == 0 {
			continue
		}
		d.defined(name)
		real, place := d.machine.place(name)
		d.effect(Effect{Kind: Run, Target: real, Place: place, Words: inv.raw, Part: PartWords})
	}
}

// plainKey reports a setting that changes what is printed, at most.
func plainKey(name string) bool {
	first, _, _ := strings.Cut(strings.ToLower(name), ".")
	return Lists("git", "plain-keys", first) || Lists("git", "plain-keys", strings.ToLower(name))
}

// printsSettings reports whether a subcommand prints settings that may be any: all but
// those asked for by a name that says that they are harmless.
func (m *machine) printsSettings(sub string, args []word) bool {
	return sub == "remote" || sub == "ls-remote" || sub == "var" ||
		sub == "config" && slices.ContainsFunc(args, func(w word) bool {
			return !w.known || w.many || !plainKey(w.text) && !Lists("git", "plain-config-words", w.text)
		})
}

// secretSetting reports whether a setting of git holds what nobody should
// read: a header of requests, or a URL with a password or a token in it.
func secretSetting(name, text string) bool {
	key := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	holds := slices.Contains([]string{"extraheader", "smtppass", "password", "pass", "token", "oauthtoken"}, key)
	return holds && text != "" && text != `""` || passwordInURL(name) || passwordInURL(text)
}

const tokenLength = 20 // how long the user of a URL is if it is a token, at least

// passwordInURL looks for ://user:password@ and for ://token@.
func passwordInURL(text string) bool {
	return slices.ContainsFunc(strings.Split(text, "://")[1:], func(rest string) bool {
		authority, _, _ := strings.Cut(rest, "/")
		at := max(strings.LastIndexByte(authority, '@'), 0)
		_, password, _ := strings.Cut(authority[:at], ":")
		return password != "" || at >= tokenLength
	})
}

// HoldsGitLogin reports whether the text of a git configuration holds a password, a token or a header of requests.
func HoldsGitLogin(config string) bool {
	return slices.ContainsFunc(strings.Split(config, "\n"), func(line string) bool {
		name, text, _ := strings.Cut(line, "=")
		return secretSetting(strings.TrimSpace(name), strings.TrimSpace(text)) || passwordInURL(line)
	})
}
