// nod-hook: the npm plugin, made by release/plugins.mjs.
import { spawn } from "node:child_process"
import { fstatSync } from "node:fs"

const words = ["/bin/sh","-c","p=$(PATH=$HOME/.local/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:$HOME/go/bin:$PATH; command -v nod-hook); case $p in /*) exec \"$p\" \"$0\";; esac; echo \"nod-hook is not installed, so the call is blocked: install nod (https://github.com/nodgate/nod) or take the plugin nod-gate out\" >&2; exit 2","opencode"]

// limit is how long nod-hook may take, in milliseconds.
const limit = 595000

// ask hands a call to nod-hook and returns {decision, reason, command}; decision is
// "none" where nod leaves the call to the agent, and command what must run in
// the place of the call's, if anything. It throws for a denial, and
// for whatever else becomes of nod-hook.
function ask(payload) {
  return new Promise((resolve, reject) => {
    const block = (why) => reject(new Error(why))
    const fail = (why) => block("nod-hook " + why + ", so the call is blocked")
    let child
    try {
      const text = JSON.stringify(payload)
      child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "pipe"] })
      child.stdin.on("error", () => {}) // its exit says what happened
      child.stdin.end(text)
    } catch (e) {
      return fail("could not be started (" + e.message + ")")
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      fail("did not answer in time")
    }, limit)
    let out = "", err = ""
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (err += text))
    child.on("error", (e) => {
      clearTimeout(timer)
      fail("could not be started (" + e.message + ")")
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code === 2) return block(err.trim() || "nod-hook blocked the call")
      if (code !== 0) return fail("failed (" + (signal || code) + ")")
      if (out === "") return resolve({ decision: "none" })
      let answer
      try {
        answer = JSON.parse(out)
      } catch {
        return fail("printed something that is no answer")
      }
      const decision = answer && answer.decision
      if (decision === "deny") return block(String(answer.reason || "nod-hook blocked the call"))
      if (decision !== "allow" && decision !== "ask") return fail("printed something that is no answer")
      resolve({ decision, reason: String(answer.reason), command: answer.command })
    })
  })
}

// tell reports what became of a call. Nothing depends on it.
function tell(payload) {
  ask(payload).catch(() => {})
}

// What of a session nod-hook is told, so that a model of nod's can see what
// the person asked for: what they typed, and what the agent said and called.
// What a tool returned is never among it.
const sessions = new Map()
const memory = { sessions: 64, chars: 32768, text: 6000, input: 400 }

// short keeps the beginning and the end of a long text.
function short(text, limit) {
  if (text.length > limit) text = text.slice(0, (limit * 2) / 3) + " [... left out ...] " + text.slice(-limit / 3)
  return text.toWellFormed()
}

// memoryOf is what is kept of a session. A new one is cut where turns came
// before it.
function memoryOf(id, cut) {
  let kept = sessions.get(id)
  if (kept === undefined) {
    kept = { said: [], chars: 0, cut }
    if (sessions.size >= memory.sessions) sessions.delete(sessions.keys().next().value)
    sessions.set(id, kept)
  }
  return kept
}

// note keeps one turn, and drops the oldest beyond the bound: of what the agent
// said and called first, since no number of calls may push out what the person
// forbade.
function note(kept, turn) {
  turn.text = short(turn.text, turn.tool === undefined ? memory.text : memory.input)
  if (turn.by === "person" && kept.first === undefined) kept.first = turn.text
  kept.said.push(turn)
  kept.chars += turn.text.length
  while (kept.chars > memory.chars) {
    const at = Math.max(0, kept.said.findIndex((one) => one.by !== "person"))
    const [dropped] = kept.said.splice(at, 1)
    kept.chars -= dropped.text.length
    kept.cut ||= dropped.by === "person"
  }
}

// noteCall keeps a call of the agent's.
function noteCall(kept, tool, args) {
  let text
  try {
    text = JSON.stringify(args)
  } catch {}
  note(kept, { by: "agent", tool, text: text ?? "" })
}

// told is what a payload says of a session.
const told = (kept) => ({ said: kept.said, first: kept.first, cut: kept.cut })

