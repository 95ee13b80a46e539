package propose

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/shell"
)

// facts is what is known of one simple command.
type facts struct {
	harmful bool // does what no rule may allow
	unknown bool // something in its words is not known
	outside bool // writes where it should not
	runs    bool // runs code of the repository
	changes bool // writes, in the workspace
	fetches bool
	hosts   []string
}

func factsOf(r shell.Report, command int) (f facts) {
	for _, u := range r.Unknowns {
		f.unknown = f.unknown || u.Command == command && (u.Part == shell.PartWords || u.Part == shell.PartOther)
	}
	for _, e := range r.Effects {
		if e.Command != command || e.Part != shell.PartWords {
			continue
		}
		switch e.Kind {
		case shell.Read:
			f.outside = f.outside || e.Place == shell.Device
		case shell.Write:
			f.changes = true
			f.outside = f.outside || e.Place != shell.Workspace && e.Place != shell.Temporary && e.Place != shell.Null
		case shell.Run:
			f.runs = true
		case shell.Fetch:
			f.fetches = true
			if h := host(e.Target); h != "" && !spells(r.Commands[command], h) {
				f.hosts = append(f.hosts, h)
			}
		default:
			f.harmful = true
		}
	}
	if f.harmful || f.unknown {
		f.hosts = nil
	}
	return f
}

// spells reports whether a command names the host itself. The agent chose it
// then, and may have put anything into the address.
func spells(c shell.Command, host string) bool {
	return slices.ContainsFunc(c.Words,
		func(w shell.Word) bool { return strings.Contains(strings.ToLower(w.Value), host) })
}

// fits reports whether the command is one that its shape speaks of: it does
// something that a rule is needed for, and nothing else.
func (f facts) fits(s shape) bool {
	switch {
	case f.harmful || f.outside:
		return false
	case !s.known:
		return true
	case s.git:
		return !f.unknown && f.changes && !f.fetches
	}
	return !f.unknown && f.runs
}

// host is the name of a host that may stand in the settings: a name with a
// dot, neither an address nor this machine.
func host(target string) string {
	name := strings.ToLower(target)
	for _, scheme := range []string{"https://", "http://"} {
		name = strings.TrimPrefix(name, scheme)
	}
	name, _, _ = strings.Cut(name, "/")
	labels := strings.Split(name, ".")
	if len(labels) < 2 || !named(name) || strings.Trim(labels[len(labels)-1], "abcdefghijklmnopqrstuvwxyz") != "" ||
		len(labels[len(labels)-1]) < 2 {
		return ""
	}
	if last := labels[len(labels)-1]; last == "local" || last == "internal" || last == "localhost" {
		return ""
	}
	return name
}

func named(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789.-") == "" && s[0] != '-' && s[0] != '.'
}

// shape is a command taken apart: the words that say what it does, and its
// arguments.
type shape struct {
	words    []string
	rest     []string
	constant bool // rest is all arguments, each known
	known    bool // nod has data of the program
	builder  bool // it only tests, builds, checks or formats what is there
	git      bool
	open     bool // further arguments make it do no more than it may anyhow
	why      string
}

// shapeOf takes a command apart. ok is false where no rule is proposed for
// commands like it.
func shapeOf(c shell.Command, f facts) (s shape, ok bool) {
	if len(c.Words) == 0 || slices.ContainsFunc(c.Wrappers,
		func(w string) bool { return !plainWrapper(path.Base(w)) }) {
		return shape{}, false
	}
	words := constantWords(c)
	if len(words) == 0 || c.Foreign && !strings.Contains(words[0], "/") {
		return shape{}, false
	}
	n, open := nameOf(words)
	builder := false
	if b := builderName(words); b > 0 {
		n, open, builder = b, true, true
	}
	if n == 0 || slices.ContainsFunc(words[1:n], risky) {
		return shape{}, false
	}
	s = shape{words: words[:n], rest: words[n:], constant: len(words) == len(c.Words), open: open,
		known: hasData(words[0]) || c.Foreign, builder: builder || runsTasks(words[0]) || runsInside(words[0])}
	if slices.ContainsFunc(s.rest, risky) {
		s.constant = false
	}
	switch s.git = words[0] == "git"; {
	case !s.known && !s.builder:
		s.why = "nod knows nothing of " + words[0] + "; whatever this does would run"
	case s.git:
		s.why = "changes the local repository only"
	default:
		s.why = "runs code of this repository"
	}
	return s, true
}

// constantWords are the words up to the first that is not known or that a
// settings file would need to quote.
func constantWords(c shell.Command) []string {
	var words []string
	for _, w := range c.Words {
		if !w.Known || w.Pattern || !plainWord(w.Value) {
			break
		}
		words = append(words, w.Value)
	}
	return words
}

