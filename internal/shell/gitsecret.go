package shell

import "strings"

// secretSetting reports whether a setting of git holds what nobody should
// read: a header of requests, or a URL with a password or a token in it.
func secretSetting(name, text string) bool {
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "extraheader", "smtppass", "password", "pass", "token", "oauthtoken":
		return true
	}
	return passwordInURL(name) || passwordInURL(text)
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
		if end := strings.IndexAny(rest, "/?# \t\""); end >= 0 {
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
func printsSettings(sub string, args []word) bool {
	switch sub {
	case "config":
		for _, w := range args {
			if !w.known || w.many || !plainGitKey(w.text) && !plainConfigWord(w.text) {
				return true
			}
		}
	case "var", "remote", "ls-remote":
		for _, w := range args {
			if !w.known || w.many || printsURL(sub, w.text) {
				return true
			}
		}
	}
	return false
}

// printsURL recognises the words after which git var, git remote and git
// ls-remote print settings or URLs as they are.
func printsURL(sub, text string) bool {
	if sub == "ls-remote" {
		return strings.HasPrefix(text, "--get")
	}
	return strings.HasPrefix(text, "-") || sub == "remote" && (text == "get-url" || text == "show")
}

// plainConfigWord lists the words of git config that do not widen what is
// printed.
func plainConfigWord(text string) bool {
	switch text {
	case "get", "--get", "--get-all", "--global", "--local", "--system", "--worktree", "--bool", "--int", "--path",
		"-z", "--null":
		return true
	}
	return false
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
