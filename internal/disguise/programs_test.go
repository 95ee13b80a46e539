package disguise

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// program is one call of a program in the witness's world.
type program struct {
	*witness
	ctx    context.Context
	name   string
	args   []string
	env    []string
	in     io.Reader
	out    io.Writer
	errOut io.Writer
	depth  int
}

func (w *witness) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	w.record(args)
	depth, _ := ctx.Value(depthKey{}).(int)
	p := program{w, ctx, path.Base(args[0]), args[1:], exported(hc.Env), hc.Stdin, hc.Stdout, hc.Stderr, depth + 1}
	if p.in == nil {
		p.in = bytes.NewReader(nil)
	}
	if data, ok := p.onPath(args[0]); ok {
		return p.script(string(data), args[1:])
	}
	return p.start()
}

// onPath finds a script that the text itself has written.
func (p program) onPath(name string) ([]byte, bool) {
	if strings.Contains(name, "/") {
		return p.file(name)
	}
	if dirs := p.variable("PATH"); strings.Contains(dirs, "/zzbin:") {
		return p.file(name)
	}
	return nil, false
}

func exported(env expand.Environ) []string {
	var list []string
	for name, v := range env.Each {
		if v.Exported && v.Kind == expand.String {
			list = append(list, name+"="+v.Str)
		}
	}
	return list
}

func (p program) variable(name string) string {
	value := ""
	for _, kv := range p.env {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			value = v
		}
	}
	return value
}

func (p program) input() string {
	data, _ := io.ReadAll(p.in)
	return string(data)
}

func (p program) print(s string) error { io.WriteString(p.out, s); return nil }

// script runs a text as a shell would.
func (p program) script(text string, args []string) error {
	return p.run(p.ctx, text, shellCall{p.env, args, p.in, p.out, p.errOut, p.depth})
}

// again runs words as a program of its own.
func (p program) again(args []string) error {
	if len(args) == 0 || p.depth > maxShells {
		return nil
	}
	p.record(args)
	p.name, p.args = path.Base(args[0]), args[1:]
	p.depth++
	if data, ok := p.onPath(args[0]); ok {
		return p.script(string(data), args[1:])
	}
	return p.start()
}

// options takes options off: values are the letters and words that take one.
func options(args []string, values ...string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		o := args[0]
		args = args[1:]
		if o == "--" {
			break
		}
		if slices.Contains(values, o) && len(args) > 0 {
			args = args[1:]
		}
	}
	return args
}

func after(args []string, word string) (string, bool) {
	if i := slices.Index(args, word); i >= 0 && i+1 < len(args) {
		return args[i+1], true
	}
	return "", false
}

// assignments takes NAME=value off and puts them into the environment.
func (p program) assigned(args []string) program {
	p.env = slices.Clone(p.env)
	for len(args) > 0 && strings.Contains(args[0], "=") {
		p.env = append(p.env, args[0])
		args = args[1:]
	}
	p.args = args
	return p
}

func skip(args []string, n int) []string { return args[min(n, len(args)):] }

// start does what the program does with its arguments, as far as that runs
// another command or carries a text.
func (p program) start() error {
	a := p.args
	switch p.name {
	case "sh", "bash", "dash", "zsh", "ksh":
		return p.shell()
	case "env":
		return p.envProgram()
	case "nice":
		return p.again(options(a, "-n"))
	case "ionice":
		return p.again(options(a, "-c", "-n"))
	case "nohup", "setsid", "strace", "ltrace", "unshare", "systemd-run", "unbuffer", "pkexec", "time", "stdbuf",
		"prlimit", "doas":
		return p.again(options(a, "-f-"))
	case "timeout":
		return p.again(skip(options(a, "-k", "-s"), 1))
	case "chrt", "taskset", "setarch", "chroot":
		return p.again(skip(options(a), 1))
	case "sudo":
		q := p.assigned(options(a, "-u", "-g"))
		return q.again(q.args)
	case "runuser":
		return p.again(options(a, "-u"))
	case "nsenter":
		return p.again(options(a, "-t"))
	case "flock":
		if len(a) > 2 && a[1] == "-c" {
			return p.script(a[2], nil)
		}
		return p.again(skip(options(a), 1))
	case "busybox", "toybox":
		return p.again(a)
	case "xargs":
		return p.xargs()
	case "find":
		return p.find()
	case "uv", "poetry", "bundle":
		return p.again(skip(a, 1))
	case "direnv":
		return p.again(skip(a, 2))
	case "mise":
		return p.again(options(skip(a, 1)))
	case "entr":
		return p.again(options(a))
	}
	return p.textual()
}

