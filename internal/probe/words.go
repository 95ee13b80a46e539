package probe

// class is a set of classes of words.
type class uint64

const (
	override class = 1 << iota
	prior
	instruction
	assistant
	you
	modal
	please
	joins
	send
	get
	run
	harm
	do
	say
	secret
	private
	my
	office
	approve
	tell
	not
	secretly
	haste
	decode
	person
	isNew
	before
	going
	address
	command
	tool
	are
	now
	begins
	greets
	notice
	asks
)

const act = send | get | run | harm | do | say

// classOf returns the classes of a word in lower case. A switch, since a map
// would be built at every start of the hook. Besides English it knows the
// words of overriding in some languages.
func classOf(word string) class {
	switch word {
	case "ignore", "disregard", "forget", "override", "overrule", "bypass", "discard", "neglect", "supersede", "supersedes", "superseded", "overrides", "void", "abandon",
		"ignorez", "ignorer", "ignora", "ignorar", "ignorare", "ignoriere", "ignorieren", "ignoriert", "vergiss", "vergessen", "oublie", "oubliez", "olvida", "olvide", "dimentica", "esqueça", "negeer", "missachte", "игнорируй", "игнорируйте", "забудь", "забудьте":
		return override
	case "previous", "prior", "earlier", "above", "preceding", "existing", "former", "initial", "original", "all", "any", "every", "everything", "other",
		"précédentes", "anteriores", "vorherigen", "bisherigen", "précédents", "precedenti", "toutes", "todas", "alle", "vorige", "предыдущие", "все":
		return prior
	case "instruction", "instructions", "prompt", "prompts", "guideline", "guidelines", "directive", "directives", "restrictions", "constraints", "rules", "orders", "safeguards", "guardrails",
		"instrucciones", "anweisung", "anweisungen", "instruções", "istruzioni", "consignes", "instructies", "инструкции", "указания", "regeln", "reglas":
		return instruction
	case "assistant", "assistants", "ai", "llm", "llms", "chatbot", "claude", "gpt", "chatgpt", "copilot", "codex", "gemini", "bot":
		return assistant
	case "agent", "agents", "model", "models":
		return assistant
	case "you", "your", "yourself", "vous", "votre", "usted", "sie", "ihre", "tu", "du":
		return you
	case "must", "should", "shall", "required", "obliged", "instructed", "expected", "ordered", "requested", "müssen", "devez", "debes", "debe":
		return modal
	case "need", "needs":
		return modal
	case "please", "kindly", "pls", "bitte":
		return please
	case "can", "could", "would":
		return asks
	case "and", "then", "also", "next", "first", "finally", "afterwards", "just", "simply", "immediately", "now":
		if word == "now" {
			return joins | now
		}
		return joins
	case "send", "email", "mail", "forward", "upload", "transmit", "exfiltrate", "share", "deliver", "submit", "dispatch", "relay", "leak", "envoie", "envoyez", "envía", "envíe", "sende", "senden":
		return send
	case "post", "publish":
		return send
	case "retrieve", "fetch", "obtain", "collect", "gather", "extract", "access", "locate", "harvest", "dump", "copy":
		return get
	case "find", "search", "read", "list", "check", "get", "open", "look", "cat", "download":
		return get
	case "execute", "run", "launch", "invoke", "install", "exécutez", "ejecuta", "eval":
		return run
	case "delete", "remove", "erase", "wipe", "destroy", "transfer", "grant", "revoke", "disable", "unlock", "deactivate", "wire", "pay", "buy", "purchase", "withdraw", "unsubscribe", "move", "overwrite", "kill", "trigger", "cancel", "sell", "donate":
		return harm
	case "update", "change", "create", "add", "generate", "modify", "set", "schedule", "book", "make", "provide", "edit", "append", "write", "replace", "rename", "commit", "push", "merge", "approve", "accept", "enable", "register", "turn", "give", "use", "call", "visit", "follow", "adjust", "assign", "save", "order", "arrange":
		return do
	case "say", "state", "answer", "reply", "respond", "output", "print", "claim", "conclude", "pretend", "summarize", "summarise", "recommend", "repeat", "declare":
		return say
	case "password", "passwords", "credential", "credentials", "secret", "secrets", "apikey", "ssh", "env", "cookie", "cookies", "seed", "passphrase", "confidential":
		return secret
	case "key", "keys", "token", "tokens":
		return secret
	case "bank", "account", "accounts", "medical", "health", "genetic", "payment", "personal", "private", "salary", "savings", "passport", "payroll", "contacts", "patient", "inbox", "home", "customer", "customers", "transaction", "transactions", "card", "history", "photos", "identity":
		return private
	case "my", "our", "mine", "meine", "mes", "mis":
		return my
	case "system", "administrator", "admin", "developer", "developers", "operator", "maintainer", "maintainers", "security", "anthropic", "openai", "management", "compliance", "headquarters", "ceo", "supervisor", "owner", "sysadmin", "authority":
		return office
	case "approved", "authorized", "authorised", "consented", "permitted", "granted", "agreed", "confirmed", "preapproved", "allowed", "cleared", "signed":
		return approve
	case "tell", "mention", "inform", "reveal", "notify", "alert", "disclose", "told", "informed", "notified", "alerted", "telling", "mentioning", "informing", "notifying", "asking", "alerting", "revealing", "disclosing", "warn", "warning":
		if word == "warning" {
			return haste | tell
		}
		return tell
	case "ask", "report", "confirm", "confirming", "confirmation", "include":
		return tell
	case "not", "never", "don't", "dont", "without", "no", "avoid", "nothing":
		return not
	case "silently", "secretly", "quietly", "covertly", "discreetly", "stealthily", "invisibly", "unnoticed":
		return secretly
	case "important", "urgent", "attention", "critical", "mandatory", "emergency", "alerts", "asap", "wichtig", "importante", "achtung":
		return haste
	case "decode", "base64", "rot13", "decrypt", "deobfuscate", "unhex", "decoded", "decodes", "b64", "hex":
		return decode
	case "user", "users", "human", "humans", "person", "anyone", "them", "customer's", "him", "her", "someone", "nobody", "reviewer":
		return person
	case "new", "updated", "revised", "actual", "real", "true", "following", "additional", "special", "hidden":
		return isNew
	case "before", "instead", "rather":
		return before
	case "answering", "continuing", "proceeding", "responding", "summarizing", "summarising", "replying", "anything", "continue", "proceed", "finishing", "doing", "completing", "helping", "working":
		return going
	case "curl", "wget", "bash", "sh", "python", "python3", "node", "npx", "powershell", "chmod", "command", "commands", "script", "scripts", "shell", "terminal", "payload", "rm", "installer":
		return command
	case "tool", "tools", "function", "functions", "api", "plugin", "connector":
		return tool
	case "are", "act", "become", "roleplay", "behave", "acting":
		return are
	case "from", "on", "onwards", "henceforth", "starting":
		return begins
	case "dear", "hey", "hello", "hi", "attn", "note", "to", "for", "if", "as", "an":
		return greets
	case "message", "announcement", "policy", "policies", "notification", "reminder", "request", "requires", "instructs", "demands", "mode", "authorizes":
		return notice
	}
	return 0
}
