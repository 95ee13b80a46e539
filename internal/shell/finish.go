package shell

import (
	"slices"
	"strings"
)

// finish does what a program does only after all its options are known.
func (u *use) finish() {
	u.codes.finishInline()
	if strings.HasPrefix(u.code, "git") || u.marks.has(markOpens|markKeeps) {
		u.git().finishGit()
	}
	switch u.code {
	case "push":
		u.git().finishPush()
	case "golist":
		u.git().asksStatus()
	case "ghapi":
		u.request().finishRequest()
	case "tar":
		u.operands().finishTar()
	case "kubeget":
		u.operands().finishKubeGet()
	case "s3copy":
		u.request().finishS3Copy()
	case "modes":
		u.operands().modes()
	case "packing":
		u.operands().packing()
	case "dd":
		if !u.marks.has(markLists) && slices.ContainsFunc(u.inv.args,
			func(w word) bool { return bottomless(after(w, "if=")) }) {
			u.operands().endless()
		}
	case "cat":
		if slices.ContainsFunc(u.pos, bottomless) || u.inv.in.kind == fromFile && bottomless(u.inv.in.text) {
			u.operands().endless()
		}
	case "yes":
		u.operands().endless()
	default:
		u.finishMarked()
	}
}

// finishMarked states what a program does unless an option said otherwise.
func (u *use) finishMarked() {
	switch u.code {
	case "script":
		if len(u.pos) < 2 && !u.marks.has(markMakes) {
			u.texts.standardInput(u.inv)
		}
	case "wget":
		if !u.marks.has(markMakes) && len(u.pos) > 0 {
			u.effects("!write:.", u.inv.raw)
		}
	case "sample":
		if !u.marks.has(markMakes) {
			u.effects("!write:/tmp/sample.txt", u.inv.raw) // a name that was not there
		}
	case "second":
		if len(u.pos) < 2 {
			u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" writes beside what it reads")
		}
	case "printing":
		if u.marks.has(markMakes) && !u.marks.has(markLists) {
			u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" writes where it is not told to print")
		}
	case "clock":
		if u.marks.has(markMakes) && !u.marks.has(markLists) {
			u.out.unknown(PartWords, u.inv.raw, "this may set the clock, or print files of dates")
		}
	case "unzip":
		if !u.marks.has(markLists) {
			u.effects("!write:. links !unknown:writes-what-the-archive-holds", u.inv.raw)
		}
	}
}

// finishKubeGet reports secrets of a cluster, and whole objects, which may hold
// the environment of programs.
func (o *operands) finishKubeGet() {
	for _, w := range o.pos {
		if !w.known || strings.HasPrefix(w.text, "secret") || strings.Contains(w.text, ",secret") {
			o.out.does(Secret, "cluster secrets", o.inv.raw)
		}
	}
	if o.marks.has(markWhole) {
		o.out.does(Secret, "cluster objects", o.inv.raw)
	}
}

// finishPush reports where git push goes, and whether it may rewrite history.
func (gl *gitLine) finishPush() {
	if r := gl.repos.repository(gl.inv.st.dir); gl.marks.has(markLists) && r != nil {
		gl.asksRemote(false)
		return
	}
	target := "origin"
	for i, w := range gl.pos {
		if i == 0 && w.known {
			target = w.text
		}
		if i > 0 && (!w.known || strings.HasPrefix(w.text, "+") || strings.HasPrefix(w.text, ":")) {
			gl.flags |= forced
		}
	}
	gl.out.effect(Effect{
		Kind: Remote, Target: target, Place: Network, Words: gl.inv.raw, Part: PartWords,
		Forced: gl.flags&forced != 0, Recursive: gl.flags&recursive != 0,
	})
}

// request is a command line that asks something of a service.
type request struct {
	machine *machine
	out     *draft
	*sheet
	*given
	targets *targets
}

