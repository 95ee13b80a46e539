package agent

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// Some hosts change the text of a command before a shell gets it, or type it into an interactive shell, where more than
// its words counts. Where that may change more than the words that it is meant for, the call is denied
// ([nod.Call.Rewritten]). What is looked for is wider than what the hosts do: the agent is told how to say it plainly.

// geminiRewrites: Gemini CLI takes sh -c and its like away, and the first and the last quote
// of all that follows (0.61.0, stripShellWrapper).
func geminiRewrites(command string) string {
	fields := strings.FieldsFunc(command, isBlank)
	if len(fields) < 3 || !slices.Contains([]string{"sh", "bash", "zsh"}, strings.ToLower(path.Base(fields[0]))) ||
		!strings.EqualFold(fields[1], "-c") {
		return ""
	}
	return "Gemini CLI takes sh -c and quotes away before it runs this, which may make another command of it; give the " +
		"command itself, without sh -c"
}

// qwenRewrites: Qwen Code adds lines to the message of a commit and to the body of a pull request, in front of the
// quote that it takes for the end of that (0.24.4, addCoAuthorToGitCommit, addAttributionToPR). It is that quote
// where all quoted parts are plain, and none ends like an option for a message.
func qwenRewrites(command string) string {
	bare := strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(command)
	commits := strings.Contains(bare, "git") && strings.Contains(bare, "commit")
	requests := strings.Contains(bare, "gh") && strings.Contains(bare, "pr")
	takes := regexp.MustCompile(`-\S*(m|b|message|body)[\s"'=]`)
	if !commits && !requests || !strings.ContainsAny(command, `'"`) || !takes.MatchString(command) {
		return ""
	}
	quotes := regexp.MustCompile(`'[^']*'|"[^"\\$` + "`" + `]*"`)
	endsInOption := regexp.MustCompile(`-\S*(m|b|message|body)[ =]*["']$`)
	if !strings.ContainsAny(quotes.ReplaceAllString(command, ""), "'\"\\$`#<") &&
		!slices.ContainsFunc(quotes.FindAllString(command, -1), endsInOption.MatchString) {
		return ""
	}
	return "Qwen Code adds lines to the message in this before it runs it, and may add them where a shell reads " +
		"commands; give the message in plain quotes, without \\, #, $ or ` in the line, or commit with -F and a file"
}

// isBlank is what a host written in JavaScript takes for a blank: more than a shell does.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == 0xFEFF }

// typedRewrites: a line that is typed at the prompt of a shell may differ from the same line in a script: a tab
// completes a word, several lines are several commands, a ! stands for an earlier line, and a # begins no comment.
// VS Code takes timeout away, and OpenHands puts a second backslash before a sign that has a backslash.
func typedRewrites(command string) string {
	if !strings.ContainsAny(command, "\t\n\r!#\\") && !strings.HasPrefix(strings.TrimLeft(command, " "), "timeout") {
		return ""
	}
	return `the editor types this into an interactive shell, which may read several lines, tabs, \, # and ! otherwise ` +
		"than a script does; give one line without them, and without timeout"
}

// absent reports whether nothing lies where a name of a call leads.
func absent(c nod.Call, name string) bool {
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		name = variable(c.Environ, "HOME") + "/" + below
	} else if !path.IsAbs(name) {
		name = c.Dir + "/" + name
	}
	_, err := os.Stat(view.Native(name))
	return err != nil
}

// respelled denies a call with a name that the host does not take as it is written: with
// signs that it decodes or leaves out.
func respelled(c *nod.Call, odd func(name string) bool) {
	if slices.ContainsFunc(c.Paths, odd) {
		c.Rewritten = "the host reads signs in this name (@, %, \\ or unusual blanks at some places) otherwise than " +
			"nod does; give a plain name, or use another tool for this file"
	}
}

// winds reports whether a directory is left again on the way to a second directory. Some
// hosts take a/.. out of a name before they go there, and a may be a link.
func winds(dir string) bool {
	parts := strings.Split(dir, "/")
	for len(parts) > 0 && (parts[0] == ".." || parts[0] == "." || parts[0] == "") {
		parts = parts[1:]
	}
	return slices.Contains(parts, "..")
}

const (
	windingDir       = "which directory this means depends on who reads it; name it without ~ and a/.."
	copilotElsewhere = "Copilot runs this in the directory in which the shell of that shellId was made, which nod is not " +
		"shown; leave shellId out"
	leftElsewhere = "the host keeps the shell, which this directory may leave there for the next command: nod would " +
		"not see in what that runs; put it in parentheses: (cd x && ...)"
	takenForOption = "the program that the host searches with would take this for an option, and some options run " +
		"commands; let it begin with another sign, as [-]-x does in place of --x"
)
