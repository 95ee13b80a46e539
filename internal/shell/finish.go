package shell

import (
	"slices"
	"strings"
)

// finish does what a program does only after all its options are known. This is the
// table of the codes that sheets name.
func (u *use) finish() {
	for _, w := range u.inline {
		u.out.runsCode(u.inv, w)
	}
	if strings.HasPrefix(u.code, "git") || u.marks.has(markOpens|markKeeps) {
		u.git().finishGit()
	}
	quiet := u.marks.has(markLists) || u.marks.has(markPrints)
	switch u.code {
	case "push":
		u.git().finishPush()
	case "golist":
		u.git().asksStatus()
	case "ghapi":
		finishRequest(u)
	case "tar":
		finishTar(u)
	case "kubeget":
		if slices.ContainsFunc(u.pos, func(w word) bool { return !w.known || strings.Contains(w.text, "secret") }) {
			u.out.does(Secret, "cluster secrets", u.inv.raw)
		}
	case "wget":
		if !u.marks.has(markMakes) && len(u.pos) > 0 {
			u.effects("!write:.", u.inv.raw)
		}
	case "unzip":
		if !u.marks.has(markLists) {
			u.effects("!write:. links !unknown:writes-what-the-archive-holds", u.inv.raw)
		}
	case "modes", "packing":
		if u.marks.has(markMakes) && u.marks.has(markLists) {
			u.out.unknown(PartWords, u.inv.raw, "this gives "+u.sheet.name+" options that contradict each other")
		}
		if u.code == "packing" && !quiet && len(u.pos) > 0 {
			u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" makes a file of another name")
		}
	case "printing":
		if u.marks.has(markMakes) && !u.marks.has(markLists) {
			u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" writes where it is not told to print")
		}
	case "second":
		if len(u.pos) < 2 && !u.marks.has(markMakes) {
			u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" does more with so few arguments")
		}
	}
}

// finishTar reports the archive: read, or made.
func finishTar(u *use) {
	kind := Read
	switch {
	case u.marks.has(markMakes):
		kind = Write
	case u.marks.has(markExtracts) && u.marks.has(markPrints) && !u.marks.has(markLists):
	case u.marks.has(markExtracts):
		u.effects("!write:. links !unknown:writes-what-the-archive-holds", u.inv.raw)
	case !u.marks.has(markLists):
		u.out.unknown(PartWords, u.inv.raw, "this runs tar without a verb that nod knows")
	}
	if u.archive.raw == "" || u.archive.known && u.archive.text == "-" {
		return
	}
	// host:file is an archive on another machine, reached through rsh.
	before, _, colon := strings.Cut(u.archive.text, ":")
	there := colon && !strings.Contains(before, "/")
	if there {
		u.out.does(Send, before, u.inv.raw)
	}
	if there || !u.archive.known || u.archive.glob > 0 || u.archive.many {
		u.out.unknown(PartWords, u.inv.raw, "this names an archive that may be on another machine")
	}
	u.out.path(kind, u.archive, u.st, 0) // -C does not count for the archive
}