func (u *use) request() *request {
	return &request{machine: u.machine, out: &u.out, sheet: u.sheet, given: &u.given,
		targets: &u.targets}
}

// finishRequest reports a call of GitHub's API: reading, unless the method or
// a field says otherwise. A GraphQL query is sent as a field.
func (r *request) finishRequest() {
	graphql := len(r.pos) > 0 && r.pos[0].text == "graphql"
	if len(r.pos) > 0 && strings.Contains(r.pos[0].text, "://") &&
		!strings.HasPrefix(r.pos[0].text, "https://api.github.com/") {
		r.out.unknown(PartWords, r.inv.raw, "this asks an address that is not GitHub's")
	}
	switch {
	case r.method == "unknown":
		r.out.unknown(PartWords, r.inv.raw, "this asks a service by a method that nod does not know")
	case r.method == "GET" || r.method == "HEAD", r.method == "" && !r.send, graphql && r.method == "" &&
		r.marks.has(markQuery) && !r.marks.has(markMakes):
		r.fetches("github.com", r.inv.raw)
		return
	}
	r.out.does(Remote, "github.com", r.inv.raw)
}

// finishTar reports the archive: read, or made.
func (o *operands) finishTar() {
	kind := Read
	switch {
	case o.marks.has(markMakes):
		kind = Write
	case o.marks.has(markExtracts) && o.marks.has(markPrints) && !o.marks.has(markLists):
	case o.marks.has(markExtracts):
		o.run.effects("!write:. links !unknown:writes-what-the-archive-holds", o.inv.raw)
	case !o.marks.has(markLists):
		o.out.unknown(PartWords, o.inv.raw, "this runs tar without a verb that nod knows")
	}
	if o.archive.raw == "" || o.archive.known && o.archive.text == "-" {
		return
	}
	// host:file is an archive on another machine, reached through rsh.
	if before, _, ok := strings.Cut(o.archive.text, ":"); ok && !strings.Contains(before, "/") {
		o.out.does(Send, before, o.inv.raw)
		o.out.unknown(PartWords, o.inv.raw, "this runs tar on an archive of another machine")
	}
	if !o.archive.known || o.archive.glob > 0 || o.archive.many {
		o.out.unknown(PartWords, o.inv.raw, "this names an archive that may be on another machine, where its name has a colon")
	}
	o.out.path(kind, o.archive, o.st, 0) // -C does not count for the archive
}

// curlData reports what a request carries: text, or a file after @.
func (r *request) curlData(w word) {
	text := w.text
	if _, after, ok := strings.Cut(text, "=@"); ok {
		text = "@" + after
	} else if _, after, ok := strings.Cut(text, "=<"); ok {
		text = "@" + after
	}
	name, ok := strings.CutPrefix(text, "@")
	if !ok || name == "-" {
		return
	}
	if name, _, _ = strings.Cut(name, ";"); name != "" {
		r.out.path(Read, word{value: value{text: name, known: w.known}, raw: w.raw}, r.inv.st, 0)
	}
}

// curlFormat reports a format that is read from a file, or that writes one.
func (r *request) curlFormat(w word) {
	switch name, ok := strings.CutPrefix(w.text, "@"); {
	case ok:
		r.out.path(Read, word{value: value{text: name, known: w.known}, raw: w.raw}, r.inv.st, 0)
	case !w.known || strings.Contains(w.text, "%output{"):
		r.out.unknown(PartWords, r.inv.raw, "this gives curl a format that may write a file")
	}
}

// requestMethod notes the method of a request.
func (r *request) requestMethod(role string, w word) {
	r.method = strings.ToUpper(w.text)
	if !w.known {
		r.method = "unknown"
	}
	switch r.method {
	case "GET", "HEAD", "OPTIONS":
	default:
		r.send = r.send || role == "curlmethod"
	}
}