func plainWord(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			strings.IndexByte("_-./:@=,+%", c) >= 0) {
			return false
		}
	}
	return s != "" && len(s) <= 120
}

func plainWrapper(name string) bool {
	switch name {
	case "env", "nice", "ionice", "nohup", "time", "timeout", "stdbuf", "command", "builtin", "exec":
		return true
	}
	return false
}

// builderName counts the words of a command of the common tools that test,
// build, check or format what is there, 0 for all others.
func builderName(words []string) int {
	second := ""
	if len(words) > 1 {
		second = words[1]
	}
	switch words[0] {
	case "pytest", "jest", "vitest", "mocha", "ava", "eslint", "tsc", "prettier", "biome", "mypy", "pyright",
		"flake8", "pylint", "black", "isort", "tox", "nox", "rspec", "rubocop", "phpunit", "phpstan", "ctest",
		"shellcheck", "shfmt", "staticcheck", "gofmt", "gofumpt", "goimports", "rustfmt", "clang-format",
		"swiftlint", "ktlint":
		return 1
	case "golangci-lint":
		if second == "run" || second == "fmt" {
			return 2
		}
	case "cargo", "dotnet", "swift", "mix", "zig", "flutter", "dart", "ruff", "stack", "cabal", "lein", "rebar3",
		"crystal", "nimble", "dune", "meson":
		switch second {
		case "test", "build", "check", "clippy", "fmt", "format", "bench", "doc", "nextest", "compile", "lint",
			"analyze", "build-exe", "vet":
			return 2
		}
	}
	return 0
}

// hasData reports whether nod knows what the program's words mean.
func hasData(program string) bool { return shell.Known(program) }

// nameOf returns how many words name what a command does, 0 where nothing is
// proposed, and whether arguments may follow.
func nameOf(words []string) (n int, open bool) {
	program, word := words[0], func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	switch {
	case strings.Contains(program, "/"):
		return pathName(program)
	case anything(program):
		return 0, false
	case program == "git":
		if w := word(1); w == "add" || w == "commit" {
			return 2, true
		}
		return 0, false
	case program == "go":
		return goName(word(1), word(2))
	case program == "python" || program == "python3":
		if word(1) == "-m" && module(word(2)) {
			return 3, true
		}
		return 0, false
	case runsTasks(program):
		return taskName(words)
	case runsInside(program):
		return insideName(words)
	case hasData(program) && !bare(word(1)):
		return 1, true
	case !hasData(program) && !reading(word(1)):
		return 0, false
	}
	return 2, true
}

// reading reports whether a subcommand's name says that it only looks, or that
// it tests, builds or checks. Of a tool that nod does not know there is nothing
// else to go by.
func reading(word string) bool {
	switch word {
	case "status", "show", "list", "ls", "view", "get", "search", "find", "query", "count", "stats", "info",
		"describe", "inspect", "explain", "print", "cat", "tree", "graph", "diff", "log", "logs", "history",
		"blame", "capture", "peek", "tail", "wait", "where", "which", "path", "ready", "stale", "children",
		"blocked", "doctor", "version", "help", "docs", "doc", "check", "lint", "test", "build", "fmt", "format",
		"typecheck", "validate", "verify", "vet", "coverage", "bench":
		return true
	}
	return false
}

// pathName is a script of the repository, written as its path.
func pathName(program string) (int, bool) {
	if strings.HasPrefix(program, "/") || strings.Contains(program, "..") {
		return 0, false
	}
	return 1, !moreTasks(path.Base(program))
}

func goName(sub, what string) (int, bool) {
	switch sub {
	case "test", "build", "vet", "generate":
		return 2, true
	case "run":
		if what == "." || strings.HasPrefix(what, "./") && !strings.Contains(what, "..") {
			return 3, true
		}
	case "tool":
		if bare(what) {
			return 3, true
		}
	}
	return 0, false
}

// module reports whether a Python module only tests, checks or formats.
func module(name string) bool {
	switch name {
	case "pytest", "unittest", "mypy", "ruff", "black", "flake8", "pylint", "isort", "tox", "nox", "coverage",
		"build", "compileall", "pyright":
		return true
	}
	return false
}

// runsTasks reports whether a program runs the tasks of a build file.
func runsTasks(program string) bool {
	switch program {
	case "npm", "pnpm", "yarn", "bun", "mise", "deno", "composer", "turbo", "nx":
		return true
	}
	return moreTasks(program)
}

// moreTasks reports whether further words of a program are further tasks.
func moreTasks(program string) bool {
	switch program {
	case "make", "gmake", "just", "task", "rake", "gradle", "gradlew", "mvn", "mvnw", "mise", "turbo", "nx",
		"ninja", "bazel", "sbt", "ant":
		return true
	}
	return false
}

