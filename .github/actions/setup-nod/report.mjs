// Reads nod's log from standard input. Writes a table into the job's summary and, where
// NOD_SARIF names a file, the denials as SARIF. The log has masked what looks like a secret.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'

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

// place is the file that a denied edit names, else the workflow: code scanning wants one.
function place(e) {
  const path = e.input?.file_path && e.root ? relative(e.root, e.input.file_path) : ''
  const workflow = (process.env.GITHUB_WORKFLOW_REF ?? '').split('@')[0].split('/').slice(2).join('/')
  return path && !path.startsWith('..') ? path : workflow || '.github'
}

function sarif() {
  const denied = entries.filter(e => told(e) === 'deny')
  const rules = [...new Set(denied.map(e => e.layer))].map(id => ({ id, shortDescription: { text: `denied by ${id}` } }))
  const results = denied.map(e => ({
    ruleId: e.layer, level: 'warning', message: { text: `${e.raw_tool}: ${what(e)}\n${e.reason ?? ''}` },
    locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(place(e)) }, region: { startLine: 1 } } }],
    partialFingerprints: { call: e.input_sha256 ?? e.id },
  }))
  const driver = { name: 'nod', version: entries[0]?.nod, informationUri: 'https://github.com/nodgate/nod', rules }
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json'
  return JSON.stringify({ $schema: schema, version: '2.1.0', runs: [{ tool: { driver }, results }] }, null, 2)
}

appendFileSync(process.env.GITHUB_STEP_SUMMARY, summary())
if (process.env.NOD_SARIF) writeFileSync(process.env.NOD_SARIF, sarif())
