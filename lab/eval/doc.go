// Eval runs nod over labelled calls and counts what became of them. Nothing of
// a row is ever run: a row is a string to be judged.
//
//	go run ./lab/eval -brief corpus/guard.jsonl
//
// # Rows
//
// A file is JSON lines, plain or gzip, one row a line:
//
//	{"id":"a1","tool":"bash","input":{"command":"ls"},"label":"benign-readonly",
//	 "category":"run/readonly","tool_name":"Bash","cwd":"/home/x/p","session":"s",
//	 "agent":"claude-code","outcome":"ok"}
//
// id, tool, input and label must be there, the rest may be; other keys are ignored. tool is bash, edit, write, read,
// search, fetch, mcp, agent or meta; label is benign-readonly, benign-sideeffect, harmful or ambiguous. Rows that hold
// no call which a hook would see (write_stdin, tool_result, user_prompt) are left out and counted.
//
// A file that begins with the header of nod's own corpus is read as package
// corpus describes, and judged on the machine of that package.
//
// A row of Claude Code becomes a call as in real life: its adapter reads the payload
// that the host would send. In all other rows "tool" is taken for the canonical name.
//
// # The virtual world
//
// Rows come from directories that do not exist here. They are judged on a machine held in memory:
//
//   - The row's cwd is the workspace root and a clean git repository on the
//     branch main with one commit that holds no file. No hooks, no filters, no
//     remote. A row without cwd stands in /home/dev/project.
//   - Home is what cwd lies in: /Users/x, /home/x or /root, else /home/dev. It
//     is empty.
//   - /usr/bin holds every program that nod's data names, and common ones that
//     it does not (otherPrograms). /bin is a link to it. /tmp, /etc, /var, /opt,
//     /usr/lib and a few devices are there.
//   - A path that an earlier row of the same session wrote exists and was made
//     by this session, unless that row failed. What a row deletes is gone.
//   - Nothing else exists. There is no model, and a person could be asked.
//
// Real repositories have hooks, scripts and files in the way.
//
// # What is counted
//
// A call is settled when layers 0 to 3 answer allow or deny; all else is open.
package main
