// Reads nod's log from standard input and writes a table into the job's summary. The log has
// masked what looks like a secret.
import { appendFileSync, readFileSync } from 'node:fs'

const ROWS = 200 // a summary may have 1 MiB

const entries = readFileSync(0, 'utf8').split('\n').filter(Boolean).flatMap(line => {
  try {
    return [JSON.parse(line)]
  } catch {
    return [] // a torn line
  }
})
const told = e => e.answered ?? e.verdict
const what = e => e.input?.command ?? e.input?.file_path ?? e.input?.path ?? e.input?.url ?? JSON.stringify(e.input ?? {})

// cell makes a text one cell of a table, whatever the agent wrote.
function cell(text) {
  const short = text.length > 120 ? text.slice(0, 119) + '…' : text
  const safe = short.replace(/[^\p{L}\p{N} .,:;/=+()'"-]/gu, c => (c < ' ' ? ' ' : `&#${c.codePointAt(0)};`))
  return safe || ' '
}

function summary() {
  const counts = {}
  for (const e of entries) counts[told(e)] = (counts[told(e)] ?? 0) + 1
  const sums = Object.entries(counts).map(([word, n]) => `${n} ${word}`).join(', ')
  const shown = entries.filter(e => told(e) !== 'allow').slice(-ROWS)
  const lines = [`### nod: ${entries.length} calls${sums && ': ' + sums}`, '']
  if (shown.length > 0) lines.push('| told | tool | call | reason |', '|---|---|---|---|')
  for (const e of shown) {
    lines.push(`| ${told(e)} | ${cell(e.raw_tool ?? '')} | <code>${cell(what(e))}</code> | ${cell(e.reason ?? '')} |`)
  }
  return lines.join('\n') + '\n'
}

appendFileSync(process.env.GITHUB_STEP_SUMMARY, summary())