// gitRemote reports the repository that git asks: a name, a URL or a path.
func (gl *gitLine) gitRemote(w word) {
	if w.known && !strings.Contains(w.text, "://") {
		gl.out.does(Fetch, w.text, gl.inv.raw)
		return
	}
	gl.targets.url(w)
}

// ghRepo reports the host that [HOST/]OWNER/REPO or a URL names.
func (r *request) ghRepo(w word) {
	name := w.text
	for _, scheme := range [...]string{"https://", "http://", "ssh://git@", "git://"} {
		if rest, ok := strings.CutPrefix(name, scheme); ok {
			name = rest
		}
	}
	host, rest, _ := strings.Cut(name, "/")
	switch {
	case !w.known:
		r.out.unknown(PartWords, r.inv.raw, "this asks for a repository, and nod cannot tell which")
	case strings.Contains(host, "@"):
		r.out.does(Fetch, host, r.inv.raw)
	case strings.Contains(rest, "/") && host != "github.com":
		r.out.does(Fetch, host, r.inv.raw)
	}
}

// finishS3Copy reports which way aws s3 cp copies.
func (r *request) finishS3Copy() {
	if len(r.pos) != 2 {
		r.out.unknown(PartWords, r.inv.raw, "this copies without naming source and target")
		return
	}
	from, to := r.pos[0], r.pos[1]
	there := func(w word) bool { return strings.HasPrefix(w.text, "s3://") }
	switch {
	case there(from) && there(to):
		r.out.does(Remote, "amazonaws.com", r.inv.raw)
	case there(from):
		r.out.does(Fetch, "amazonaws.com", r.inv.raw)
		if r.flags&recursive != 0 {
			r.out.unknown(PartWords, r.inv.raw, "this writes files, and nod does not know which")
		}
		if !(to.known && to.text == "-") {
			r.out.path(Write, to, r.inv.st, r.flags&^recursive)
		}
	case there(to):
		r.targets.reads(from, r.flags&recursive)
		r.out.does(Send, "amazonaws.com", r.inv.raw)
	default:
		r.out.unknown(PartWords, r.inv.raw, "this copies between places that nod does not know")
	}
}

// loaded reports an argument that may name a file whose content goes into the
// request: file:// and fileb:// of aws, @ of az.
func (r *request) loaded(role string, w word) {
	name, ok := "", false
	for _, prefix := range [...]string{"fileb://", "file://", "@"} {
		if name, ok = strings.CutPrefix(w.text, prefix); ok && (prefix == "@") == (role == "atfile") {
			r.out.path(Read, word{value: value{text: name, known: w.known}, raw: w.raw}, r.inv.st, 0)
			r.out.does(Send, r.service(), r.inv.raw)
			return
		}
	}
	if !w.known {
		r.out.unknown(PartWords, r.inv.raw, "this may send a file that an argument names")
	}
}

// service returns what the data says that a command fetches from or changes.
func (r *request) service() string {
	for item := range strings.FieldsSeq(r.sheet.always) {
		if kind, target, ok := strings.Cut(item, ":"); ok && (kind == "!fetch" || kind == "!remote") {
			return target
		}
	}
	return r.sheet.name
}

// goHome reports whether a verb of go asks for nothing but the modules that go.mod
// names, from where go fetches them if nobody says otherwise.
func (r *request) goHome() bool {
	switch r.heading {
	case "doc", "list", "mod graph", "mod why", "mod verify":
	default:
		return false
	}
	for _, name := range [...]string{"GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOVCS",
		"GOFLAGS", "GOENV", "GOAUTH", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		if _, ok := r.machine.inherits(name); ok {
			return false
		}
	}
	return !slices.ContainsFunc(r.inv.args, func(w word) bool {
		option := strings.TrimLeft(w.text, "-")
		return !w.known || w.many || w.glob > 0 || strings.Contains(w.text, "@") || strings.HasPrefix(option, "http") ||
			strings.HasPrefix(option, "versions") // of any module, whose name is that of a host
	})
}
