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
	towards
	turned
	reads
	trace
	obey
	freed
	entrust
	leave
	machine
	has
)

const act = send | get | run | harm | do | say

// classOf returns the classes of a word in lower case. A switch, since a map
// would be built at every start of the hook. Besides English it knows the
// words of overriding in some languages.
func classOf(word string) class {
	switch word {
	case "ignore", "disregard", "forget", "override", "overrule", "bypass", "discard", "neglect", "supersede", "supersedes", "superseded", "overrides", "void", "abandon",
		"ignorez", "ignorer", "ignora", "ignorar", "ignorare", "ignoriere", "ignorieren", "ignoriert", "vergiss", "vergessen", "oublie", "oubliez", "olvida", "olvide", "dimentica", "esqueça", "negeer", "missachte", "игнорируй", "игнорируйте", "забудь", "забудьте", "oublier", "olvidad", "negeert", "zignoruj", "ignoruj", "zapomnij", "glem", "vergeet", "esqueçam", "unut", "dimenticare":
		return override
	case "previous", "prior", "earlier", "above", "preceding", "existing", "former", "initial", "original", "all", "any", "every", "everything", "other",
		"précédentes", "anteriores", "vorherigen", "bisherigen", "précédents", "precedenti", "toutes", "todas", "alle", "vorige", "предыдущие", "все", "wcześniejsze", "poprzednie", "önceki", "tüm", "eerdere", "anterior":
		return prior
	case "instruction", "instructions", "prompt", "prompts", "guideline", "guidelines", "directive", "directives", "restrictions", "constraints", "rules", "orders", "safeguards", "guardrails",
		"instrucciones", "anweisung", "anweisungen", "instruções", "istruzioni", "consignes", "instructies", "инструкции", "указания", "regeln", "reglas", "règles", "regole", "regels", "regras", "polecenia", "instrukcje", "talimatları", "kuralları":
		return instruction
	case "assistant", "assistants", "chatbot", "claude", "gpt", "chatgpt", "copilot", "codex", "gemini", "bot":
		return assistant
	case "ai", "llm", "llms":
		return assistant | machine
	case "agent", "agents", "model", "models":
		return assistant
	case "you", "your", "yourself", "vous", "votre", "usted", "sie", "ihre", "tu", "du", "vos", "deine":
		return you
	case "must", "should", "shall", "required", "obliged", "instructed", "expected", "ordered", "requested", "müssen", "devez", "debes", "debe", "musst", "dois", "deves", "devi", "moet", "doit", "sollst":
		return modal
	case "need", "needs":
		return modal
	case "please", "kindly", "pls", "bitte", "veuillez":
		return please
	case "can", "could", "would":
		return asks
	case "and", "then", "also", "next", "first", "finally", "afterwards", "just", "simply", "immediately", "now":
		if word == "now" {
			return joins | now
		}
		return joins
	case "send", "email", "mail", "forward", "share":
		return send | entrust
	case "upload", "transmit", "exfiltrate", "deliver", "submit", "dispatch", "relay", "leak", "envoie", "envoyez", "envía", "envíe", "sende", "senden", "schicke", "schick", "invia", "inviare", "stuur", "envie", "enviar", "envoyer", "wyślij", "gönder", "отправь", "отправьте":
		return send
	case "post", "publish":
		return send
	case "retrieve", "fetch", "obtain", "collect", "gather", "extract", "access", "locate", "harvest", "dump", "copy":
		return get
	case "read":
		return get | reads
	case "find", "search", "list", "check", "get", "open", "look", "cat", "download":
		return get
	case "execute", "run", "launch", "invoke", "install", "exécutez", "ejecuta", "eval", "exécute", "ejecutar", "führe", "esegui", "uruchom", "start":
		return run
	case "transfer", "grant", "revoke", "unlock", "deactivate", "wire", "pay", "buy", "purchase", "withdraw", "unsubscribe", "move", "cancel", "sell", "donate", "delete", "erase", "wipe":
		return harm | entrust
	case "remove", "destroy", "disable", "overwrite", "kill", "trigger", "lösche", "supprime", "supprimer", "supprimez", "borra", "elimina", "cancella", "apague", "verwijder", "usuń", "drop", "clear", "reset":
		return harm
	case "schedule", "book", "order", "arrange", "follow", "turn", "change", "approve", "register", "accept":
		return do | entrust
	case "update", "create", "add", "generate", "modify", "set", "make", "provide", "edit", "append", "write", "replace", "rename", "commit", "push", "merge", "enable", "give", "use", "call", "visit", "adjust", "assign", "save":
		return do
	case "say", "state", "answer", "reply", "respond", "output", "print", "claim", "conclude", "pretend", "summarize", "summarise", "recommend", "repeat", "declare":
		return say
	case "password", "passwords", "credential", "credentials", "secret", "secrets", "apikey", "ssh", "env", "cookie", "cookies", "seed", "passphrase", "confidential", "passwörter", "passwort", "schlüssel", "wachtwoorden", "hasła", "contraseñas", "contraseña", "senhas", "пароль", "пароли", "ключ", "clé", "clés", "chiave", "netrc", "npmrc", "kubeconfig":
		return secret
	case "key", "keys", "token", "tokens":
		return secret
	case "bank", "account", "accounts", "medical", "health", "genetic", "payment", "personal", "private", "salary", "savings", "passport", "payroll", "contacts", "patient", "inbox", "home", "customer", "customers", "transaction", "transactions", "card", "history", "photos", "identity":
		return private
	case "has", "have", "had", "already", "been":
		return has
	case "my", "mine", "meine", "mes", "mis":
		return my
	case "system", "administrator", "admin", "developer", "developers", "operator", "maintainer", "maintainers", "security", "anthropic", "openai", "management", "compliance", "headquarters", "ceo", "supervisor", "owner", "sysadmin", "authority":
		return office
	case "approved", "authorized", "authorised", "consented", "permitted", "granted", "agreed", "confirmed", "preapproved", "allowed", "cleared", "signed":
		return approve
	case "tell", "mention", "inform", "reveal", "notify", "alert", "disclose", "told", "informed", "notified", "alerted", "telling", "mentioning", "know", "hear", "hears", "learn", "digas", "dire", "sage", "avisar", "avises", "informar", "informare", "informing", "notifying", "alerting", "revealing", "disclosing", "warn", "warning":
		if word == "warning" {
			return haste | tell
		}
		return tell
	case "confirmation", "confirming":
		return tell | leave
	case "asking":
		return tell | leave
	case "ask", "report", "confirm", "include":
		return tell
	case "not", "never", "don't", "dont", "without", "no", "avoid", "nothing", "nobody", "sin", "ohne", "nichts", "sans", "nada", "non", "ne":
		return not
	case "silently", "secretly", "quietly", "covertly", "discreetly", "stealthily", "invisibly", "unnoticed":
		return secretly
	case "important", "urgent", "attention", "critical", "mandatory", "emergency", "alerts", "asap", "wichtig", "importante", "achtung":
		return haste
	case "rot13":
		return decode | turned
	case "decode", "base64", "decrypt", "deobfuscate", "unhex", "decoded", "decodes", "b64", "hex":
		return decode
	case "user", "users", "human", "humans", "person", "anyone", "them", "customer's", "him", "her", "someone", "reviewer", "usuario", "benutzer", "utente", "utilisateur", "people":
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
	case "on":
		return begins | towards
	case "from", "onwards", "henceforth", "starting":
		return begins
	case "dear", "hey", "hello", "hi", "attn", "note", "notice", "for", "if", "as", "an", "only", "when", "whoever":
		return greets
	case "to":
		return greets | towards
	case "at", "via", "into", "through", "using", "with", "under":
		return towards
	case "permission", "confirmations", "consent", "review", "approval", "checks", "verification":
		return leave
	case "coding", "automated", "autonomous", "language", "machine":
		return machine
	case "backwards", "reversed":
		return turned
	case "reading", "reads", "readers", "reader", "crawlers", "reviewers", "bots", "contributors", "clients", "summarises", "summarizes":
		return reads
	case "trace", "between":
		return trace
	case "obey", "obeys", "comply", "complying":
		return obey
	case "unrestricted", "jailbroken", "dan", "uncensored", "unfiltered":
		return freed
	case "message", "announcement", "policy", "policies", "notification", "reminder", "request", "requires", "instructs", "demands", "mode", "authorizes":
		return notice
	}
	return 0
}
