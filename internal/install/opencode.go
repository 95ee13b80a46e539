package install

// opencode is measured on 1.18.33. It loads every file of the directory, so
// nod has one of its own. A plugin that throws blocks the call, so the file
// needs no guard; one that cannot be loaded is passed over without a word.
func opencode() host {
	return host{
		agent:   "opencode",
		user:    ".config/opencode/plugin/nod.js",
		project: ".opencode/plugin/nod.js",
		file:    plugin("opencode.js"),
		next:    `opencode reads plugins when it starts: end the ones that run. So that a plugin which could not be loaded leaves you asked, and not passed over, put "permission": {"bash": "ask", "edit": "ask", "webfetch": "ask"} into ~/.config/opencode/opencode.json; what nod allows then still runs without a prompt, but not under "opencode run", which answers every prompt with no.`,
		failOpen: "opencode passes over a plugin that it cannot load, without a word, and calls then run unasked; so " +
			"does every call under opencode --pure.",
	}
}
