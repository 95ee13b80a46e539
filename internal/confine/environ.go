package confine

import (
	"slices"
	"strings"
)

// Environment is what of an environment a run gets: variables by name that say
// how programs behave, and none of which a program loads code or takes a key.
// A value of another name may be a key, and nobody can tell. Package managers
// are told that there is no network, so that they say so at once.
func Environment(environ []string, home string) []string {
	var out []string
	for _, kv := range environ {
		name, value, ok := strings.Cut(kv, "=")
		if ok && passes(name) && !speaksOfKeys(name) && !strings.Contains(value, "@") {
			out = append(out, kv)
		}
	}
	return append(out, "HOME="+home, "TMPDIR=/tmp", "NOD_CONFINED=1",
		"GOPROXY=off", "GOFLAGS="+goFlags(environ), "npm_config_offline=true", "npm_config_update_notifier=false",
		"npm_config_fund=false", "npm_config_audit=false",
		"PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "UV_OFFLINE=1", "CARGO_NET_OFFLINE=true",
		"COREPACK_ENABLE_NETWORK=0", "HOMEBREW_NO_AUTO_UPDATE=1")
}

// goFlags keeps GOFLAGS but for what starts other programs.
func goFlags(environ []string) string {
	value := Variable(environ, "GOFLAGS")
	if strings.Contains(value, "exec") {
		return ""
	}
	return value
}

// passes lists the names. One that ends in * is a beginning.
func passes(name string) bool {
	return slices.ContainsFunc([]string{
		"PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR*",
		"COLUMNS", "LINES", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "CI", "DEBIAN_FRONTEND", "CLAUDECODE",
		"AI_AGENT", "AGENT", "NODE_ENV", "RAILS_ENV", "RACK_ENV", "APP_ENV", "MIX_ENV", "ENVIRONMENT", "DEBUG",
		"VERBOSE", "LOG_LEVEL", "RUST_LOG", "RUST_BACKTRACE", "RUSTFLAGS", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN",
		"CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_TERM_*", "CARGO_INCREMENTAL", "CARGO_BUILD_JOBS", "GOPATH",
		"GOROOT", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN", "GOOS", "GOARCH", "GOAMD64", "GOARM", "GOARM64",
		"GOEXPERIMENT", "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG", "GOWORK", "GOPRIVATE", "GONOSUMDB",
		"CGO_ENABLED", "JAVA_HOME", "GRADLE_HOME", "MAVEN_HOME", "M2_HOME", "ANT_HOME", "KOTLIN_HOME", "SCALA_HOME",
		"ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT", "DOTNET_CLI_TELEMETRY_OPTOUT", "VIRTUAL_ENV",
		"CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION", "PYTHONDONTWRITEBYTECODE",
		"PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONUTF8", "PYTHONIOENCODING", "UV_PYTHON",
		"UV_PROJECT_ENVIRONMENT", "NVM_DIR", "NVM_BIN", "FNM_DIR", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL",
		"DENO_DIR", "RBENV_ROOT", "RBENV_VERSION", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "SDKMAN_DIR",
		"JENV_ROOT", "npm_config_cache", "CC", "CXX", "AR", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS",
		"MAKEFLAGS", "PKG_CONFIG_PATH", "SOURCE_DATE_EPOCH",
	}, func(known string) bool {
		begin, open := strings.CutSuffix(known, "*")
		return name == known || open && strings.HasPrefix(name, begin)
	})
}

// speaksOfKeys is for names that begin as one that passes.
func speaksOfKeys(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSW", "KEY", "AUTH", "CREDENTIAL"},
		func(w string) bool { return strings.Contains(name, w) })
}

// Variable returns a variable of an environment; the last one counts.
func Variable(environ []string, name string) string {
	for _, kv := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
