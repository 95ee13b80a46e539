package shell

import "strings"

// finish does what a program does only after all its options are known.
func (u *use) finish() {
	for _, w := range u.inline {
		u.out.runsCode(u.inv, w)
	}
	if u.command {
		return
	}
	if u.marks.has(markLinks) {
		u.out.makesLink()
	}
	if strings.HasPrefix(u.code, "git") || u.marks.has(markOpens|markKeeps) {
		u.git().finishGit()
	}
	switch u.code {
	case "push":
		u.git().finishPush()
	case "golist":
		u.git().asksStatus()
	case "ghapi":
		finishRequest(u)
	}
}
