package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/system"
)

// hostLimit is how long the hosts wait for an answer of nod-hook, as nod install tells them to, less what ending takes.
const hostLimit = 585 * time.Second

// asks reports whether a decision becomes a question to a person outside of the agent: the call could be approved,
// the agent would be told no for want of somebody to ask, and a person can be reached. What a model or a line to type
// instead has answered is no question.
func (b *book) asks(d nod.Decision, said string) bool {
	s := b.settings.Questions
	open := said == "deny" && d.Verdict == nod.Ask || said == "deny" && !d.Blocked && d.Layer == nod.LayerNone ||
		said == "ask" && (s.First || !b.event.Call.Interactive) // a host takes it for a no where nobody is there
	return open && !b.asked && b.run.yes == nil && d.Approvable.Key != "" && d.Instead == "" && s.Wait > 0 &&
		b.settings.Approvals && b.settings.Mode == config.Enforce && b.event.Kind == agent.Decide &&
		!b.event.Unproven && !b.event.Plan && (len(s.Notify) > 0 || question.Heard(b.run.Places.State))
}

// yes is a person's yes to one call: to its key, and to the files that it names as they were when it was asked about.
type yes struct {
	id, key, how string
	files        []string
	held         string             // the fingerprint of files
	session      *approval.Approval // what the yes is for the rest of the session; nil: nothing
}

// decide is what the gate says of the call, and what a person does where that became a question.
func (b *book) decide(ctx context.Context, c nod.Call) (nod.Decision, *yes) {
	if y := b.run.yes; y != nil && fingerprint(y.files) != y.held {
		return b.unanswered(c, nod.Decision{ID: y.id, Reason: "ask again"},
			"a file that this call names has changed since the person was asked", nil), nil
	}
	d := Left(b.because(b.gate.Check(ctx, c)), b.settings)
	switch y := b.run.yes; {
	case y == nil:
	case d.Verdict != nod.Allow:
		d.Reason = "what this call would do has changed since the person said yes; " + d.Reason
	case y.session != nil: // only now is it known to be what the person saw
		if err := approval.Add(b.run.Places.State, *y.session, b.run.Now()); err != nil {
			d.Notices = append(d.Notices, "the yes holds once: "+printable.Line(err.Error(), 200))
		}
	}
	if !b.waits || d.Approvable.Key == "" { // a question that could not be logged is none
		return d, nil
	}
	b.asked = true
	return b.ask(ctx, c, d)
}

// ask puts the question, waits, and returns a yes, or what is to be said without one.
func (b *book) ask(ctx context.Context, c nod.Call, d nod.Decision) (nod.Decision, *yes) {
	account := b.gate.Account(c)
	given := &yes{id: d.ID, key: d.Approvable.Key, files: account.Files, held: fingerprint(account.Files)}
	pending, link, err := b.put(c, d, account)
	if err != nil {
		return b.unanswered(c, d, "nod could not ask: "+printable.Line(err.Error(), 200), nil), nil
	}
	defer pending.Close()
	notice := b.notify(d, link)
	answer, heard := pending.Wait(ctx, b.run.Now)
	switch {
	case !heard:
		return b.unanswered(c, d, "nobody answered nod's question in time", notice), nil
	case !answer.Yes:
		d.Verdict, d.Approvable, d.Lasting = nod.Deny, nod.Approvable{}, ""
		return b.unanswered(c, d, "a person said no ("+printable.Line(answer.By, 60)+")", notice), nil
	}
	if given.how, given.session, err = b.approve(c, d, answer); err != nil {
		return b.unanswered(c, d, "the yes could not be kept: "+printable.Line(err.Error(), 200), notice), nil
	}
	return d, given
}

