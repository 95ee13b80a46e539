package agent

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// settingsLimit bounds a host's settings file.
const settingsLimit = 1 << 20

// hostSettings reads a host's settings file as far as T has it. there is false
// where no file is; what is there and cannot be read is an error.
func hostSettings[T any](name string) (s T, there bool, err error) {
	file, size, err := openRegular(name)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, true, err
	}
	defer file.Close()
	raw := make([]byte, min(size, settingsLimit))
	if _, err := io.ReadFull(file, raw); err != nil {
		return s, true, err
	}
	return s, true, json.Unmarshal(raw, &s)
}

// claudeSandbox is what Claude Code's settings say of its sandbox.
type claudeSandbox struct {
	Sandbox *struct {
		Enabled           bool     `json:"enabled"`
		FailIfUnavailable bool     `json:"failIfUnavailable"`
		ExcludedCommands  []string `json:"excludedCommands"`
		WeakerNested      bool     `json:"enableWeakerNestedSandbox"`
		Filesystem        struct {
			Disabled bool `json:"disabled"`
		} `json:"filesystem"`
	} `json:"sandbox"`
}

// claudeManaged is where an organisation's settings of Claude Code lie.
const claudeManaged = "/etc/claude-code/managed-settings.json"

// claudeContained says whether Claude Code runs a command in its sandbox (read
// in 2.1.329, not run: it needs socat): the person or the organisation has
// switched the sandbox on, without a sandbox nothing runs, no setting of the
// repository's speaks of it, and neither the call nor a list takes the command
// out of it.
func claudeContained(e *Event, home string) {
	if e.Kind != Decide || e.Call.RawTool != "Bash" || home == "" || e.Project == "" || unsandboxed(e.Call.Input) {
		return
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		if s, _, err := hostSettings[claudeSandbox](filepath.Join(e.Project, ".claude", name)); err != nil ||
			s.Sandbox != nil {
			return
		}
	}
	for _, name := range []string{claudeManaged, filepath.Join(home, ".claude", "settings.json")} {
		s, _, err := hostSettings[claudeSandbox](name)
		if err != nil {
			return
		}
		box := s.Sandbox
		if box == nil {
			continue
		}
		e.Contained = box.Enabled && box.FailIfUnavailable && !box.WeakerNested && !box.Filesystem.Disabled &&
			!excluded(box.ExcludedCommands, e.Call.Command)
		return
	}
}

// unsandboxed reports whether the call asks to leave the sandbox, or may.
func unsandboxed(input []byte) bool {
	var in struct {
		Disable *bool `json:"dangerouslyDisableSandbox"`
	}
	return json.Unmarshal(input, &in) != nil || in.Disable != nil && *in.Disable
}

// excluded reports whether a list of command patterns may speak of a command:
// the first word of one stands in it.
func excluded(patterns []string, command string) bool {
	for _, p := range patterns {
		first, _, _ := strings.Cut(strings.TrimSpace(p), " ")
		first = strings.Trim(first, "*:")
		if first == "" || strings.Contains(command, first) {
			return true
		}
	}
	return false
}

// geminiSettings is what says whether Gemini CLI can be in yolo mode.
type geminiSettings struct {
	Security *struct {
		DisableYoloMode *bool `json:"disableYoloMode"`
	} `json:"security"`
}

// geminiContained says whether Gemini CLI asks a person about a command. Where nobody is
// there the approval of a plan turns on yolo mode, whatever the settings say (0.61.0, run),
// so that the plan is a person's to approve.
func geminiContained(e *Event, home string) {
	if e.Kind != Decide || home == "" || e.Project == "" {
		return
	}
	switch e.Call.RawTool {
	case "run_shell_command":
		e.Contained = geminiAsks(e.Project, home)
	case "exit_plan_mode":
		if geminiAsks(e.Project, home) {
			e.Call.Unread = "without a person Gemini CLI goes from plan mode into yolo mode, also where settings switch " +
				"that off; a person leaves plan mode themselves"
		}
	}
}

// geminiAsks reports whether Gemini CLI asks about commands (read in the default policy
// of 0.61.0, and refused where nobody is there): it does but in yolo mode, which no payload
// tells of, so that the person must have switched that off for good, and the repository
// must not speak of it nor bring policies.
func geminiAsks(project, home string) bool {
	own := filepath.Join(project, ".gemini")
	if s, _, err := hostSettings[geminiSettings](filepath.Join(own, "settings.json")); err != nil || s.Security != nil {
		return false
	}
	if _, _, err := openRegular(filepath.Join(own, "policies")); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	s, _, err := hostSettings[geminiSettings](filepath.Join(home, ".gemini", "settings.json"))
	return err == nil && s.Security != nil && s.Security.DisableYoloMode != nil && *s.Security.DisableYoloMode
}
