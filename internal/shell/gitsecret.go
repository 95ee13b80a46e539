package shell

import (
	"slices"
	"strings"
)

// secretSetting reports whether a setting of git holds what nobody should
// read: a header of requests, or a URL with a password or a token in it.
func secretSetting(name, text string) bool {
	key := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	holds := slices.Contains([]string{"extraheader", "smtppass", "password", "pass", "token", "oauthtoken"}, key)
	return holds && text != "" && text != `""` || passwordInURL(name) || passwordInURL(text)
}

// tokenLength is how long the user of a URL is if it is a token, at least.
const tokenLength = 20

// passwordInURL looks for ://user:password@ and for ://token@.
func passwordInURL(text string) bool {
	for {
		_, rest, ok := strings.Cut(text, "://")
		if !ok {
			return false
		}
		authority := rest
		if end := strings.IndexAny(rest, "/?# \t\n\""); end >= 0 {
			authority = rest[:end]
		}
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			_, password, _ := strings.Cut(authority[:at], ":")
			if password != "" || at >= tokenLength {
				return true
			}
		}
		text = rest
	}
}

// printsSettings reports whether a subcommand prints settings that may be any:
// all but those asked for by a name that says that they are harmless.
func (m *machine) printsSettings(sub string, args []word) bool {
	return slices.ContainsFunc(args, func(w word) bool {
		switch {
		case sub == "config":
			return !w.known || w.many || !m.plainKey(w.text) && !m.gitIs("plain-config-words", w.text)
		case sub == "ls-remote":
			return !w.known || w.many || strings.HasPrefix(w.text, "--get")
		case sub == "var", sub == "remote":
			return !w.known || w.many || strings.HasPrefix(w.text, "-") ||
				sub == "remote" && (w.text == "get-url" || w.text == "show")
		}
		return false
	})
}

// plainKey reports a setting that changes what is printed, at most.
func (m *machine) plainKey(name string) bool {
	first, _, _ := strings.Cut(strings.ToLower(name), ".")
	return m.gitIs("plain-keys", first) || m.gitIs("plain-keys", strings.ToLower(name))
}

// HoldsGitLogin reports whether the text of a git configuration holds a
// password, a token or a header of requests.
func HoldsGitLogin(config string) bool {
	for line := range strings.Lines(config) {
		name, text, _ := strings.Cut(line, "=")
		if secretSetting(strings.TrimSpace(name), strings.TrimSpace(text)) || passwordInURL(line) {
			return true
		}
	}
	return false
}
