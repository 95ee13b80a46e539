package confine

// system are the directories that hold programs and their settings.
func system() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
		"/snap", "/home/linuxbrew/.linuxbrew"}
}

// toolchains are the directories below home that hold programs. Each is as
// narrow as it can be: logins often lie beside.
func toolchains() []string {
	return []string{
		".local/bin", ".local/lib", ".local/share/uv", ".local/share/pipx", ".local/share/mise", ".local/share/rtx",
		".local/share/fnm", ".local/share/virtualenvs", ".local/share/coursier", ".local/pipx", ".cargo/bin",
		".rustup", "go/bin", "sdk", ".pyenv", ".nvm", ".fnm", ".volta/bin", ".volta/tools", ".nodenv", ".n",
		".rbenv", ".rvm", ".asdf", ".sdkman/candidates", ".jenv", ".jdks", ".goenv", ".gvm/gos", ".bun/bin",
		".deno/bin", ".ghcup/bin", ".ghcup/ghc", ".cabal/bin", ".stack/programs", ".dotnet", ".nix-profile",
		".local/state/nix", "miniconda3", "anaconda3", "miniforge3", "mambaforge", ".conda/envs", ".juliaup/bin",
		".julia/juliaup", ".opam", ".elan", ".proto", ".swiftly", "Android/Sdk", ".npm-global", ".yarn/bin",
		".local/share/swiftly",
	}
}

// caches are those of package managers and compilers below home: what is there
// is read, and what a run adds goes to a layer of confine's own.
func caches() []string {
	return []string{
		".cache/go-build", "go/pkg", ".npm", ".cache/pip", ".cache/uv", ".cache/pnpm", ".cache/yarn", ".cache/node",
		".cache/node-gyp", ".cache/ms-playwright", ".cache/puppeteer", ".cache/Cypress", ".cache/electron",
		".cache/golangci-lint", ".cache/pre-commit", ".cache/bazel", ".cache/deno", ".cache/pypoetry",
		".cache/ccache", ".cache/zig", ".cache/coursier", ".local/share/pnpm", ".local/share/pypoetry",
		".cargo/registry", ".cargo/git", ".gradle/caches", ".gradle/wrapper", ".gradle/native", ".m2/repository",
		".m2/wrapper", ".ivy2/cache", ".ivy2/local", ".sbt/boot", ".nuget/packages", ".pub-cache/hosted", ".mix",
		".hex/packages", ".bun/install/cache", ".composer/cache", ".bundle/cache", ".julia/packages",
		".julia/compiled", ".yarn/berry/cache", ".konan", ".android/build-cache",
	}
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
