// Starts the program of the package for this platform. A hook does not come this way: nod install
// writes the program's own path into the agent's settings.
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const { dirname, join } = require('node:path')

// program is where the platform's package has a program.
function program(name) {
  const fits = `/${process.platform}-${process.arch}`
  const file = process.platform === 'win32' ? `${name}.exe` : name
  const { name: self, optionalDependencies } = require('./package.json')
  const wanted = Object.keys(optionalDependencies).find(one => one.endsWith(fits))
  if (!wanted) return `${self}: there is no nod for ${process.platform} on ${process.arch}; see docs/install.md`
  try {
    return [join(dirname(require.resolve(`${wanted}/package.json`)), 'bin', file)]
  } catch {
    return `${self}: ${wanted} is not installed; install ${self} again, without --omit=optional`
  }
}

module.exports = name => {
  process.title = name // else `node .../nod install codex` above nod looks as if Codex had started it
  const at = program(name)
  if (typeof at === 'string') {
    console.error(at)
    process.exit(1)
  }
  const child = spawn(at[0], process.argv.slice(2), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', err => {
    console.error(`nod: ${at[0]} does not start: ${err.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}
