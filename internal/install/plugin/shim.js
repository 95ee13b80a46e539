
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
