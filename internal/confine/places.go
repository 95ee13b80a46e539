package confine

import (
	_ "embed"
	"strings"
)

//go:embed names.txt
var lists string

// names are those of a list in names.txt.
func names(list string) (all []string) {
	_, rest, _ := strings.Cut(lists, "\n"+list+":\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return strings.Fields(text)
}

// naming is a variable of the environment that names a directory: below says which part
// of it is meant, and one of holds lies in it where it is what the variable says. A
// variable alone opens nothing: GOCACHE=$HOME/.ssh is no cache.
type naming struct {
	name, below string
	holds       []string
}

func toolchainVariables() []naming {
	return []naming{
		{"GOROOT", "", []string{"bin/go"}}, {"JAVA_HOME", "", []string{"bin/java"}},
		{"RUSTUP_HOME", "", []string{"toolchains"}}, {"PYENV_ROOT", "", []string{"versions"}},
		{"NVM_DIR", "", []string{"versions"}}, {"VIRTUAL_ENV", "", []string{"pyvenv.cfg"}},
		{"CONDA_PREFIX", "", []string{"conda-meta"}}, {"DOTNET_ROOT", "", []string{"dotnet"}},
		{"ANDROID_HOME", "", []string{"platforms", "platform-tools", "build-tools"}},
	}
}

func cacheVariables() []naming {
	return []naming{
		{"GOCACHE", "", []string{"00", "trim.txt"}}, {"GOMODCACHE", "", []string{"cache/download", "cache/lock"}},
		{"npm_config_cache", "", []string{"_cacache"}}, {"GOPATH", "pkg", []string{"mod", "sumdb"}},
		{"CARGO_HOME", "registry", []string{"index", "cache", "src"}},
		{"CARGO_HOME", "git", []string{"db", "checkouts"}},
	}
}
