
// limit is how long nod-hook may take, in milliseconds.
const limit = 55000

// ask hands a call to nod-hook and returns {decision, reason}; decision is
// "none" where nod leaves the call to the agent. It throws for a denial, and
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
      resolve({ decision, reason: String(answer.reason) })
    })
  })
}

// tell reports what became of a call. Nothing depends on it.
function tell(payload) {
  ask(payload).catch(() => {})
}
