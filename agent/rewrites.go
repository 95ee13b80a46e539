package agent

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nodgate/nod"
)

// Some hosts change the text of a command before a shell gets it, or type it into an
// interactive shell, where more than its words counts. Where that may change more than the
// words that it is meant for, the call is denied ([nod.Call.Rewritten]). What is looked for
// is wider than what the hosts do: the agent is told how to say it plainly.

// geminiRewrites: Gemini CLI takes sh -c and its like away, and the first and the last quote
// of all that follows (0.61.0, stripShellWrapper). One word in quotes that holds neither
// quotes nor anything that a shell expands is the same text either way.
func geminiRewrites(command string) string {
	fields := strings.FieldsFunc(command, isBlank)
	if len(fields) < 3 || !slices.Contains([]string{"sh", "bash", "zsh"}, strings.ToLower(path.Base(fields[0]))) ||
		!strings.EqualFold(fields[1], "-c") {
		return ""
	}
	_, text, _ := strings.Cut(command, fields[1])
	text = strings.TrimFunc(text, isBlank)
	inner := strings.Trim(text, text[:1])
	if text[0] == '\'' && text == "'"+inner+"'" && !strings.Contains(inner, "'") ||
		text[0] == '"' && text == `"`+inner+`"` && !strings.ContainsAny(inner, "\"\\$`") {
		return ""
	}
	return "Gemini CLI takes sh -c and quotes away before it runs this, which may make another command of it; give the " +
		"command itself, without sh -c"
}

// qwenRewrites: Qwen Code adds lines to the message of a commit and to the body of a pull
// request, in front of the quote that it takes for the end of that (0.24.4,
// addCoAuthorToGitCommit, addAttributionToPR). It is that quote where no sign of the text
// can be read in several ways, and no quoted part ends like an option for a message.
func qwenRewrites(command string) string {
	plain := strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(command)
	commits := strings.Contains(plain, "git") && strings.Contains(plain, "commit")
	requests := strings.Contains(plain, "gh") && strings.Contains(plain, "pr")
	takes := regexp.MustCompile(`-\S*(m|b|message|body)[\s"'=]`)
	if !commits && !requests || !strings.ContainsAny(command, `'"`) || !takes.MatchString(command) {
		return ""
	}
	bare, parts, unsure := unquotedOf(command)
	endsInOption := regexp.MustCompile(`-\S*(m|b|message|body)[ =]*["']$`)
	if !unsure && !strings.Contains(bare, "#") && !strings.Contains(command, `\`) &&
		!slices.ContainsFunc(parts, endsInOption.MatchString) {
		return ""
	}
	return "Qwen Code adds lines to the message in this before it runs it, and may add them where a shell reads " +
		"commands; give the message in plain quotes, without \\, #, $ or ` in the line, or commit with -F and a file"
}

// isBlank is what a host written in JavaScript takes for a blank: more than a shell does.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == 0xFEFF }

// unquotedOf is a command with a letter for each quoted part, and those parts, as bash and
// zsh divide it where the quotes are plain. unsure says that quotes may end elsewhere.
func unquotedOf(command string) (bare string, parts []string, unsure bool) {
	pieces := regexp.MustCompile(`(?s)\\.|'[^']*'|"(?:[^"\\$` + "`" + `]|\\[^"])*"`)
	var plain strings.Builder // and without what a backslash takes as it is
	rest := 0
	for _, at := range pieces.FindAllStringIndex(command, -1) {
		between, piece := command[rest:at[0]], command[at[0]:at[1]]
		rest = at[1]
		bare, _ = bare+between, plain.WriteByte(' ')
		plain.WriteString(between)
		if piece[0] == '\\' {
			bare += piece
			continue
		}
		bare, parts = bare+"q", append(parts, piece)
	}
	bare += command[rest:]
	plain.WriteString(command[rest:])
	return bare, parts, strings.ContainsAny(plain.String(), "'\"`$") || strings.Contains(plain.String(), "<<")
}

// typedRewrites: a line that is typed at the prompt of bash or zsh may be another one than
// in a script: a tab completes a word, several lines are several commands or joined to one,
// a ! stands for an earlier line, and to zsh a # begins no comment there.
func typedRewrites(command string) string {
	bare, _, unsure := unquotedOf(command)
	recalls := regexp.MustCompile(`![^ =]`)
	remarks := regexp.MustCompile(`(^|[ ;&|()])#`)
	if strings.ContainsAny(command, "\t\n\r") || recalls.MatchString(bare) || remarks.MatchString(bare) ||
		recalls.MatchString(command) && strings.Contains(command, `"`) || unsure && remarks.MatchString(command) {
		return "the editor types this into an interactive shell, which may read several lines, tabs, # and ! " +
			"otherwise than a script does; give one line without a comment, and put ! in single quotes"
	}
	return ""
}

func vscodeRewrites(command string) string {
	if strings.HasPrefix(strings.TrimLeft(command, " "), "timeout") {
		return "VS Code takes timeout away, and what stood behind it is then looked for in the shell itself; leave it out"
	}
	return typedRewrites(command)
}

// openhandsRewrites: outside of quotes OpenHands puts another backslash before a sign that
// has one, which may make an operator of it (SDK 1.43.1, escape_bash_special_chars), and a
// tab is typed into a shell that completes words.
func openhandsRewrites(command string) string {
	bare, _, unsure := unquotedOf(command)
	escaped := regexp.MustCompile(`\\[;&|<>]`)
	if !strings.Contains(command, "\t") && !escaped.MatchString(bare) &&
		!((unsure || strings.Contains(bare, "#")) && escaped.MatchString(command)) {
		return ""
	}
	return `OpenHands puts another backslash before \; \| and the like and then types this into a shell, to ` +
		"which the sign ends the command and a tab completes a word; put the sign in quotes, as in ';', and no tabs"
}

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

// respelled denies a call with a name that the host does not take as it is written: with
// signs that it decodes or leaves out.
func respelled(c *nod.Call, odd func(name string) bool) {
	if slices.ContainsFunc(c.Paths, odd) {
		c.Rewritten = "the host reads signs in this name (@, %, \\ or unusual blanks at some places) otherwise than " +
			"nod does; give a plain name, or use another tool for this file"
	}
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

const (
	windingDir       = "which directory this means depends on who reads it; name it without ~ and a/.."
	copilotElsewhere = "Copilot runs this in the directory in which the shell of that shellId was made, which nod is not " +
		"shown; leave shellId out"
	leftElsewhere = "the host keeps the shell, which this directory may leave there for the next command: nod would " +
		"not see in what that runs; put it in parentheses: (cd x && ...)"
	takenForOption = "the program that the host searches with would take this for an option, some of which run " +
		"commands; let it begin with another sign, as [-]-x does in place of --x"
)
