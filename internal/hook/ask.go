package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
)

// hostLimit is how long the hosts wait for an answer of nod-hook, as nod install tells them to, less what ending takes.
const hostLimit = 585 * time.Second

// asks reports whether a decision becomes a question to a person outside of the agent: the call could be approved,
// the agent would be told no for want of somebody to ask, and a person can be reached. What a model or a line to type
// instead has answered is no question.
func (b *book) asks(d nod.Decision, said string) bool {
	s := b.settings.Questions
	open := said == "deny" && d.Verdict == nod.Ask || said == "deny" && !d.Blocked && d.Layer == nod.LayerNone ||
		said == "ask" && (s.First || !b.event.Call.Interactive) // a host turns it into a no where nobody is there
	return open && !b.asked && d.Approvable.Key != "" && d.Instead == "" && s.Wait > 0 && b.settings.Approvals &&
		b.settings.Mode == config.Enforce && b.event.Kind == agent.Decide && !b.event.Unproven && !b.event.Plan &&
		(len(s.Notify) > 0 || question.Heard(b.run.Places.State))
}

// ask puts the question, waits, and returns what is to be said.
func (b *book) ask(ctx context.Context, c nod.Call, d nod.Decision) nod.Decision {
	pending, link, err := b.put(c, d)
	if err != nil {
		return b.unanswered(c, d, "nod could not ask: "+printable.Line(err.Error(), 200), nil)
	}
	defer pending.Close()
	notice := b.notify(d, link)
	answer, heard := pending.Wait(ctx, b.run.Now)
	switch {
	case !heard:
		return b.unanswered(c, d, "nobody answered nod's question in time", notice)
	case !answer.Yes:
		d.Verdict, d.Approvable, d.Lasting = nod.Deny, nod.Approvable{}, ""
		return b.unanswered(c, d, "a person said no ("+printable.Line(answer.By, 60)+")", notice)
	}
	if err := b.approve(c, d, answer); err != nil {
		return b.unanswered(c, d, "the yes could not be kept: "+printable.Line(err.Error(), 200), notice)
	}
	key := d.Approvable.Key
	d = Left(b.gate.Check(ctx, c), b.settings)
	if d.Verdict != nod.Allow && d.Approvable.Key != key {
		d.Reason = "what this call would run has changed since the person said yes; " + d.Reason
	}
	return d
}

// put writes the question down for whoever has the person before it. link is for the notification.
func (b *book) put(c nod.Call, d nod.Decision) (p *question.Pending, link string, err error) {
	now, s := b.run.Now(), b.settings.Questions
	until := now.Add(s.Wait)
	if last := b.run.started.Add(hostLimit); until.After(last) {
		until = last
	}
	e := audit.FromDecision(c, d, now)
	e.Input = b.gate.Stored(c)
	e = audit.Sealed(e)
	account := b.gate.Account(c)
	q := question.Question{
		ID: d.ID, Key: d.Approvable.Key, Once: d.Approvable.Once, Lasting: d.Lasting, Agent: e.Agent,
		Session: c.Session, CallID: e.CallID, Tool: e.Tool, RawTool: e.RawTool, Dir: e.Dir, Root: e.Root,
		Input: e.Input, InputBytes: e.InputBytes, Reason: e.Reason, Lost: audit.MaskText(account.Lost),
		Asked: now.UTC(), Until: until.UTC(),
	}
	for _, line := range account.Does {
		q.Does = append(q.Does, audit.MaskText(line))
	}
	for _, line := range account.Open {
		q.Does = append(q.Does, "not read: "+audit.MaskText(line))
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
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = b.run.Places.State
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + b.run.Places.Home, "NOD_ID=" + d.ID,
		"NOD_QUESTION=" + printable.Line(b.event.Call.Agent+": "+d.Reason, 200), "NOD_LINK=" + link}
	if err := cmd.Start(); err != nil {
		return []string{"nod could not start notify of [questions]: " + printable.Line(err.Error(), 200)}
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// approve keeps a yes, so that the next look at the call finds it.
func (b *book) approve(c nod.Call, d nod.Decision, answer question.Answer) error {
	now := b.run.Now()
	a := approval.Approval{ID: approval.NewID(), Key: d.Approvable.Key, Scope: approval.Once, At: now.UTC(),
		Tool: c.RawTool, Dir: c.Dir, Call: printable.Line(audit.MaskText(c.Command), 200),
		Until: now.Add(time.Minute).UTC()}
	if answer.Scope == question.Session {
		a.Scope, a.Agent, a.SessionID, a.Until = approval.Session, c.Agent, c.Session, now.Add(24*time.Hour).UTC()
	}
	if err := approval.Add(b.run.Places.State, a, now); err != nil {
		return err
	}
	e := b.about(c, audit.FromCall(audit.Approved, d.ID, c, now))
	e.Reason = "a person said yes, " + string(answer.Scope) + " (" + printable.Line(answer.By, 60) + ", " + a.ID + ")"
	return b.write(e)
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
