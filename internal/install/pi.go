package install

// pi is measured on 1.5.2. It loads every file of the directory, so nod has
// one of its own. A project's extensions run once the person trusts it.
func pi() host {
	return host{
		agent:   "pi",
		user:    ".pi/agent/extensions/nod.js",
		project: ".pi/extensions/nod.js",
		file:    plugin("pi.js"),
		next:    "Pi reads extensions when it starts: enter /reload in the ones that run.",
		failOpen: "Under pi --no-extensions every call runs unasked. In print mode Pi does not start with an " +
			"extension that it cannot load; whether it goes on without one in a terminal was not tried.",
	}
}
