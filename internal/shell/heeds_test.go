package shell

import "testing"

// TestHeeds shows what makes a program that only prints run something: files
// of the directory and those above, variables, programs that the workspace
// brings into PATH, and what the line itself puts there.
func TestHeeds(t *testing.T) {
	for _, c := range []struct {
		name, file, text, dir, variable, command, want string
	}{
		{name: "nothing there", command: "cargo --version", want: "nothing"},
		{name: "a file here", file: "rust-toolchain.toml", command: "cargo --version", want: "run rust-toolchain.toml"},
		{name: "a file above", file: ".cargo/config.toml", dir: "/src", command: "cargo locate-project",
			want: "run .cargo/config.toml"},
		{name: "below another name", file: "x.cargo/config.toml", command: "cargo --version", want: "nothing"},
		{name: "the person's own", file: "../.cargo/config.toml", command: "cargo --version", want: "nothing"},
		{name: "of /etc", file: "/ansible.cfg", dir: "/src", command: "ansible-doc -l", want: "nothing"},
		{name: "only here", file: "ansible.cfg", dir: "/src", command: "ansible-doc -l", want: "nothing"},
		{name: "here", file: "ansible.cfg", command: "ansible-doc -l", want: "run ansible.cfg"},
		{name: "cd to it", file: "src/ansible.cfg", command: "cd src && ansible-doc -l", want: "run src/ansible.cfg"},
		{name: "any ending", file: "packer-plugin-x", command: "packer version", want: "run packer-plugin-x"},
		{name: "a word", file: "ruff.toml", text: "line-length = 100\nfix = true\n", command: "ruff check",
			want: "read . tree; run ruff.toml"},
		{name: "below", file: "src/deep/ruff.toml", text: "cache-dir = \"/out\"\n", command: "ruff check",
			want: "read . tree; run src/deep/ruff.toml"},
		{name: "folded", file: "ruff.toml", text: "x = \"\"\"ca\\\nche\"\"\"\n", command: "ruff check",
			want: "read . tree; run ruff.toml"},
		{name: "a quoted word", file: "pyproject.toml", text: "tool.ruff={\"fix\"=true}", command: "ruff check",
			want: "read . tree; run pyproject.toml"},
		{name: "an escaped word", file: "pyproject.toml", text: `[tool.ruff]` + "\n" + `"f\u0069x" = true`,
			command: "ruff check", want: "read . tree; run pyproject.toml"},
		{name: "parts of words", file: "ruff.toml", text: "fixable = []\nextend-select = []\nprefix = 1\n",
			command: "ruff check", want: "read . tree"},
		{name: "another version", file: "package.json", text: `{"packageManager": "pnpm@9"}`, command: "pnpm ls",
			want: "run package.json"},
		{name: "whom npm asks for news of itself", file: ".npmrc", text: "registry=https://x.example/${TOKEN}\n",
			dir: "/src", command: "npm ls", want: "run .npmrc"},
		{name: "npm's other settings", file: ".npmrc", text: "save-exact=true\n", command: "npm ls", want: "nothing"},
		{name: "a variable", variable: "VIRTUAL_ENV", command: "uv pip list", want: "run $VIRTUAL_ENV"},
		{name: "variables that begin so", variable: "ANSIBLE_LIBRARY", command: "ansible-doc -l",
			want: "run $ANSIBLE_LIBRARY"},
		{name: "another variable", variable: "ANSIBLE", command: "ansible-doc -l", want: "nothing"},
		{name: "written before", command: "echo x > ansible.cfg; ansible-doc -l",
			want: "run ansible.cfg; unknown; write ansible.cfg"},
		{name: "copied there", command: "cp src/x packer-x && packer version",
			want: "read src/x; run packer-; unknown; write packer-x"},
		{name: "linked there", command: "ln -s src/x ruff.toml; ruff check",
			want: "read . tree; run ruff.toml; unknown; write ruff.toml"},
		{name: "written somewhere", command: `echo x > "$F"; ansible-doc -l`,
			want: "run ansible.cfg; unknown; write ?"},
		{name: "a directory that is not known", command: `cd "$D"; cargo --version`, want: "unknown"},
		{name: "elsewhere", file: "ansible.cfg", command: "docker exec c ansible-doc -l", want: "remote c; unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := world()
			if c.file != "" {
				files.File(testRepo+"/"+c.file, c.text, 0o644)
			}
			env := testEnv(files)
			env.Dir += c.dir
			if c.variable != "" {
				env.Ambient = append(env.Ambient, c.variable)
				lookup := env.Lookup
				env.Lookup = func(name string) (string, bool) {
					if name == c.variable {
						return "x", true
					}
					return lookup(name)
				}
			}
			if got := brief(Analyze(c.command, env)); got != sorted(c.want) {
				t.Errorf("%s\nwant %s\ngot  %s", c.command, sorted(c.want), got)
			}
		})
	}
}

// TestGiven holds that only the first command of a line reads what the line
// was started with.
func TestGiven(t *testing.T) {
	for _, c := range []struct {
		command string
		want    bool
	}{
		{"xargs cat", true},
		{"xargs -I{} cat {}", true},
		{"xargs grep x | sort", true},
		{"timeout 5 xargs cat", true},
		{"xargs -a list cat", false},
		{"xargs cat < list", false},
		{"xargs cat <&3", false},
		{"xargs cat 0<<< list", false},
		{"{ xargs cat; } < list", false},
		{"exec < list; xargs cat", false},
		{"echo a | xargs cat", false},
		{"echo a | { xargs cat; }", false},
		{"echo a | sh -c 'xargs cat'", false},
		{"sh -c 'xargs cat' < list", false},
		{"eval 'xargs cat' < list", false},
		{"if xargs cat; then ls; fi < list", false},
		{"while xargs cat; do ls; done < list", false},
		{"( xargs cat ) < list", false},
		{"time xargs cat < list", false},
		{"ssh h xargs cat", false},
		{"cat $(xargs echo)", false},
		{"x=$(xargs cat); cat $x", false},
	} {
		var given, reads bool
		for _, e := range Analyze(c.command, testEnv(world())).Effects {
			if e.Kind == Read && e.Target == "" {
				given, reads = e.Given, true
			}
		}
		if given != c.want || c.want && !reads {
			t.Errorf("%s: given %v, want %v", c.command, given, c.want)
		}
	}
}

// TestHeededInAScript holds that what a script writes is no more known to a
// program in it than what a line writes.
func TestHeededInAScript(t *testing.T) {
	const script = "#!/bin/bash\necho x > ansible.cfg\nansible-doc -l\n"
	m := scripted(map[string]string{"!x.sh": script, "Makefile": "a:\n\techo x > ansible.cfg\n\tansible-doc -l\n",
		"!b.sh": "#!/bin/bash\nansible-doc -l\n"})
	for _, command := range []string{"./x.sh", "make a", "echo x > ansible.cfg; ./b.sh",
		"echo x > ansible.cfg; ansible-doc -l"} {
		if r := Analyze(command, testEnv(m)); len(r.Unknowns) == 0 {
			t.Errorf("%s: %s", command, brief(r))
		}
	}
	if r := Analyze("./b.sh", testEnv(m)); len(r.Unknowns) > 0 {
		t.Errorf("%s: %+v", brief(r), r.Unknowns)
	}
}