// textual are programs that take a command as one text.
func (p program) textual() error {
	a := p.args
	run := func(text string) error { return p.script(text, nil) }
	of := func(option string) error {
		text, _ := after(a, option)
		return run(text)
	}
	switch p.name {
	case "su", "npm", "npx":
		return of("-c")
	case "script":
		return of("-qc")
	case "watch":
		return run(strings.Join(options(a, "-n"), " "))
	case "hyperfine", "parallel":
		return run(a[len(a)-1])
	case "ssh":
		if text, ok := strings.CutPrefix(strings.Join(a, " "), "-o ProxyCommand="); ok {
			return run(strings.TrimSuffix(text, " localhost"))
		}
		return run(strings.Join(skip(a, 1), " "))
	case "tmux":
		return of("-d")
	case "screen":
		return p.again(skip(a, 1))
	case "docker":
		if i := slices.Index(a, "image"); i >= 0 {
			return p.again(a[i+1:])
		}
		return nil
	case "at", "batch":
		return run(p.input())
	case "crontab":
		text := p.input()
		if fields := strings.SplitN(text, " ", 6); len(fields) == 6 {
			return run(fields[5])
		}
		return nil
	case "split":
		return run(strings.TrimPrefix(a[0], "--filter="))
	case "tar":
		return p.tar()
	case "rsync":
		if text, ok := after(a, "-e"); ok {
			return run(text)
		}
		return run(p.variable("RSYNC_RSH"))
	case "git":
		return p.git()
	case "man":
		if text, ok := after(a, "-P"); ok {
			return run(text)
		}
		return run(p.variable("PAGER") + p.variable("MANPAGER"))
	case "less":
		return run(strings.TrimPrefix(p.variable("LESSOPEN"), "|"))
	case "zip":
		return of("-TT")
	case "vim":
		text, _ := after(a, "-c")
		return run(strings.TrimPrefix(text, "!"))
	case "gdb":
		text, _ := after(a, "-ex")
		return run(strings.TrimPrefix(text, "shell "))
	case "sqlite3":
		return run(strings.TrimPrefix(a[1], ".shell "))
	case "psql":
		text, _ := after(a, "-c")
		return run(strings.TrimPrefix(text, `\! `))
	case "ed":
		line, _, _ := strings.Cut(p.input(), "\n")
		return run(strings.TrimPrefix(line, "!"))
	case "expect":
		text, _ := after(a, "-c")
		text = strings.TrimPrefix(text, "spawn bash -c \"")
		text, _, _ = strings.Cut(text, `"`)
		return run(text)
	case "tclsh":
		return run(strings.TrimPrefix(p.input(), "exec "))
	case "make":
		return p.make()
	}
	return p.language()
}

// language runs what the code of another language hands to a shell: the
// string behind the function that the kinds of this package use.
func (p program) language() error {
	code := ""
	switch p.name {
	case "python3":
		code, _ = after(p.args, "-c")
		if code == "" && len(p.args) > 0 && p.args[0] != "-" {
			data, _ := p.file(p.args[0])
			code = string(data)
		} else if code == "" {
			code = p.input()
		}
		if _, text, ok := strings.Cut(code, `b64decode("`); ok {
			text, _, _ = strings.Cut(text, `"`)
			decoded, _ := base64.StdEncoding.DecodeString(text)
			return p.script(string(decoded), nil)
		}
	case "perl", "ruby", "node", "lua":
		code, _ = after(p.args, "-e")
		code = p.variable("PERL5DB") + code
	case "php":
		code, _ = after(p.args, "-r")
	case "awk":
		code = p.args[len(p.args)-1]
	case "sed":
		return p.sed()
	default:
		return p.codec()
	}
	first, text := len(code), ""
	for _, call := range []string{"os.system(", `["bash","-c",`, `exec "bash", "-c", `, "system ", "system(",
		"execSync(", "os.execute(", "print "} {
		if i := strings.Index(code, call); i >= 0 && i < first {
			first, text = i, code[i+len(call):]
		}
	}
	if text != "" {
		return p.script(literal(text), nil)
	}
	return nil
}

