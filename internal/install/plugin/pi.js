
export default function (pi) {
  const about = (hook, event, ctx) => ({
    hook,
    tool: event.toolName,
    session: ctx.sessionManager.getSessionId(),
    call: event.toolCallId,
    directory: ctx.cwd,
    args: event.input ?? {},
    interactive: ctx.hasUI === true,
  })

  const remembered = (ctx) => {
    const id = ctx.sessionManager.getSessionId()
    return sessions.get(id) ?? memoryOf(id, ctx.sessionManager.getBranch().some((entry) => entry.type === "message" && entry.message.role === "user"))
  }

  // What is typed comes here before a template or a skill takes its place.
  pi.on("input", (event, ctx) => {
    const kept = remembered(ctx)
    if (event.source === "extension") return
    if (event.source === "interactive" && ((ctx.mode !== "tui" && piped()) || event.text.includes("<file name="))) kept.cut = true
    else note(kept, { by: "person", text: event.text })
  })

  pi.on("message_end", (event, ctx) => {
    if (event.message.role !== "assistant") return
    for (const part of event.message.content) {
      if (part.type === "text" && part.text) note(remembered(ctx), { by: "agent", text: part.text })
    }
  })

  pi.on("tool_call", async (event, ctx) => {
    const kept = remembered(ctx)
    const payload = { ...about("tool_call", event, ctx), ...told(kept) }
    const answer = await ask(payload).finally(() => noteCall(kept, event.toolName, event.input))
    if (answer.decision !== "ask") return undefined
    if (ctx.hasUI !== true) throw new Error("nod cannot ask here: " + answer.reason)
    const yes = await ctx.ui.confirm("nod: allow " + event.toolName + "?", answer.reason + "\n\n" + JSON.stringify(event.input))
    return yes === true ? undefined : { block: true, reason: "the person said no" }
  })

  pi.on("tool_result", (event, ctx) => {
    const payload = about("tool_result", event, ctx)
    if (event.isError === true) payload.failed = true
    tell(payload)
  })
}