func taskName(words []string) (n int, open bool) {
	n = 2
	if len(words) < 2 {
		return 0, false
	}
	switch words[1] {
	case "run", "r", "run-script", "task":
		if n = 3; len(words) < 3 {
			return 0, false
		}
	case "test", "t", "build", "lint", "check", "fmt", "format", "typecheck", "compile", "vet":
	default:
		if !moreTasks(words[0]) || words[0] == "mise" {
			return 0, false // yarn add, npm exec, mise x
		}
	}
	if !bare(words[n-1]) {
		return 0, false
	}
	return n, !moreTasks(words[0])
}

// runsInside reports whether a program runs another in the project's
// environment.
func runsInside(program string) bool {
	switch program {
	case "uv", "poetry", "pipenv", "hatch", "pdm", "rye", "bundle":
		return true
	}
	return false
}

// insideName counts "uv run" and what names the program inside.
func insideName(words []string) (int, bool) {
	if len(words) < 3 || words[1] != "run" && words[1] != "exec" {
		return 0, false
	}
	inner := words[2:]
	switch inner[0] {
	case "pytest", "mypy", "ruff", "black", "flake8", "pylint", "isort", "tox", "nox", "coverage", "pyright",
		"rspec", "rubocop":
		return 3, true
	case "python", "python3":
		if n, open := nameOf(inner); n > 0 {
			return 2 + n, open
		}
	}
	return 0, false
}

// bare reports whether a word looks like the name of a subcommand or task.
func bare(word string) bool {
	if word == "" || word[0] < 'a' || word[0] > 'z' || len(word) > 40 {
		return false
	}
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-.") == "" &&
		!strings.Contains(word, "..")
}

// anything reports whether a program can be made to do anything at all, or is
// known to reach beyond the repository.
func anything(program string) bool {
	switch strings.TrimRight(program, "0123456789.") {
	case "bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd", "busybox", "pypy", "node", "ruby",
		"perl", "php", "lua", "tclsh", "osascript", "tsx", "ts-node", "awk", "gawk", "sed", "expect", "R",
		"Rscript", "julia", "elixir", "iex", "ghci", "jshell", "npx", "pnpx", "bunx", "uvx", "pipx", "pip", "gem",
		"brew", "apt", "apt-get", "dnf", "yum", "apk", "pacman", "snap", "flatpak", "nix", "conda", "env", "sudo",
		"doas", "su", "xargs", "parallel", "timeout", "nice", "nohup", "time", "setsid", "stdbuf", "watch", "flock",
		"script", "eval", "exec", "source", ".", "command", "builtin", "find", "fd", "ssh", "scp", "sftp", "rsync",
		"rclone", "nc", "ncat", "socat", "telnet", "curl", "wget", "aria", "httpie", "http", "xh", "docker",
		"docker-compose", "podman", "kubectl", "helm", "terraform", "tofu", "pulumi", "ansible", "ansible-playbook",
		"vagrant", "packer", "aws", "gcloud", "az", "gh", "glab", "heroku", "fly", "flyctl", "vercel", "netlify",
		"wrangler", "firebase", "doctl", "supabase", "op", "vault", "pass", "security", "gpg", "openssl", "psql",
		"mysql", "mariadb", "sqlite", "redis-cli", "mongosh", "mongo", "clickhouse", "duckdb", "tmux", "screen",
		"zellij", "crontab", "at", "launchctl", "systemctl", "service", "defaults", "open", "xdg-open", "code",
		"vim", "vi", "nvim", "emacs", "nano", "rm", "rmdir", "mv", "cp", "dd", "shred", "truncate", "chmod",
		"chown", "ln", "install", "tee", "tar", "unzip", "zip", "kill", "pkill", "killall", "hg", "svn", "jj",
		"nod", "nod-hook", "adb":
		return true
	}
	return slices.Contains(hosts.Processes(), program) // an agent does what it is told
}

// risky reports whether a word speaks of what no rule is proposed for.
func risky(word string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToLower(word),
		func(r rune) bool { return strings.ContainsRune(":_-./=", r) }) {
		switch part {
		case "deploy", "publish", "release", "push", "upload", "ship", "promote", "rollback", "migrate",
			"migration", "migrations", "prod", "production", "live", "delete", "remove", "rm", "drop", "destroy",
			"purge", "prune", "wipe", "reset", "clean", "clobber", "nuke", "kill", "stop", "close", "merge",
			"archive", "install", "uninstall", "add-dependency", "upgrade", "update", "self", "setup", "init",
			"bootstrap", "link", "exec", "eval", "shell", "sh", "ssh", "sudo", "run-script", "send", "post", "mail",
			"notify", "comment", "invite", "share", "sync", "apply", "import", "seed", "login", "logout", "auth",
			"token", "secret", "secrets", "key", "keys", "password", "credential", "credentials", "config", "trust",
			"global", "root", "force":
			return true
		}
	}
	return false
}