// literal reads the string at the beginning of code.
func literal(code string) string {
	var b strings.Builder
	for i := 1; i < len(code) && code[i] != code[0]; i++ {
		if code[i] == '\\' && i+1 < len(code) {
			i++
			switch c := code[i]; {
			case c == 'n' && code[0] == '"':
				b.WriteByte('\n')
				continue
			case c == 'r' && code[0] == '"':
				b.WriteByte('\r')
				continue
			}
		}
		b.WriteByte(code[i])
	}
	return b.String()
}

func (p program) codec() error {
	decode := slices.ContainsFunc(p.args, func(s string) bool { return s == "-d" || s == "--decode" })
	switch p.name {
	case "cat":
		if len(p.args) > 0 {
			for _, name := range p.args {
				if data, ok := p.file(name); ok {
					p.print(string(data))
				} else if f, err := p.open(p.ctx, name, os.O_RDONLY, 0); err == nil {
					data, _ := io.ReadAll(f)
					f.Close()
					p.print(string(data))
				}
			}
			return nil
		}
		return p.print(p.input())
	case "tee":
		text := p.input()
		for _, name := range p.args {
			p.write(name, []byte(text), false)
		}
		return p.print(text)
	case "cp":
		if len(p.args) == 2 {
			data, _ := p.file(p.args[0])
			p.write(p.args[1], data, false)
		}
	case "ln":
		if len(p.args) == 3 {
			data, _ := p.file(p.args[1])
			p.write(p.args[2], data, false)
		}
	case "base64", "openssl":
		if decode {
			text, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(p.input()))
			return p.print(string(text))
		}
	case "xxd":
		text, _ := hex.DecodeString(strings.TrimSpace(p.input()))
		return p.print(string(text))
	case "rev":
		lines := strings.Split(strings.TrimSuffix(p.input(), "\n"), "\n")
		for i, l := range lines {
			lines[i] = reversed(l)
		}
		return p.print(strings.Join(lines, "\n") + "\n")
	case "tac":
		lines := strings.Split(strings.TrimSuffix(p.input(), "\n"), "\n")
		slices.Reverse(lines)
		return p.print(strings.Join(lines, "\n") + "\n")
	case "tr":
		return p.print(strings.Map(rot13, p.input()))
	}
	return nil
}

func (p program) sed() error {
	if p.args[0] == "s/^#//" {
		return p.print(strings.TrimPrefix(p.input(), "#"))
	}
	if text, ok := strings.CutPrefix(p.args[0], "1e "); ok {
		return p.script(text, nil)
	}
	return nil
}

