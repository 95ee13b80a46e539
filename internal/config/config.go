// Package config finds, checks and merges nod's settings files. There are three, each TOML, each optional;
// docs/settings.toml shows every key:
//
//	/etc/nod/nod.toml        managed: the organisation's
//	~/.config/nod/nod.toml   user
//	ROOT/.nod.toml           repository: in the session's workspace root only
//
// A managed or user file that exists and cannot be used (a syntax error, an unknown key, a wrong type, a bad rule;
// below a workspace, owned by somebody else, writable by others) is an error of the kind [fault.BadSettings] whose
// message is "FILE:LINE:COL: what; next step". It never means fewer rules. So is a file of Claude Code's settings of
// the user's or the organisation's; what denies and asks in it is read (docs/rules.md).
//
// # Merging
//
// The lists of all files add up: managed, then user, then repository, each entry once. "$defaults" stands for the
// built-in list, at its place. The built-in list is part of the result if no managed or user file has the key, or if a
// file that has the key says "$defaults": a user's list without it replaces the built-in list, never a managed entry.
// In secrets and guarded a later "!entry" takes back an earlier one, and the managed entries come last, so that a
// user's "!" cannot reach them.
//
// The lists of a [[repository]] add to those of its file where the session's workspace root is that directory, a
// plain directory in it, or one of its linked worktrees. Of confine the strictest word of the two files holds.
// Everything else is set by the managed file, else by the user's, else it has its default: key by key, for headers
// name by name, for prices model by model. workspace_roots add up.
//
// # The policy of a team
//
// On a machine that joined a team (package team) the documents of the team's policy stand at the managed level too,
// between the managed file and the user's: for the organisation, then for the team, then for the session's repository.
// Of a word that may loosen, such as mode, the strictest holds among all that is managed. A document for repositories
// of a pattern has hard_deny, ask and soft_deny, which add. A policy that cannot be used or has gone is an error, as a
// managed file is; before the first one, and with an old one, the rest holds, and [Settings.Policy] says so.
//
// # The repository's file
//
// Whoever can write to the repository writes .nod.toml, the agent included. So it may tighten and nothing else:
// command patterns in hard_deny and soft_deny, which are matched and whose words no model sees
// ([nod.Rule.Untrusted]). Everything else in it is left out with a notice, and so is all of it where it cannot be
// read: an error would stop work there, and its author could as well delete it.
package config

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/system"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/view"
)

// Places says where settings lie. Names are absolute.
type Places struct {
	Managed, User string // files; "" means none
	State         string // nod's state directory
	// ClaudeManaged and ClaudeUser are Claude Code's own settings, for those
	// who need rules; "" means none. See [Places.WithClaude].
	ClaudeManaged, ClaudeUser string
	// Root is the session's workspace root; "" means none. The home directory, its ancestors and / count as "".
	Root string
	Home string // for ~/ in settings; "" makes ~/ an error
	// Files is the file system; nil is the disk.
	Files view.Files
	// UID is who, besides root, may own settings files.
	UID uint32
	// Known tells which programs are known, to tell command patterns from
	// prose in an untrusted file. nil takes any first word for a program.
	Known func(program string) bool
	Now   func() time.Time // nil is time.Now

	draft  map[string][]byte // files as they would be, see [Places.Draft]
	policy []team.Document   // see [Places.WithPolicy]
}

