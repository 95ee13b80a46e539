import { execFileSync } from "node:child_process"
export const Proof = async () => ({
  "tool.execute.before": async (input, output) => {
    Object.assign(output.args, JSON.parse(execFileSync("/bin/sh", [process.env.HOME + "/hook"], { input: "" })))
  },
})