// piped says that a file or a pipe is this program's standard input: what it
// holds then stands in the first message, and nobody typed it.
function piped() {
  try {
    return !fstatSync(0).isCharacterDevice()
  } catch {
    return true
  }
}

// own are the permissions that one call of a tool may need. What is not here
// (a loop, a question to the person) is not for nod to grant.
function own(tool, permission) {
  if (permission === tool || permission === "external_directory") return true
  return permission === "edit" && (tool === "write" || tool === "apply_patch")
}

// attended says that whoever opencode asks can answer: not under
// `opencode run`, which answers by itself.
const attended = !process.argv.includes("run")

// quiet reports whether the person has said nothing about a permission.
function quiet(permission, name) {
  return permission === undefined || (typeof permission === "object" && permission !== null && !("*" in permission) && !(name in permission))
}

// vague reports whether rules for several permissions at once may come after
// the one for a single permission, and overrule it.
function vague(permission) {
  return typeof permission === "object" && permission !== null && Object.keys(permission).some((key) => /[*?]/.test(key))
}

// unruled reports whether permissions tell no command from another.
function unruled(permission) {
  return permission === "allow" || (!vague(permission) && (quiet(permission, "bash") || permission.bash === "allow"))
}

// quietly returns what f does, undefined where it fails or takes too long: the
// person's message waits for it.
async function quietly(f) {
  try {
    return await Promise.race([f(), new Promise((done) => setTimeout(done, 5000).unref())])
  } catch {
    return undefined
  }
}

