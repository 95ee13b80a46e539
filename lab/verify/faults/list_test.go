package faults

// fault is a mistake that somebody could make, as a change of one text in one file. The text occurs once in the file.
type fault struct {
	name     string
	file     string
	was, now string
	tests    []string // the packages whose tests ought to find it
}

// faults are planted one at a time. Together they touch each layer, the files
// that rules come from, the adapters, the hook and what it keeps.
func faults() []fault {
	root, agents, hook := []string{"."}, []string{"./agent"}, []string{"./internal/hook"}
	return []fault{
		{"a layer skipped: layer 0", "gate.go",
			`t.guard()); o.stands() {`, `t.guard()); false && o.stands() {`, root},
		{"a layer skipped: what cannot be undone", "gate.go",
			`t.irrecoverable()); o.stands() {`, `t.irrecoverable()); false && o.stands() {`, root},
		{"a layer skipped: what only a person may allow", "gate.go",
			`t.reserved()); o.stands() {`, `t.reserved()); false && o.stands() {`, root},
		{"a layer skipped: secrets", "gate.go",
			`t.secret()); o.stands() {`, `t.secret()); false && o.stands() {`, root},
		{"nod is known by its name alone", "internal/guard/self.go",
			`c.Program != "" && g.At.Machine.IsSelf(c.Program):`, `false:`, root},
		{"a rule ignored: soft_deny", "gate.go",
			`t.ruled.softDenied() {
		soft`, `t.ruled.softDenied() && false {
		soft`, root},
		{"a rule ignored: hard_deny among the words of a program", "internal/match/call.go",
			`where = AnyWord`, `where = FirstWord`, root},
		{"a rule too wide: allow holds in any directory", "internal/match/call.go",
			`p.Clears(c) && m.atHome(c.Dir)`, `p.Clears(c)`, root},
		{"a path compared wrongly: a foreign worktree is inside", "internal/place/machine.go",
			`return !m.foreignWorktree(root, real)`, `return true`, root},
		{"a path compared wrongly: an edit outside the workspace", "internal/place/guarded.go",
			`case !w.Machine.Inside(w.Roots, real):`, `case false:`, root},
		{"a path compared wrongly: the guarded list", "internal/place/guarded.go",
			`case w.Guarded(real):`, `case false:`, root},
		{"a host compared wrongly: any end of a name", "internal/match/hosts.go",
			`"."+suffix`, `suffix`, root},
		{"a host compared wrongly: a name with a user's before it", "internal/match/hosts.go",
			`strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != ""`, `false`,
			[]string{"./internal/match"}},
		{"a disk not taken for a disk", "internal/harm/verbs.txt", "xvd nvme ", "xvd ", root},
		{"an error that allows: every failure", "gate.go",
			`Verdict: Deny, Layer: l, Reason: f.Message`, `Verdict: Allow, Layer: l, Reason: f.Message`, root},
		{"an error that allows: the log cannot be written", "gate.go",
			`if !t.gate.options.UnrecordedRuns {`, `if false {`, root},
		{"an answer to another call is taken", "sidequery.go",
			`if a.Digest != p.Digest {`, `if false {`, root},
		{"an adapter's answer swapped: deny says allow", "agent/encode.go",
			`	return saysDeny
}

func saysAsking`, `	return saysAllow
}

func saysAsking`, agents},
		{"an adapter's answer swapped: nobody to ask, so allow", "agent/encode.go",
			`	return saysNobody
`, `	return saysAllow
`, agents},
		{"an adapter's answer swapped: allow where nod only reinforces", "agent/encode.go", `how != Reinforce && !e.Unproven &&`,
			`!e.Unproven &&`, agents},
		{"an adapter's answer swapped: a block exits with 0", "agent/encode.go",
			`+ "\n"), Exit: 2, Said: saysDeny}`, `+ "\n"), Exit: 0, Said: saysDeny}`, agents},
		{"an adapter's answer swapped: Codex is answered for another event", "agent/hosts.txt",
			"/ tried: 0.169.0\n/ answer: {\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\"",
			"/ tried: 0.169.0\n/ answer: {\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\"", agents},
		{"an error that allows: a payload that cannot be read", "internal/hook/hook.go",
			`return r.Adapter.Block(printable.Line(reason, 300))`, `return agent.Answer{}`, hook},
		{"an error that allows: the deadline", "internal/hook/hook.go",
			`exit(put(r.Adapter.Block("nod did not finish in time; the call is blocked"), stdout, stderr))`, `exit(0)`,
			hook},
		{"an approval holds twice", "internal/approval/approval.go",
			`(a.UsedAt.IsZero() || a.usedBy(by, now))`, `true`, []string{"./internal/approval"}},
		{"a repository's own file is trusted", "internal/config/scope.go",
			`item.Rule.Untrusted = true`, `item.Rule.Untrusted = false`, []string{"./internal/config"}},
		{"the hook is installed to fail open", "internal/install/handler.go",
			`timeout, onFailure, command = decideTimeout, "block"`, `timeout, onFailure, command = decideTimeout, "continue"`,
			[]string{"./internal/install"}},
		{"a secret stands in the log", "internal/masks/scan.go",
			`	return string(append(s.out, in[s.from:]...))`, `	return in`, []string{"./audit"}},
	}
}
