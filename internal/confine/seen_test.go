//go:build linux && (amd64 || arm64)

package confine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A variable of the environment opens no directory that is not what it says.
func TestVariablesOpenNothing(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"~/.vault/key", "~/other/.env", "~/other/tool", "~/notes/a.txt"} {
		w.file(name, "marked")
	}
	must(t, os.Chmod(w.at("~/other/tool"), 0o755))
	plain := w.environ
	for _, dir := range []string{".vault", "other", "notes"} {
		at := filepath.Join(w.home, dir)
		for _, name := range []string{"GOCACHE", "GOMODCACHE", "npm_config_cache", "GOPATH", "CARGO_HOME", "GOROOT",
			"JAVA_HOME", "RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "VIRTUAL_ENV", "CONDA_PREFIX", "ANDROID_HOME",
			"DOTNET_ROOT"} {
			w.environ = append(slices.Clone(plain), name+"="+at)
			w.opensNothing(t, name, at)
		}
		w.environ = append(slices.Clone(plain), "PATH="+os.Getenv("PATH")+":"+at)
		w.opensNothing(t, "PATH", at)
	}
}

func (w *world) opensNothing(t *testing.T, name, dir string) {
	t.Helper()
	if r := w.run("cat " + dir + "/* " + dir + "/.env 2>/dev/null; true"); strings.Contains(r.out, "marked") {
		t.Errorf("%s=%s shows what lies there", name, dir)
	}
}

// What may hold a password in a repository, or in settings of packages, is not shown.
func TestLoginsInTheWorkspace(t *testing.T) {
	w := newWorld(t)
	for name, text := range map[string]string{
		".git/config": "[remote \"o\"]\n\turl = https://u:mark\\\ned@h/x\n[user]\n\tname = plain\n" +
			"[branch \"oauth-by-pass\"]\n\tremote = o\n[sendemail]\n\tsmtpPass = marked\n",
		".git/extra.inc":   "[http]\n\textraHeader = Authorization: marked\n",
		".git/config.bak":  "[remote \"o\"]\n\turl = https://u:marked@h/x\n",
		".git/remotes/old": "URL: https://u:marked@h/x\n",
		".npmrc":           "//registry.example.com/:_authToken=marked\n",
		"bare/HEAD":        "ref: refs/heads/main\n", "bare/objects/x": "", "bare/refs/x": "",
		"bare/config": "[remote \"o\"]\n\turl = https://u:marked@h/x\n",
	} {
		w.file(name, text)
	}
	r := w.run("cat .git/config .git/extra.inc .git/config.bak .git/remotes/old .npmrc bare/config 2>/dev/null; true")
	if strings.Contains(r.out, "ed@h") || strings.Contains(r.out, "marked") || !strings.Contains(r.out, "plain") ||
		!strings.Contains(r.out, "oauth-by-pass") {
		t.Errorf("a run sees %q", r.out)
	}
}

// The mask of a directory outside of the workspace stays for the next run: for the same secrets only, and whatever
// was put into it.
func TestMasksThatStay(t *testing.T) {
	w := newWorld(t)
	w.file("~/.cargo/bin/tool", "plain")
	w.file("~/.cargo/bin/below/key", "marked")
	w.file("~/.cargo/bin/keys/key", "marked")
	seen := func(stores ...string) string {
		o := w.options("cat ~/.cargo/bin/tool ~/.cargo/bin/*/key 2>/dev/null; true")
		o.Stores = stores
		return w.runWith(o).out
	}
	stores := []string{w.at("~/.cargo/bin/below/key"), w.at("~/.cargo/bin/keys")}
	for range 2 {
		if out := seen(stores...); out != "plain" {
			t.Errorf("a run sees %q", out)
		}
	}
	masks, _ := filepath.Glob(w.at("~/.cache/nod/confine/workspaces/*/mask-*"))
	if len(masks) != 1 {
		t.Fatalf("masks: %q", masks)
	}
	must(t, os.Remove(masks[0]+"/keys"))
	must(t, os.Remove(masks[0]+"/below/key"))
	must(t, os.Mkdir(masks[0]+"/keys", 0o700))
	if out := seen(stores...); out != "plain" {
		t.Errorf("with another mask a run sees %q", out)
	}
	if out := seen(stores[1]); out != "plainmarked" {
		t.Errorf("without one of the secrets a run sees %q", out)
	}
}
