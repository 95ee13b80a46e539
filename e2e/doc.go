// Package e2e runs real coding agents against the real nod, with a scripted
// model on loopback in the place of the vendor's. It holds tests only. Most
// are about Claude Code; TestAgents holds all others to the same and writes
// what they showed into docs/agents.md (NOD_E2E_WRITE=1).
//
//	npm ci --prefix DIR     (with package.json and package-lock.json copied to DIR)
//	npm ci --prefix DIR/acp --omit=optional     (with those of acp copied to DIR/acp; deep run)
//	NOD_TOOLS=DIR go test ./e2e
//
// Pi 1.5.2 is fetched by itself, since not all that it names as dependencies is
// published; the program is one file, and needs of them only jiti, which is
// pinned:
//
//	npm pack --pack-destination DIR @earendil-works/pi-coding-agent@1.5.2
//	mkdir -p DIR/node_modules/@earendil-works/pi-coding-agent
//	tar -xzf DIR/earendil-works-pi-coding-agent-1.5.2.tgz --strip-components 1 \
//		-C DIR/node_modules/@earendil-works/pi-coding-agent
//
// NOD_TOOLS is where the pinned programs of package.json are installed. Where
// it is unset the tests are skipped and say so; with NOD_E2E=require a missing
// program is a failure instead.
//
// Each test gets a machine of its own, a directory with a home, a workspace
// and fresh copies of nod and nod-hook, and an environment built from
// nothing: no variable of the person who runs the tests reaches the agent or
// nod. The directories lie in e2e/.run, or in the user's cache directory
// where the repository lies in a temporary one, since nod refuses to be
// installed there. They are removed at the end; NOD_E2E_KEEP=1 keeps them.
//
// The managed level of Claude Code is a file in /etc. Tests of it run in a
// mount namespace of their own (Linux, as root), so that no other program on
// the machine sees it.
package e2e
