package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/system"
)

// classifier is a nod.Model that asks `nod classify`, which has the network that the hook does not link.
type classifier struct {
	program string
	places  config.Places
	environ []string
	timeout time.Duration
}

// answerLimit bounds what is read from the child.
const answerLimit = 1 << 20

// Classify implements nod.Model.
func (c classifier) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	out, err := c.run(ctx, classify.NewRequest(p, c.left(ctx)).Encode())
	if err != nil {
		return nod.Classification{}, err
	}
	answer, err := classify.DecodeAnswer(out)
	if err != nil {
		return nod.Classification{}, err
	}
	said, err := answer.Open(p.Digest)
	said.Notices = answer.Notices
	return said, err
}

// left is how long the answer is waited for.
func (c classifier) left(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(min(c.timeout, time.Until(deadline)), time.Millisecond)
	}
	return c.timeout
}

func (c classifier) run(ctx context.Context, request []byte) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.program, "classify",
		"--settings", c.places.User, "--managed", c.places.Managed, "--state", c.places.State)
	cmd.Env = c.childEnviron()
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(request)
	stdout, stderr := &limited{}, &limited{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr, cmd.Cancel = system.Apart(&cmd.Process)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, &fault.Error{Kind: fault.TimedOut, Message: fmt.Sprintf("no answer within %s", c.timeout),
			Cause: ctx.Err()}
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, syscall.ENOENT):
		return nil, &fault.Error{Kind: fault.Internal,
			Message: "the nod program is missing, so no model can be asked; install it again", Cause: err}
	case err != nil:
		return nil, &fault.Error{Kind: fault.Internal, Message: failure(stderr.kept.String()), Cause: err}
	case stdout.full:
		return nil, &fault.Error{Kind: fault.Malformed, Message: "nod classify answered too much"}
	}
	return stdout.kept.Bytes(), nil
}

// failure is what nod classify said before it failed, if anything.
func failure(stderr string) string {
	if said := printable.Line(strings.TrimSpace(stderr), 300); said != "" {
		return "nod classify failed: " + said
	}
	return "nod classify ended without an answer"
}

// childEnviron is built, not inherited: a repository can feed the hook's own. What is handed on are the keys, which
// nod classify sends to the vendor's own address only.
func (c classifier) childEnviron() []string {
	env := []string{"HOME=" + c.places.Home, "PATH=/usr/bin:/bin"}
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "SystemRoot",
		"USERPROFILE"} {
		if v, _ := place.Lookup(c.environ, name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// limited keeps the first answerLimit bytes and swallows the rest. The buffer
// is not embedded: its ReadFrom would be used instead of Write.
type limited struct {
	kept bytes.Buffer
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	if room := answerLimit - l.kept.Len(); len(p) > room {
		l.full = true
		l.kept.Write(p[:room])
		return len(p), nil
	}
	return l.kept.Write(p)
}
