package recipe

import (
	"path"
	"strings"
)

// ElsewhereOption recognises options that name another definition.
func ElsewhereOption(name string) bool {
	switch name {
	case "-f", "--justfile", "-d", "--working-directory", "-t", "--taskfile", "--dir", "-C", "--cd", "-c", "--config",
		"--rakefile", "-g", "--global", "--noxfile":
		return true
	}
	return false
}

// CodeNames lists the words of a text that look like names of files with code.
func CodeNames(text string) (names []string) {
	for _, name := range strings.FieldsFunc(text, betweenNames) {
		if codeName(name) {
			names = append(names, name)
		}
	}
	return names
}

func betweenNames(r rune) bool {
	return r <= ' ' || strings.ContainsRune("\"'`;|&()<>=$,{}[]:@#", r)
}

// codeName reports whether a word looks like the name of a file with code.
func codeName(name string) bool {
	if strings.HasPrefix(name, "-") || len(name) > 512 {
		return false
	}
	switch path.Ext(name) {
	case ".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".rb", ".pl", ".php", ".lua",
		".mk", ".just", ".yml", ".yaml", ".toml", ".rake":
		return true
	case "":
		return strings.Contains(name, "/")
	}
	return false
}

// MiseDirs are the places below a directory in which mise looks for its
// configuration.
func MiseDirs() []string {
	return []string{"", "mise", ".mise", ".config", ".config/mise", ".mise/conf.d", ".config/mise/conf.d"}
}

// MiseConfig reports whether a file of that name in one of these places is
// configuration.
func MiseConfig(sub, name string) bool {
	bare := strings.TrimPrefix(name, ".")
	switch {
	case sub == "" && name == ".tool-versions", path.Base(sub) == "conf.d" && strings.HasSuffix(name, ".toml"),
		(sub == "" || sub == ".config") && strings.HasPrefix(bare, "mise.") && strings.HasSuffix(name, ".toml"),
		path.Base(strings.TrimPrefix(sub, ".")) == "mise" && strings.HasPrefix(name, "config.") &&
			strings.HasSuffix(name, ".toml"):
		return true
	}
	return false
}

// MiseTaskDirs lists the directories in which the files of tasks lie.
func MiseTaskDirs() [5]string {
	return [...]string{"mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"}
}

// MiseTaskFiles lists where in such a directory the file of a task may lie, whose
// name has colons for slashes.
func MiseTaskFiles(task string) (names []string) {
	if task == "" || strings.HasPrefix(task, "-") || strings.Contains(task, "..") || len(task) > 256 {
		return nil
	}
	file := strings.ReplaceAll(task, ":", "/")
	return []string{file, file + "/_default", file + ".sh"}
}