// onDisk fills in what is left to the machine.
func (p Places) onDisk() Places {
	if p.Files == nil {
		p.Files = view.Disk{}
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	return p
}

// managedName is the organisation's file.
func managedName() string {
	if runtime.GOOS == "windows" { // below a directory that only administrators change
		return "C:/Program Files/nod/nod.toml"
	}
	return "/etc/nod/nod.toml"
}

// DefaultPlaces returns the places of this process's user, without a root. With home "" only the managed file is left.
func DefaultPlaces(home string) Places {
	home = view.Home(home)
	p := Places{Managed: managedName(), Home: home, Files: view.Disk{}, UID: uint32(system.User())}
	if path.IsAbs(home) {
		p.User = view.Native(path.Join(home, ".config/nod/nod.toml"))
		p.State = view.Native(path.Join(home, ".local/state/nod"))
	}
	return p
}

// Mode says whether nod's answers count. The zero value enforces.
type Mode uint8

const (
	Enforce Mode = iota
	Observe      // everything is decided and logged, and nothing is answered
	Off          // nothing is decided
)

// modes are the words of the settings file, strictest first.
func modes() []string { return []string{"enforce", "observe", "off"} }

// String returns the word of the settings file.
func (m Mode) String() string {
	if m > Off {
		m = Enforce
	}
	return modes()[m]
}

// MarshalText implements encoding.TextMarshaler.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// ParseMode accepts exactly what String returns.
func ParseMode(s string) (Mode, bool) {
	i := slices.Index(modes(), s)
	return Mode(max(i, 0)), i >= 0
}

// Profile says how far nod may go.
type Profile string

// The profiles. "" leaves it to the agent's adapter.
const (
	Replace   Profile = "replace"   // nod answers everything, also where the host judges
	Reinforce Profile = "reinforce" // nod never allows
)

// Level is whose file it is.
type Level string

// The levels, highest first.
const (
	Managed    Level = "managed"
	User       Level = "user"
	Repository Level = "repository"
)

// Settings is what all files say together.
type Settings struct {
	Mode       Mode
	ModeOrigin string // "default" or "FILE:LINE"
	// Paused is until when the mode is [Observe] by a pause, the zero time where it is by none.
	Paused  time.Time
	Profile Profile
	// AskUnknown says that nod asks about what it merely does not know. False: without a
	// model that is left to the agent's own flow, where it has one.
	AskUnknown bool
	// Approvals says that what a person approved with nod approve counts.
	Approvals bool
	Confine   Confine
	Rules     nod.Rules
	// Roots are the real paths of workspace_roots.
	Roots []string
	Model ModelSettings
	Log   LogSettings
	// Questions says how a person is reached whom the agent cannot ask.
	Questions QuestionSettings
	Team      TeamSettings
	Prices    []Price
	Scopes    []Scope // every [[repository]], whether it holds here or not
	Sequences []Sequence
	Sources   []Source // every file that was found, highest level first
	// Notices are for the person, one line each, escaped.
	Notices []string

	Policy *Policy // nil where the machine belongs to no team

	ClaudeRules ClaudeRules
	// NotHeld are rules of Claude Code's settings that could not be taken as they were meant.
	NotHeld []NotHeld
	// LeftOut are rules of allow in nod's own settings that would allow any code.
	LeftOut []NotHeld

	said said
}

// Item is one entry of one list.
type Item struct {
	List   string // the key: "allow", "hosts" ...
	Text   string
	Origin string // "default", "nod's own" or "FILE:LINE"
	Level  Level  // "" for a built-in entry
	Scope  string // the repository, a real path, to which it is confined; "" means any
	// Rule is set in allow, soft_deny, hard_deny and environment.
	Rule nod.Rule
}

// Target says which model is asked, and where. What of it a provider needs is checked by package llm.
type Target struct {
	// Provider is one of llm.Providers; "" configures no model.
	Provider   string `toml:"provider"`
	Name       string `toml:"name"`     // "" is the provider's default
	Endpoint   string `toml:"endpoint"` // "" is the vendor's own address
	KeyFile    string `toml:"key_file"` // absolute; "" means none; see [Target.Key]
	Region     string `toml:"region"`
	Project    string `toml:"project"`
	APIVersion string `toml:"api_version"`
	Channel    string `toml:"channel"`
	// Effort and Thinking are the model's own; "" leaves them to it.
	Effort   string `toml:"effort"`
	Thinking string `toml:"thinking"`
	// Temperature is nil where it is left to nod: 0 where the model takes it.
	Temperature *float64 `toml:"temperature"`
	// Headers are added to requests to this target and to no other.
	Headers map[string]string `toml:"headers"`
}

// ModelSettings says how layer 4 reaches its model.
type ModelSettings struct {
	Target
	MaxTokens int    `toml:"max_tokens"`
	Proxy     string `toml:"proxy"`   // "" means none
	CAFile    string `toml:"ca_file"` // absolute; "" means none
	Profile   string `toml:"profile"` // what the model is shown: "ledger" or "seed"
	Stages    int    `toml:"stages"`  // 1 or 2
	// MaxCostSession and MaxCostDay are in US dollars; 0 is no ceiling.
	MaxCostSession float64 `toml:"max_cost_session"`
	MaxCostDay     float64 `toml:"max_cost_day"`
	// Fallbacks are asked in turn where the ones before are not to be had. They are the highest file's that has any.
	Fallbacks []Target      `toml:"-"`
	Timeout   time.Duration `toml:"-"` // for the whole decision
	// AskOnBlock asks about what the model blocks. DenyOnFailure denies where it fails, also with a person there.
	AskOnBlock    bool `toml:"-"`
	DenyOnFailure bool `toml:"-"`
}

// KeyFiles are the files that hold keys, absolute.
func (m ModelSettings) KeyFiles() (files []string) {
	for _, t := range append([]Target{m.Target}, m.Fallbacks...) {
		if t.KeyFile != "" {
			files = append(files, t.KeyFile)
		}
	}
	return files
}

// LogSettings says how the decision log is kept.
type LogSettings struct {
	// UnrecordedRuns says that a call runs although its decision cannot be logged, as where no file says otherwise.
	UnrecordedRuns bool
	DumpDir        string // absolute; "" dumps nothing
}

// QuestionSettings says how a person is asked outside of the agent.
type QuestionSettings struct {
	// Wait is how long a call waits for the answer; 0 asks nobody. It waits where a queue is open, or with Notify.
	Wait time.Duration `toml:"-"`
	// Notify is a program, absolute, and its arguments: it tells the person that a call waits.
	Notify []string `toml:"notify"`
	// Page is the address of nod ui as the person reaches it, for the link in the notification; "" sends none.
	Page string `toml:"page"`
	// First has a call wait too where the agent would ask by itself, which it does if nobody answers.
	First bool `toml:"first"`
}

// TeamSettings say what goes to the server of the team that the machine belongs to.
type TeamSettings struct {
	// Inputs has the lines of the log go as they are, with their masked inputs and names of places. It is on where no
	// file says otherwise; a managed file that says false is not overruled by the user's.
	Inputs bool `toml:"inputs"`
	// Verdicts has what the model says shared with the team's machines, and theirs believed.
	Verdicts bool `toml:"verdicts"`
}

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Model  string  `toml:"model"`
	In     float64 `toml:"in"`
	Out    float64 `toml:"out"`
	Cached float64 `toml:"cached"`
}

