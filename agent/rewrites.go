package agent

import (
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/nodgate/nod"
)

// Some hosts change the text of a command before a shell gets it. Where that may change
// more than the words that it is meant for, the call is denied ([nod.Call.Rewritten]).

// geminiUnwraps reports whether Gemini CLI may run another text than the one given: it
// takes sh -c and its like away, and the first and the last quote of all that follows
// (0.61.0, stripShellWrapper). One word in quotes that holds neither quotes nor anything
// that a shell expands is the same text either way.
func geminiUnwraps(command string) bool {
	shell, rest := cutWord(command)
	switch strings.ToLower(path.Base(shell)) {
	case "sh", "bash", "zsh":
	default:
		return false
	}
	option, rest := cutWord(rest)
	text := strings.TrimFunc(rest, isBlank)
	if !strings.EqualFold(option, "-c") || text == "" {
		return false
	}
	quote := text[:1]
	body, closed := strings.CutSuffix(text[1:], quote)
	switch {
	case !closed:
		return true
	case quote == "'":
		return strings.Contains(body, "'")
	case quote == `"`:
		return strings.ContainsAny(body, "\"\\$`")
	}
	return true
}

func geminiRewrites(command string) string {
	if geminiUnwraps(command) {
		return geminiUnwrapped
	}
	return ""
}

func qwenRewrites(command string) string {
	if qwenAdds(command) {
		return qwenAdded
	}
	return ""
}

// isBlank is what a host written in JavaScript takes for a blank: more than a shell does.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == 0xFEFF }

// absent reports whether nothing lies where a name of a call leads.
func absent(c nod.Call, name string) bool {
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		name = variable(c.Environ, "HOME") + "/" + below
	} else if !path.IsAbs(name) {
		name = c.Dir + "/" + name
	}
	_, err := os.Stat(name)
	return err != nil
}

// winds reports whether a directory is left again on the way to another one. Some hosts
// take a/.. out of a name before they go there, and a may be a link.
func winds(dir string) bool {
	parts := strings.Split(dir, "/")
	for len(parts) > 0 && (parts[0] == ".." || parts[0] == "." || parts[0] == "") {
		parts = parts[1:]
	}
	return slices.Contains(parts, "..")
}

// cutWord takes the first word off a text.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeftFunc(text, isBlank)
	end := strings.IndexFunc(text, isBlank)
	if end < 0 {
		return text, ""
	}
	return text[:end], text[end:]
}

// qwenAdds reports whether Qwen Code may put lines of its own where a shell reads them
// as commands: it adds some to the message of a commit and to the body of a pull request,
// in front of the quote that it takes for the end of that (0.24.4,
// addCoAuthorToGitCommit, addAttributionToPR). It is that quote where all quotes of the
// text are read alike by everybody.
func qwenAdds(command string) bool {
	plain := strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(command)
	commits := strings.Contains(plain, "git") && strings.Contains(plain, "commit")
	requests := strings.Contains(plain, "gh") && strings.Contains(plain, "pr")
	if !commits && !requests || !takesMessage(command) {
		return false
	}
	for rest := command; ; {
		open := strings.IndexAny(rest, `'"`)
		before := rest
		if open >= 0 {
			before = rest[:open]
		}
		if strings.ContainsAny(before, "\\#`") || strings.Contains(before, "<<") || strings.HasSuffix(before, "$") {
			return true
		}
		if open < 0 {
			return false
		}
		end := strings.IndexByte(rest[open+1:], rest[open])
		if end < 0 {
			return true
		}
		inside := rest[open+1 : open+1+end]
		if rest[open] == '"' && strings.ContainsAny(inside, "\\`$") || takesMessage(inside+`"`) ||
			takesMessage(inside+"'") {
			return true
		}
		rest = rest[open+end+2:]
	}
}

// takesMessage reports whether an option of a message stands in front of a quote.
func takesMessage(text string) bool {
	for i, c := range text {
		if c != '"' && c != '\'' {
			continue
		}
		before := strings.TrimRightFunc(text[:i], isBlank)
		before = strings.TrimRightFunc(strings.TrimSuffix(before, "="), isBlank)
		word := before[strings.LastIndexAny(before, " \t\r\n'\"")+1:]
		if strings.Contains(word, "-") && slices.ContainsFunc([]string{"m", "b", "message", "body"},
			func(end string) bool { return strings.HasSuffix(word, end) }) {
			return true
		}
	}
	return false
}

const (
	geminiUnwrapped = "Gemini CLI takes sh -c and quotes away before it runs this, which may make another command of " +
		"it; give the command itself, without sh -c"
	qwenAdded = "Qwen Code adds lines to the message in this before it runs it, and may add them where a shell reads " +
		"commands; give the message in plain quotes, without \\, #, $ or ` in the line, or commit with -F and a file"
	geminiSearched = "this file is not there, and Gemini CLI would then edit another one whose name ends so; give the " +
		"whole path of a file that is there, or write a new one"
	windingDir       = "which directory this means depends on who reads it; name it without ~ and a/.."
	copilotElsewhere = "Copilot runs this in the directory in which the shell of that shellId was made, which nod is not " +
		"shown; leave shellId out"
	leftElsewhere = "the host keeps the shell, which this directory may leave there for the next command: nod would " +
		"not see in what that runs; put it in parentheses: (cd x && ...)"
	takenForOption = "the program that the host searches with would take this for an option, some of which run " +
		"commands; let it begin with another sign, as [-]-x does in place of --x"
	piSpelled = "this file is not there, and Pi would then read another one whose name is spelled otherwise; list the " +
		"directory, and give the name as it is there"
)
