package agent

// Class says what becomes of a call of one of a host's own tools. The names
// that [ClassOf] knows are those of the adapters' tables; every row has a class.
type Class uint8

const (
	// Unclassified is the zero value: nobody has looked at the tool. Layer 1
	// does not know it, so the call is left open.
	Unclassified Class = iota
	// Read tells by the call's arguments: a command, a file, a search, an
	// address.
	Read
	// Idle changes nothing outside of the session and starts no code: lists,
	// notes, reports, notices, and what starts an agent each of whose calls
	// comes to nod. It is on the allow-list, and nod says nothing, so that the
	// host does what it does without nod.
	Idle
	// Persons is for the person alone: the host's prompt is its point. It is on
	// the allow-list, and nod says nothing.
	Persons
	// Acts changes something, starts code or sends something out, and its
	// arguments do not say enough. Nothing but a model, a rule or a person
	// settles it.
	Acts
)

// ClassOf returns the class of a host's own tool by the host's name of it.
func ClassOf(host, raw string) Class {
	table, _ := toolsOf(host)
	return classOf(lookUp(table, raw).canonical)
}

// Names reports whether some host has a tool that nod calls by this name.
func Names(tool string) bool { return classOf(tool) != Unclassified }

// toolsOf is the table of a driven host's tools, and how they call their arguments.
func toolsOf(host string) ([]builtin, spelling) {
	a, _ := ByName(host)
	described, ok := a.(interface{ row() profile })
	if _, read := a.(Generic); read || !ok {
		return nil, spelling{}
	}
	p := described.row()
	return p.tools, p.spelled
}

// classOf goes by nod's own name of a tool.
func classOf(tool string) Class {
	switch tool {
	case "bash", "read_file", "grep", "glob", "lsp", "file_edit", "file_write", "notebook_edit", "apply_patch",
		"web_fetch", "network_access", "read_many_files", "list_mcp_resources", "read_mcp_resource":
		return Read
	case "agent", "list_agents", "read_agent", "wait_agent", "close_agent", "resume_agent", "subagent_handback",
		"send_message", "team_create", "team_delete",
		"todo_write", "task_create", "task_get", "task_update", "task_list", "task_stop",
		"get_goal", "create_goal", "update_goal", "cron_list", "schedule_wakeup", "sleep",
		"tool_search", "wait_for_mcp_servers", "read_notifications",
		"structured_output", "report_findings", "host_docs":
		return Idle
	case "ask_user_question", "enter_plan_mode", "exit_plan_mode",
		"propose_goal", "propose_skills", "offer_chrome_setup", "show_onboarding_role_picker":
		return Persons
	case "remote_agent", "artifact", "artifact_check", "artifact_comments", "artifact_data", "claude_design",
		"cron_create", "cron_delete", "enter_worktree", "exit_worktree", "monitor", "projects", "push_notification",
		"refresh_mcp_tools", "remote_trigger", "send_feedback", "send_user_file", "share_onboarding_guide", "skill",
		"slash_command", "web_search", "workflow", "exec", "save_memory", "session_sql", "session_store_sql":
		return Acts
	}
	return Unclassified
}

// Arguments are what nod knows of the arguments of a host's own tool, by the name under
// which a model is offered it; nil for a tool that nod settles by no argument. A call
// with a further one is not settled: it may say where or how the call runs.
func Arguments(host, offered string) []string {
	table, as := toolsOf(host)
	tool := lookUp(table, offered)
	switch {
	case host == "codex" && offered == codexRun().raw:
		tool, as = codexRun(), codexExec()
	case tool.raw == "Monitor":
		tool.shape = command
	}
	if !tool.listed() {
		return nil
	}
	return as.known(tool)
}