// Source is a settings file that was found.
type Source struct {
	Path  string // as it was asked for
	Level Level
}

// Load reads, checks and merges the settings. The error is a *[fault.Error] of the kind [fault.BadSettings]; Settings
// are then the zero value, which enforces and allows nothing.
func Load(p Places) (Settings, error) {
	p = p.onDisk()
	p.Root = p.workspaceRoot()
	all := standard()
	layers, policy, err := p.layers(&all)
	if err != nil {
		return Settings{}, err
	}
	repo := p.repository()
	claude, notHeld, err := p.claude(ClaudeRules(all.ClaudeRules))
	s := merge(all, layers, claude, repo)
	enforced := policy != nil && policy.Version > 0 && all.held["mode"] == "" // a policy holds until it says otherwise
	if enforced {
		s.Mode, s.ModeOrigin = Enforce, fmt.Sprintf("policy %d", policy.Version)
	}
	if err != nil && s.Mode != Off {
		return Settings{}, err
	}
	if s.NotHeld, s.Policy = notHeld, policy; !enforced {
		s.pause(p, layers)
	}
	if err := p.checkPlaces(layers, s); err != nil {
		return Settings{}, err
	}
	s.said.own = p.ownSecrets(s)
	s.Rules.Secrets = append(s.Rules.Secrets, textsIn(s.said.own)...)
	return s, nil
}

// layers reads the user's file, the team's policy and the managed file, and returns them highest first.
func (p Places) layers(all *scalars) (list []layer, policy *Policy, err error) {
	user, found, err := p.layer(Source{p.User, User}, all)
	if found {
		list = []layer{user}
	}
	if err != nil {
		return nil, nil, err
	}
	documents, policy, err := p.team(all)
	if err != nil {
		return nil, nil, err
	}
	list = append(documents, list...)
	managed, found, err := p.layer(Source{p.Managed, Managed}, all)
	if found {
		list = append([]layer{managed}, list...)
	}
	return list, policy, err
}

func failure(message string) *fault.Error {
	return &fault.Error{Kind: fault.BadSettings, Message: message}
}