func (p program) shell() error {
	a := p.args
	text, fromText, interactive, trace := "", false, false, false
	for len(a) > 0 && strings.HasPrefix(a[0], "-") && a[0] != "-" && a[0] != "--" {
		o := a[0]
		a = a[1:]
		if o == "--rcfile" {
			data, _ := p.file(a[0])
			p.script(string(data), nil)
			a = a[1:]
			continue
		}
		if strings.HasPrefix(o, "--") {
			continue
		}
		interactive = interactive || strings.Contains(o, "i")
		trace = trace || strings.Contains(o, "x")
		if strings.Contains(o, "c") {
			fromText = true
		} else if strings.Contains(o, "s") {
			return p.script(p.input(), a)
		}
	}
	if name := p.variable("BASH_ENV"); name != "" && p.name == "bash" && !interactive {
		p.script(": "+`"`+name+`"`, nil) // it is expanded, then read
		data, _ := p.file(name)
		p.hidden("BASH_ENV").script(string(data), nil)
	}
	if name := p.variable("ENV"); name != "" && p.name != "bash" && interactive {
		data, _ := p.file(name)
		p.script(string(data), nil)
	}
	if interactive {
		p.script(p.variable("PROMPT_COMMAND"), nil)
		p.script(`: "`+p.variable("PS1")+`"`, nil)
	}
	if trace {
		p.script(`: "`+p.variable("PS4")+`"`, nil)
	}
	switch {
	case fromText && len(a) > 0:
		text, a = a[0], skip(a, 2)
	case len(a) > 0:
		text = p.content(a[0])
		a = a[1:]
	default:
		text = p.input()
	}
	return p.hidden("BASH_ENV").script(text, a)
}

// hidden returns p without a variable.
func (p program) hidden(name string) program {
	p.env = slices.DeleteFunc(slices.Clone(p.env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return p
}

func (p program) content(name string) string {
	if data, ok := p.file(name); ok {
		return string(data)
	}
	if f, err := p.open(p.ctx, name, os.O_RDONLY, 0); err == nil {
		defer f.Close()
		data, _ := io.ReadAll(f)
		return string(data)
	}
	return ""
}

func (p program) envProgram() error {
	if text, ok := after(p.args, "-S"); ok {
		text = strings.TrimPrefix(text, "bash -c ")
		return p.again([]string{"bash", "-c", literal(text)})
	}
	q := p.assigned(options(p.args, "-u", "-C"))
	return q.again(q.args)
}

func (p program) xargs() error {
	input := p.input()
	switch {
	case slices.Contains(p.args, "-0"):
		words := strings.Split(strings.TrimSuffix(input, "\x00"), "\x00")
		return p.again(append(slices.Clone(options(p.args)), words...))
	case slices.Contains(p.args, "-I"):
		// The mark zz stands in no command of the tests.
		return p.again(options(p.args, "-I"))
	}
	return p.again(append(slices.Clone(options(p.args)), strings.Fields(input)...))
}

func (p program) find() error {
	for _, action := range []string{"-exec", "-execdir"} {
		if i := slices.Index(p.args, action); i >= 0 {
			words := slices.Clone(p.args[i+1 : len(p.args)-1])
			if n := len(words); n > 0 && words[n-1] == "{}" {
				words[n-1] = "."
			}
			return p.again(words)
		}
	}
	return nil
}

func (p program) tar() error {
	if text, ok := after(p.args, "-I"); ok {
		return p.script(text, nil)
	}
	for _, a := range p.args {
		if text, ok := strings.CutPrefix(a, "--checkpoint-action=exec="); ok {
			return p.script(text, nil)
		}
	}
	return nil
}

func (p program) git() error {
	for _, name := range []string{"GIT_PAGER", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_VALUE_0", "EDITOR"} {
		if text := p.variable(name); text != "" {
			return p.script(text, nil)
		}
	}
	a := p.args
	if len(a) > 2 && a[0] == "-c" { // -c name=value
		_, text, _ := strings.Cut(a[1], "=")
		return p.script(strings.TrimPrefix(text, "!"), nil)
	}
	switch {
	case len(a) > 2 && a[0] == "bisect" && a[1] == "run":
		return p.again(a[2:])
	case len(a) > 2 && a[0] == "submodule", len(a) > 2 && a[0] == "rebase", len(a) > 2 && a[0] == "filter-branch":
		return p.script(a[2], nil)
	}
	return nil
}

func (p program) make() error {
	text := ""
	if name, _ := after(p.args, "-f"); name == "-" {
		text = p.input()
	} else if data, ok := p.file(name); ok {
		text = string(data)
	}
	if _, recipe, ok := strings.Cut(text, "\n\t@"); ok {
		return p.script(strings.ReplaceAll(recipe, "$$", "$"), nil)
	}
	return nil
}
