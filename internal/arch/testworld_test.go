package arch

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// outside is how a test sees this machine instead of a world of its own.
var outside = regexp.MustCompile(`os\.Environ\(\)|os\.UserHomeDir\(\)|os\.Getenv\("(PATH|HOME|TZ)"\)|` +
	`exec\.LookPath\(|Files: +(nod\.OnDisk\(\)|view\.Disk\{\})|t\.Setenv\("(PATH|HOME|TZ)"`)

// allowedOutside are the tests that must see this machine, each with its reason.
// None decides about a call by what it sees there.
var allowedOutside = map[string]string{
	"example_test.go":                     "an example as a person would write it; its model answers everything",
	"llm/example_test.go":                 "the same",
	"internal/acp/acp_test.go":            "starts itself",
	"internal/arch/arch_test.go":          "starts the compiler",
	"internal/arch/follow_test.go":        "starts the compiler",
	"internal/cli/cli_test.go":            "what a script's environment holds, which the script made",
	"internal/cli/doctor_test.go":         "finds nod in the PATH that the script made",
	"internal/confine/confine_test.go":    "starts the compiler; what runs confined is on this disk",
	"internal/confine/cost_test.go":       "starts the compiler",
	"internal/confine/escape_test.go":     "the escape suite runs real programs",
	"internal/confine/obstacle_test.go":   "starts itself",
	"internal/confine/projects_test.go":   "real projects are built with the toolchains that are here",
	"internal/confine/seen_test.go":       "the escape suite runs real programs",
	"internal/hook/process_linux_test.go": "starts itself",
	"lab/verify/faults/faults_test.go":    "starts the compiler",
	"lab/verify/startup_test.go":          "starts the compiler",
	"internal/shell/memory_test.go":       "starts itself",
	"release/release_test.go":             "starts the compiler",
}

// A test that sees this machine's programs, home or settings is red on another
// machine: three were, for a program that somebody had installed by hand.
func TestTestsSeeTheirOwnWorld(t *testing.T) {
	used := map[string]bool{}
	for _, f := range files(t) {
		if dir := path.Dir(f.name); !f.test || dir == "e2e" || dir == "internal/testworld" {
			continue
		}
		for i, line := range strings.Split(string(read(t, f.name)), "\n") {
			found := outside.FindString(line)
			if found == "" {
				continue
			}
			if used[f.name] = true; allowedOutside[f.name] == "" {
				t.Errorf("%s:%d: %s sees this machine: take it from internal/testworld", f.name, i+1, found)
			}
		}
	}
	for name := range allowedOutside {
		if !used[name] {
			t.Errorf("%s sees nothing of this machine and need not be allowed to", name)
		}
	}
}
