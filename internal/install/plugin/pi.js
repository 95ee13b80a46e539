
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

  pi.on("tool_call", async (event, ctx) => {
    const answer = await ask(about("tool_call", event, ctx))
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
