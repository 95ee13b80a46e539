// Package e2e runs real coding agents against the real nod, with a scripted model on loopback in the place of the
// vendor's. It holds tests only. Most are about Claude Code; TestAgents holds all others to the same and writes what
// they showed into docs/agents.md (NOD_E2E_WRITE=1).
//
//	e2e/install.sh          ("e2e/install.sh deep" for the deep run's agent, too)
//	NOD_TOOLS=$PWD/e2e go test ./e2e
//
// NOD_TOOLS is where the pinned programs of package.json are installed. Where it is unset the tests are skipped and say
// so; with NOD_E2E=require a missing program is a failure instead.
//
// Each test gets a machine of its own, a directory with a home, a workspace and fresh copies of nod's programs, and
// an environment built from nothing: no variable of the person who runs the tests reaches the agent or nod. The
// directories lie in e2e/.run, or in the user's cache directory where the repository lies in a temporary one, since nod
// refuses to be installed there. They are removed at the end; NOD_E2E_KEEP=1 keeps them.
//
// The managed level of Claude Code is a file in /etc. Tests of it run in a mount namespace of their own (Linux, as
// root), so that no other program on the machine sees it.
package e2e