// fingerprint is what some files hold, and of which kind they are. What cannot be read counts as such.
func fingerprint(names []string) string {
	sum := sha256.New()
	for _, name := range names {
		info, err := os.Lstat(name)
		fmt.Fprintf(sum, "%q", name)
		if err != nil {
			continue
		}
		fmt.Fprint(sum, info.Mode().Type())
		if !info.Mode().IsRegular() {
			continue
		}
		if file, err := system.Open(name, os.O_RDONLY, 0); err == nil {
			_, _ = io.Copy(sum, io.LimitReader(file, 16<<20))
			file.Close()
		}
		fmt.Fprint(sum, info.Size())
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// put writes the question down for whoever has the person before it. link is for the notification.
func (b *book) put(c nod.Call, d nod.Decision, account nod.Account) (p *question.Pending, link string, err error) {
	now, s := b.run.Now(), b.settings.Questions
	until := now.Add(s.Wait)
	if last := b.run.started.Add(hostLimit); until.After(last) {
		until = last
	}
	e := audit.FromDecision(c, d, now)
	e.Input = b.gate.Stored(c)
	e = audit.Sealed(e)
	q := question.Question{
		ID: d.ID, Key: d.Approvable.Key, Once: d.Approvable.Once, Lasting: d.Lasting, Agent: e.Agent,
		Session: c.Session, CallID: e.CallID, Tool: e.Tool, RawTool: e.RawTool, Dir: e.Dir, Root: e.Root,
		Input: e.Input, InputBytes: e.InputBytes, Reason: e.Reason, Lost: audit.MaskText(account.Lost),
		Asked: now.UTC(), Until: until.UTC(),
	}
	for _, line := range account.Does {
		q.Does = append(q.Does, audit.MaskText(line))
	}
	if s.Page != "" && len(s.Notify) > 0 {
		var word string
		if word, q.Link, err = newWord(); err != nil {
			return nil, "", err
		}
		link = strings.TrimSuffix(s.Page, "/") + "/answer/" + d.ID + "/" + word
	}
	b.run.extend(until.Sub(now))
	p, err = question.Ask(b.run.Places.State, q)
	return p, link, err
}

// newWord returns the word of a link that answers one question, and its hash. The system is asked itself: package
// crypto/rand costs every start of the hook.
func newWord() (word, hash string, err error) {
	file, err := os.Open("/dev/urandom")
	if err != nil {
		return "", "", errors.New("a link needs /dev/urandom; take page out of [questions]")
	}
	defer file.Close()
	secret := make([]byte, 32)
	if _, err := io.ReadFull(file, secret); err != nil {
		return "", "", err
	}
	word = hex.EncodeToString(secret)
	sum := sha256.Sum256([]byte(word))
	return word, hex.EncodeToString(sum[:]), nil
}

// notify starts the person's command in an environment of nod's own, and does not wait for it.
func (b *book) notify(d nod.Decision, link string) (notices []string) {
	args := b.settings.Questions.Notify
	if len(args) == 0 {
		return nil
	}
	c, cmd := b.event.Call, exec.Command(args[0], args[1:]...)
	cmd.Dir = b.run.Places.State
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + b.run.Places.Home, "NOD_ID=" + d.ID,
		"NOD_QUESTION=" + question.Title(c.Agent, c.RawTool, c.Dir), "NOD_LINK=" + link}
	if err := cmd.Start(); err != nil {
		return []string{"nod could not start notify of [questions]: " + printable.Line(err.Error(), 200)}
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// approve writes a yes down. how says so in a few words, and lasting is what holds for the session, if it does. A yes
// to this one call is kept nowhere, so that no other call can use it up.
func (b *book) approve(c nod.Call, d nod.Decision, answer question.Answer) (how string, lasting *approval.Approval,
	err error) {
	now := b.run.Now()
	how = string(answer.Scope) + ", by " + printable.Line(answer.By, 60)
	if answer.Scope == question.Session {
		lasting = &approval.Approval{ID: approval.NewID(), Key: d.Approvable.Key, Scope: approval.Session,
			Agent: c.Agent, SessionID: c.Session, At: now.UTC(), Tool: c.RawTool, Dir: c.Dir,
			Call: printable.Line(audit.MaskText(c.Command), 200), Until: now.Add(24 * time.Hour).UTC()}
		how += " (" + lasting.ID + ")"
	}
	e := b.about(c, audit.FromCall(audit.Approved, d.ID, c, now))
	e.Reason = "a person said yes, " + how
	return how, lasting, b.write(e)
}

// unanswered is the decision where there was no yes. Where the agent can ask by itself, it does if nobody answered.
func (b *book) unanswered(c nod.Call, d nod.Decision, why string, notices []string) nod.Decision {
	d.Reason = printable.Line(why+"; "+d.Reason, 300)
	d.Notices = append(d.Notices, notices...)
	if err := b.Record(c, d); err != nil {
		d.Notices = append(d.Notices, "nod could not write its log: "+printable.Line(err.Error(), 300))
	}
	return d
}
