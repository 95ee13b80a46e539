// Package history reads what a person's coding agents did before, and says
// what nod would have made of it: which calls it would have settled, asked
// about and denied, and which allow rules would have saved the most questions.
//
// # What is read
//
//	claude-code  ~/.claude/projects/**/*.jsonl, or CLAUDE_CONFIG_DIR's
//	codex        ~/.codex/sessions/**/*.jsonl and archived_sessions, or CODEX_HOME's
//	copilot      ~/.copilot/session-state/**/*.jsonl, or COPILOT_HOME's
//	opencode     ~/.local/share/opencode/opencode*.db, or below XDG_DATA_HOME,
//	             what OPENCODE_DB names, and storage/ of earlier versions
//	gemini       ~/.gemini/tmp/**/*.jsonl, with the directory's name in .project_root
//	pi           ~/.pi/agent/sessions/**/*.jsonl, or PI_CODING_AGENT_SESSION_DIR
//	qwen         ~/.qwen/projects/**/*.jsonl
//
// opencode keeps its sessions in an SQLite database, with what is new in a log
// beside it, often for days. Both are read as files ([database]): no lock is
// taken and nothing is written, so that an opencode that runs is not disturbed.
// What the further agents keep is not published. Links are not followed. A file is read line by line;
// of a line that is longer than [LineLimit] nothing is read, and it is counted.
//
// Each call becomes the payload that the agent's hook would have been sent, and
// is read by the agent's adapter. A call with an id that was read before is
// passed over: a session that is resumed is copied into a new file.
//
// # How a call is judged
//
// By the gate that the hook would make for that directory: the settings that
// hold there today, a person who could be asked, no model, no memory of the
// session. Nothing is run, nothing is recorded, nothing is sent. The files that
// a call names are those of today, not those of then, so a call may get another
// answer than it would have got. A call whose directory is gone is counted and
// not judged.
//
// # Rules
//
// Calls that are asked about teach what `nod init` would propose (package
// propose says what, and what never). Each proposal is then tried: the calls
// that were asked about are judged once more with it. What it saves is what
// changes to allow, and those calls are what it lets through; further
// arguments that the pattern takes were perhaps never seen, which [Rule.Open]
// says. A rule holds for any directory here; nod init writes it for a
// repository.
//
// # Memory
//
// What grows with the transcripts is the ids of calls (8 bytes each), the
// distinct patterns, and the distinct calls that were asked about, of which
// [KeptCalls] are kept; [Report.Untried] counts the rest.
package history