export const Nod = async ({ client, directory }) => {
  const parents = new Map() // sub-agents' sessions
  const granted = new Map() // what nod has allowed: tool and arguments
  let servers = []
  let asked = []
  let spoken = () => true // of which permissions the person has said something
  let free = false // of the person's rules about commands
  let shell // of the settings, in the place of SHELL

  const root = (session) => {
    for (let up; (up = parents.get(session)); session = up);
    return session
  }
  // remembered is what is kept of a session that no agent started, undefined for
  // others. What a session is, and whether it has messages already, the host
  // says: a text of its own record may be a command's, so they are not read.
  const remembered = async (id) => {
    if (sessions.has(id)) return sessions.get(id)
    if (parents.has(id)) return undefined
    const { data } = await client.session.get({ path: { id } })
    if (data.parentID) {
      parents.set(id, data.parentID)
      return undefined
    }
    const { data: before } = await client.session.messages({ path: { id }, query: { limit: 1 } })
    return memoryOf(id, before.length > 0)
  }
  // theirs says that a rule of the person's, or of a client's for one session, may have
  // opencode ask for a permission: that question is for the person.
  const theirs = async (id, permission) => {
    const { data } = await client.session.get({ path: { id } })
    return spoken(permission) || (data.permission ?? []).some((rule) => rule.action === "ask")
  }
  // handed says that nod may put another command in the place of a call's: no rule of the
  // person's or a client's speaks of commands, which would be held to nod's.
  const handed = async (id) => {
    const { data } = await client.session.get({ path: { id } })
    return free && !(data.permission ?? []).some((rule) => rule.action !== "allow" && /^bash$|[*?]/.test(rule.permission))
  }
  // overruled says that a session has a permission of its own that lets a call run, which
  // a client gave it: opencode does not ask then.
  const overruled = async (id) => {
    const { data } = await client.session.get({ path: { id } })
    return (data.permission ?? []).some((rule) => rule.action !== "deny" && rule.permission !== "external_directory")
  }
  const commands = new Map() // sessions in which a command's text is on its way: its texts
  const typed = (parts) => parts.filter((part) => part.type === "text" && part.synthetic !== true && part.ignored !== true).map((part) => part.text)
  const about = (hook, input, args) => {
    const server = servers.find((name) => input.tool.startsWith(name + "_"))
    const payload = { hook, tool: input.tool, session: root(input.sessionID), call: input.callID, directory, args }
    if (server) payload.server = server
    if (typeof shell === "string") payload.shell = shell
    if (attended) payload.interactive = true
    if (attended && asked.includes(input.tool)) payload.asks = true
    return payload
  }

  return {
    config: async (config) => {
      servers = Object.keys(config.mcp ?? {}).map((name) => name.replace(/[^a-zA-Z0-9_-]/g, "_"))
      servers.sort((a, b) => b.length - a.length)
      shell = config.shell
      const agents = [...Object.values(config.agent ?? {}), ...Object.values(config.mode ?? {})]
      const said = [config.permission, ...agents.map((agent) => agent?.permission)].map((one) => (typeof one === "object" && one !== null ? { ...one } : one))
      spoken = (name) => said.some((one) => !quiet(one, name) || vague(one))
      free = said.every(unruled)
      if (!attended) return
      for (const name of ["bash", "webfetch"]) {
        if (!spoken(name)) config.permission = { ...config.permission, [name]: "ask" }
        const rule = typeof config.permission === "object" ? config.permission[name] : config.permission
        if (rule === "ask" && !vague(config.permission) && !agents.some((agent) => agent?.permission !== undefined || agent?.tools !== undefined)) asked.push(name)
      }
    },
    event: async ({ event }) => {
      if (event.type === "session.created" && event.properties.info?.parentID) {
        parents.set(event.properties.info.id, event.properties.info.parentID)
      }
      if (event.type !== "permission.asked") return
      const { id, sessionID, permission, metadata, tool } = event.properties
      const call = tool && granted.get(sessionID + " " + tool.callID)
      if (!call || !own(call.tool, permission)) return
      if (permission === "bash" && metadata?.command !== call.args.command) return
      if (await theirs(sessionID, permission).catch(() => true)) return
      await client.postSessionIdPermissionsPermissionId({ path: { id: sessionID, permissionID: id }, body: { response: "once" } })
    },
    // A command of the person's is a text of somebody else's; theirs are its
    // name and its arguments.
    "command.execute.before": async (input, output) => {
      const kept = await quietly(() => remembered(input.sessionID))
      const texts = typed(output.parts)
      if (kept) note(kept, { by: "person", text: "/" + input.command + " " + input.arguments })
      if (texts.length > 0) commands.set(input.sessionID, texts)
    },
    "chat.message": async (input, output) => {
      const kept = await quietly(() => remembered(input.sessionID))
      const texts = typed(output.parts)
      const command = commands.get(input.sessionID)
      if (command !== undefined) {
        if (texts.length === command.length && texts.every((text, i) => text === command[i])) commands.delete(input.sessionID)
      } else if (kept && process.argv.includes("run") && piped()) kept.cut = true
      else if (kept) for (const text of texts) note(kept, { by: "person", text })
    },
    "experimental.text.complete": async (input, output) => {
      const kept = sessions.get(input.sessionID)
      if (kept && output.text) note(kept, { by: "agent", text: output.text })
    },
    "tool.execute.before": async (input, output) => {
      const key = input.sessionID + " " + input.callID
      granted.delete(key)
      const args = output.args ?? {}
      const kept = sessions.get(root(input.sessionID))
      const payload = { ...about("tool.execute.before", input, args), ...(kept && told(kept)) }
      if (payload.asks && (await overruled(input.sessionID).catch(() => true))) delete payload.asks
      if (input.tool === "bash" && (await handed(input.sessionID).catch(() => false))) payload.rewrites = true
      const answer = await ask(payload).finally(() => kept && kept === sessions.get(input.sessionID) && noteCall(kept, input.tool, args))
      if (answer.decision === "ask") throw new Error("nod cannot ask here: " + answer.reason)
      if (answer.command !== undefined) {
        if (payload.rewrites !== true || typeof answer.command !== "string") throw new Error("nod-hook handed over a command that cannot run here, so the call is blocked")
        output.args.command = answer.command
      }
      if (answer.decision === "allow") granted.set(key, { tool: input.tool, args: JSON.parse(JSON.stringify(args)) })
    },
    "tool.execute.after": async (input) => {
      granted.delete(input.sessionID + " " + input.callID)
      tell(about("tool.execute.after", input, input.args ?? {}))
    },
  }
}
