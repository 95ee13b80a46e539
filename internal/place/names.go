package place

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
)

// starts reports whether a text of settings names a file by its path from a directory:
// as it is, from a directory that the text names beside it (cwd, cd, PATH), as a module
// or by the directory that a program takes for it.
func starts(text, name string) bool {
	if strings.ContainsAny(name, `'"\`) && starts(text, strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(name)) {
		return true // as a text without quotes has it
	}
	return slices.ContainsFunc(startedAs(name), func(name string) bool {
		return namesPath(text, name) || namesFromWithin(text, name) || namesScript(text, name)
	}) || namesModule(text, name) || namesDirectory(text, name)
}

// startsFromBelow reports whether hooks or a status line that a text (here) holds may start
// a file by a relative name: some hosts start those where the session stands, which may be
// any directory on the way to the file. A name with a slash at its end is that of a
// directory.
func startsFromBelow(text, name string) bool {
	if strings.HasPrefix(name, "../") {
		return false
	}
	for _, rest, _ := strings.Cut(name, "/"); rest != ""; _, rest, _ = strings.Cut(rest, "/") {
		if slices.ContainsFunc(startedAs(rest), func(given string) bool {
			return namesRelative(text, given) || runsWord(text, given, given == rest)
		}) || namesModule(text, rest) || !isTask(rest) && namesDirectory(text, rest) || namesFromWithin(text, rest) {
			return true
		}
	}
	return false
}

// isTask reports whether a file may be meant by a word that bun and deno take for a task:
// bun test.
func isTask(name string) bool {
	base := path.Base(name)
	return hosts.IsScriptOfNode(base) && !strings.HasPrefix(base, "index.")
}

// here is a text with the directory in which the session stands as ./, and with the ways up
// from there, which may lead to any directory.
func here(text string) string {
	text = strings.NewReplacer("$pwd/", "./", "${pwd}/", "./", "$(pwd)/", "./", "`pwd`/", "./", "../", "./",
		"path=:", "path=.:", "$path: ", "$path:. ", "${path}: ", "$path:. ").Replace(text)
	for strings.Contains(text, "././") {
		text = strings.ReplaceAll(text, "././", "./")
	}
	return text
}

// runsWord reports whether a text hands a name that is only a word to a program that runs
// files, or has a shell look for it where it starts. A word that is not the whole name is
// for Node alone: bun and deno take it for a task.
func runsWord(text, name string, whole bool) bool {
	if strings.Contains(name, "/") {
		return false
	}
	programs, named := hosts.RunFiles(), false
	if !whole {
		programs = hosts.AddEnding()
	}
	for before, after := range aroundWords(text, name) {
		named = true
		words := lastWords(before, mostOptions)
		if isProgramBefore(words, programs) || isFileOption(words) || isPiped(after) ||
			len(words) > 0 && words[len(words)-1] == "bash_env" {
			return true
		}
	}
	return named && whole && (inPath(text, ".") || inPath(text, "$pwd"))
}

func namesRelative(text, name string) bool {
	for at := range occurrences(text, name) {
		if isRelativeThere(text[:at], name, text[at+len(name):]) {
			return true
		}
	}
	return false
}

// isRelativeThere reports whether a name between two texts is a relative path by itself:
// ./x, or a word with a slash in it.
func isRelativeThere(before, name, after string) bool {
	plain := strings.TrimSuffix(before, "./")
	ends := strings.HasSuffix(name, "/") || after == "" || !pathByte(after[0]) && after[0] != '/'
	return ends && begins(plain) && !isData(before) && (plain != before || strings.Contains(name, "/"))
}

// startedAs are the names by which a file is started: all of its name, or without the
// ending that its program adds, and for Node a directory's index.
func startedAs(name string) []string {
	ext := path.Ext(name)
	if !hosts.LeavesOutEnding(ext) {
		return []string{name}
	}
	short := strings.TrimSuffix(name, ext)
	if dir, index := strings.CutSuffix(short, "/index"); index && hosts.IsScriptOfNode(name) {
		return []string{name, short, dir}
	}
	return []string{name, short}
}

// namesFromWithin reports whether a text names a directory of a path, and by itself the
// rest: "cwd": "tools", "args": ["server.js"]. A rest that is only a word counts where a
// word before the directory says that something is started there.
func namesFromWithin(text, name string) bool {
	for i, c := range name {
		if c != '/' || !hasWord(text, name[:i]) {
			continue
		}
		if rest := name[i+1:]; namesFromWithin(text, rest) ||
			hasWord(text, rest) && (strings.Contains(rest, ".") || isStartedFrom(text, name[:i])) {
			return true
		}
	}
	return false
}

// inPath reports whether a text sets PATH to a list in which a directory is.
func inPath(text, dir string) bool {
	for before := range wordsIn(text, dir) {
		before = nearest(before)
		words := lastWords(before[:strings.LastIndexAny(before, " \t\n,;=()[]'\"")+1], 1)
		if len(words) == 1 && words[0] == "path" {
			return true
		}
	}
	return false
}

// isFileOption reports whether words end with a program and the option behind which it
// takes a file of what it does: make -f, sed -nf.
func isFileOption(words []string) bool {
	n := len(words)
	return n > 1 && strings.HasPrefix(words[n-1], "-") && strings.HasSuffix(words[n-1], "f") &&
		slices.Contains(hosts.FileOptions(), words[n-2])
}

// isPiped reports whether a text goes on with a pipe to a program that runs what it reads.
func isPiped(after string) bool {
	rest, found := strings.CutPrefix(strings.TrimLeft(after, " '\"\\"), "|")
	rest = strings.TrimLeft(rest, " ")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < 0x80 && !pathByte(byte(r)) })
	if end < 0 {
		end = len(rest)
	}
	return found && slices.Contains(hosts.RunFiles(), rest[:end])
}

// namesScript reports whether a text starts a file at the top by a name without an ending,
// that is only a word: bash fmt, PATH=.:$PATH fmt.
func namesScript(text, name string) bool {
	return !strings.Contains(name, ".") && runsWord(text, name, true)
}

// namesModule reports whether a text names a file as a module, as Python, Lua and Java
// do: by an option or an import, by a name with a dot, or as module:object, from a
// directory that the text names (PYTHONPATH) or from src, which needs no name, or as a
// package on the way to one.
func namesModule(text, name string) bool {
	ext := path.Ext(name)
	if !hosts.IsModule(ext) {
		return false
	}
	short := strings.TrimSuffix(name, ext)
	for _, last := range [...]string{"/__main__", "/__init__", "/init"} {
		short = strings.TrimSuffix(short, last)
	}
	sign := hosts.ModuleSign(ext)
	if startsModule(text, strings.ReplaceAll(short, "/", sign)) {
		return true
	}
	for i, c := range short {
		if c == '/' && (short[:i] == "src" || hasWord(text, short[:i])) &&
			startsModule(text, strings.ReplaceAll(short[i+1:], "/", sign)) {
			return true
		}
	}
	return false
}

// startsModule reports whether a text has a module, or one below it, run or imported.
func startsModule(text, module string) bool {
	for at := range occurrences(text, module) {
		before, after := text[:at], text[at+len(module):]
		if after != "" && after[0] != '.' && (pathByte(after[0]) || after[0] == '/') {
			continue
		}
		if importsNext(before) || begins(before) && (strings.ContainsAny(module, ".:") || isObjectNext(after)) {
			return true
		}
	}
	return false
}

// importsNext reports whether what stands before a word says that it is a module: -m and
// options that end in it, -l, import, from.
func importsNext(before string) bool {
	before = strings.TrimRight(nearest(before), " ,\t\n\"'-") // - begins an entry of a list in YAML
	switch word := before[strings.LastIndexAny(before, " ,\t\n[\"'")+1:]; {
	case word == "import", word == "from", word == "-l":
		return true
	default:
		return len(word) > 1 && len(word) < 8 && word[0] == '-' && word[1] != '-' && strings.HasSuffix(word, "m")
	}
}

// isObjectNext reports whether :object stands behind a module, or one below it.
func isObjectNext(after string) bool {
	_, object, found := strings.Cut(after, ":")
	inner := after[:max(0, len(after)-len(object)-1)]
	return found && object != "" && object[0] >= 'a' && object[0] <= 'z' &&
		strings.Trim(inner, ".abcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

// begins reports whether a word begins behind a text, one behind an option of one letter
// too.
func begins(before string) bool {
	n := len(before)
	return n == 0 || !pathByte(before[n-1]) && before[n-1] != '/' || isBehindOption(before)
}

// isBehindOption reports whether a text ends with options of one letter, behind which the
// value of the last may follow at once: -I, -nf.
func isBehindOption(before string) bool {
	before = nearest(before)
	dash := strings.LastIndexByte(before, '-')
	letters := before[dash+1:]
	return dash >= 0 && len(letters) > 0 && len(letters) < 5 && (dash == 0 || !pathByte(before[dash-1])) &&
		strings.Trim(letters, "abcdefghijklmnopqrstuvwxyz") == ""
}

// namesDirectory reports whether a text has a program start the directory of a file,
// which takes that file from there, or a name to which the program adds the ending: node
// server, python3 tools, go run ./cmd/x.
func namesDirectory(text, name string) bool {
	base := path.Base(name)
	programs := hosts.DirectoryPrograms(base)
	if len(programs) == 0 {
		return false
	}
	given := []string{path.Dir(name)}
	if dir := given[0]; dir != "." && isStartedFrom(text, dir) {
		if hosts.IsDefinition(base) && slices.ContainsFunc(programs, func(p string) bool { return hasWord(text, p) }) {
			return true // cd tools && npm start, make x -C tools
		}
		given = append(given, ".")
	}
	if hosts.IsScriptOfNode(base) {
		given = append(given, strings.TrimSuffix(name, path.Ext(name)))
		if !strings.HasPrefix(base, "index.") {
			given = given[len(given)-1:]
		}
	}
	return slices.ContainsFunc(given, func(given string) bool {
		for before := range wordsIn(text, given) {
			if isProgramBefore(lastWords(strings.TrimSuffix(before, "./"), mostOptions), programs) {
				return true
			}
		}
		return false
	})
}

// mostOptions is how many words before a directory are looked at for the program.
const mostOptions = 8

// isProgramBefore reports whether the last of some words that is neither an option nor a
// key of settings is one of some programs: command: node, args: [--inspect, srv].
func isProgramBefore(words, programs []string) bool {
	for i, word := range slices.Backward(words) {
		value := i > 0 && strings.HasPrefix(words[i-1], "-") // of an option: -tags x
		switch name := strings.TrimRight(word, "0123456789."); {
		case slices.Contains(programs, name):
			return true
		case word != "run" && word != "args" && !strings.HasPrefix(word, "-") && !value:
			return false
		}
	}
	return false
}

// nearest is the end of what stands before a word: settings are a person's, but who wrote
// them nobody knows, and no name is looked for further back.
func nearest(before string) string { return before[max(0, len(before)-200):] }

// lastWords are the words at the end of a text, at most so many.
func lastWords(text string, most int) []string {
	text = nearest(text)
	words := strings.FieldsFunc(text, func(c rune) bool { return c < 0x80 && c != '/' && !pathByte(byte(c)) })
	for i := range words {
		words[i] = path.Base(words[i])
	}
	return words[max(0, len(words)-most):]
}

// namesBelow reports whether a text names something below a directory, or the directory
// itself as that from which something is started.
func namesBelow(text, dir string) bool {
	for range pathsIn(text, dir+"/") {
		return true
	}
	return isStartedFrom(text, dir) || namesModule(text, dir+"/__init__.py") ||
		slices.ContainsFunc(hosts.StartedOfDirectories(), func(base string) bool {
			return namesDirectory(text, dir+"/"+base)
		})
}

// isStartedFrom reports whether a text names a directory behind a word that says that it
// is one in which something is started.
func isStartedFrom(text, dir string) bool {
	for before := range wordsIn(text, dir) {
		before = strings.TrimSuffix(nearest(before), "./")
		if saysDirectory(before) || saysDirectory(before[:strings.LastIndexAny(before, " \t\n,;=()[]'\"")+1]) {
			return true
		}
	}
	return false
}

// saysDirectory reports whether a text ends with a word behind which a directory stands
// from which something is started: cd, --directory, PATH, CLASSPATH.
func saysDirectory(before string) bool {
	for _, word := range lastWords(before, 1) {
		switch word {
		case "-c", "-i", "-l", "-cp", "--from", "--spec", "--app-dir", "--prefix", "--project", "perl5lib", "rubylib":
			return true
		}
		switch word = strings.TrimLeft(word, "-"); word {
		case "cwd", "cd", "directory", "workdir", "working-directory", "chdir", "prefix", "project":
			return true
		}
		if strings.HasSuffix(word, "path") {
			return true
		}
	}
	return false
}

// namesPath reports whether a text holds a path that ends in a name. A name that
// is only a word must stand behind a slash.
func namesPath(text, name string) bool {
	for after := range pathsIn(text, name) {
		if after == "" || !pathByte(after[0]) && after[0] != '/' {
			return true
		}
	}
	return false
}

// pathsIn are what stands behind a name wherever it begins a path in a text, or goes
// on with one behind a slash. A name that begins with a slash goes on with any path.
func pathsIn(text, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := range occurrences(text, name) {
			if beginsPath(text[:at], name) && !isData(text[:at]) && !yield(text[at+len(name):]) {
				return
			}
		}
	}
}

// occurrences are where a name stands in a text; "" stands nowhere.
func occurrences(text, name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; name != ""; from++ {
			i := strings.Index(text[from:], name)
			if i < 0 || !yield(from+i) {
				return
			}
			from += i
		}
	}
}

// beginsPath reports whether a name that stands behind a text begins a path there, or goes
// on with one. A name that is only a word must stand behind a slash; one behind an option
// of one letter is its value.
func beginsPath(before, name string) bool {
	n := len(before)
	switch {
	case strings.HasPrefix(name, "../") && strings.HasSuffix(before, "../"):
		return false
	case n == 0, name[0] == '/', before[n-1] == '/':
		return true
	case !strings.ContainsAny(name, "./"):
		return false
	case !pathByte(before[n-1]):
		return true
	}
	return isBehindOption(before)
}

// isData reports whether what stands behind a text is no file that is started: a part of
// an address, of the name of a package (@scope/name), or what a shell only tests.
func isData(before string) bool {
	before = before[max(0, len(before)-300):]
	word := strings.TrimLeft(before[strings.LastIndexAny(before, " \t\n,;=()[]{}<>|&'\"`")+1:], ":")
	if strings.Contains(word, "://") && !strings.Contains(word, "file://") ||
		len(word) > 1 && word[0] == '@' && strings.IndexByte("./$~", word[1]) < 0 || isElsewhere(word) {
		return true
	}
	test := strings.TrimSuffix(strings.TrimRight(before[:len(before)-len(word)], " "), "!")
	words := slices.DeleteFunc(strings.Fields(test), func(word string) bool { return word == "!" })
	n := len(words)
	if n < 2 || len(words[n-1]) != 2 || words[n-1][0] != '-' {
		return false
	}
	return slices.ContainsFunc(hosts.Tests(), func(name string) bool { return strings.HasSuffix(words[n-2], name) })
}

// isElsewhere reports whether a path begins in a directory that is no workspace (UsableRoot):
// those of the system's programs, and Claude Code's own below a home, whose links are
// followed by themselves (homeLinks).
func isElsewhere(path string) bool {
	return !strings.Contains(path, "/src/") && slices.ContainsFunc([]string{"/bin/", "/usr/", "~/.claude/",
		"$home/.claude/"}, func(dir string) bool { return strings.HasPrefix(path, dir) })
}

// hasWord reports whether a path stands in a text by itself.
func hasWord(text, name string) bool {
	for range wordsIn(text, name) {
		return true
	}
	return false
}

// wordsIn are what stands before a path wherever it stands in a text by itself.
func wordsIn(text, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for before := range aroundWords(text, name) {
			if !yield(before) {
				return
			}
		}
	}
}

// aroundWords are what stands before and behind a path wherever it stands in a text by
// itself: neither a part of another word nor of a longer path, ./ and a slash at its end
// apart.
func aroundWords(text, name string) iter.Seq2[string, string] {
	return func(yield func(before, after string) bool) {
		for at := range occurrences(text, name) {
			before, after := text[:at], strings.TrimPrefix(text[at+len(name):], "/")
			plain := before
			for strings.HasSuffix(plain, "./") {
				plain = strings.TrimSuffix(strings.TrimSuffix(plain, "./"), ".")
			}
			starts := begins(plain) || plain == before && strings.HasSuffix(before, "/")
			ends := after == "" || !pathByte(after[0]) && after[0] != '/'
			if starts && ends && !yield(before, after) {
				return
			}
		}
	}
}

// pathByte reports whether a byte goes on with the name of a file.
func pathByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z'
}
