// Writes release/plugins: nod as a plugin in each host's own format, and the marketplaces that offer them.
//
//   node release/plugins.mjs NOD OUT
//
// NOD is a built nod beside its nod-hook. The hooks are those that it installs (internal/hosts/agents.txt); in the
// place of nod-hook's path stands a launcher that finds it, and blocks where it is not installed.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const [nod, out] = process.argv.slice(2)
const version = execFileSync(nod, ['version'], { encoding: 'utf8' }).split(/\s/)[1]
const url = 'https://github.com/nodgate/nod'
const description = 'nod decides whether a tool call may run without asking you. It needs nod-hook. This plugin is a ' +
  'convenience that a repository or a setting of yours can silence; they cannot silence the managed level: ' +
  'sudo nod install claude-code --managed (docs/agents.md).'

// Where nod's own channels put it comes first. A relative element of PATH counts for nothing: a repository could
// fill it.
const launcher = 'p=$(PATH=$HOME/.local/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:$HOME/go/bin:$PATH; ' +
  'command -v nod-hook); case $p in /*) exec "$p" "$0";; esac; echo "nod-hook is not installed, so the call is ' +
  `blocked: install nod (${url}) or take the plugin nod-gate out" >&2; exit 2`

// A home of its own, in which nod lies as it may be installed.
const home = mkdtempSync(join(homedir(), '.nod-plugins-'))
process.on('exit', () => rmSync(home, { recursive: true }))
const hook = join(home, 'bin', 'nod-hook')
mkdirSync(dirname(hook))
for (const name of ['nod', 'nod-hook']) copyFileSync(join(dirname(nod), name), join(home, 'bin', name))

// installed is what nod install writes for a host.
function installed(host, file) {
  const env = { HOME: home, PATH: '/usr/bin:/bin' }
  execFileSync(join(home, 'bin', 'nod'), ['install', host, '--user', '--unattended'], { env, stdio: 'pipe' })
  return readFileSync(join(home, file), 'utf8')
}

// launched puts the launcher where a handler, or one in it, starts nod-hook.
function launched(handler, host) {
  for (const key of ['command', 'bash']) {
    const [before, after] = handler[key]?.split(`${hook} ${host}`) ?? []
    if (handler[key] === hook) Object.assign(handler, { command: '/bin/sh', args: ['-c', launcher, host] })
    else if (after !== undefined) handler[key] = `${before}/bin/sh -c '${launcher}' ${host}`
  }
  for (const inner of Object.values(handler)) if (typeof inner === 'object') launched(inner, host)
  return handler
}

const write = (name, text) => {
  mkdirSync(dirname(join(out, name)), { recursive: true })
  writeFileSync(join(out, name), typeof text === 'string' ? text : JSON.stringify(text, null, 2) + '\n')
}
const hooks = (host, file) => launched(JSON.parse(installed(host, file)), host)

const owner = { name: 'nodgate', url: 'https://github.com/nodgate' }
const NAME = 'nod-gate' // also of the marketplaces: nod lets no agent's command name it (TestNoToolChangesNodsPackage)
const about = { name: NAME, version, description }
const plugin = { ...about, author: owner, homepage: url, repository: url, license: 'Apache-2.0' }
const market = (source, title) => ({
  name: NAME, owner, metadata: { description: `nod for ${title}` }, plugins: [{ ...about, source }],
})

write('claude-code/.claude-plugin/plugin.json', plugin)
write('claude-code/hooks/hooks.json', hooks('claude-code', '.claude/settings.json'))
write('.claude-plugin/marketplace.json', market('./claude-code', 'Claude Code'))

write('codex/.codex-plugin/plugin.json', {
  ...plugin,
  hooks: './hooks/hooks.json',
  interface: {
    displayName: 'nod', shortDescription: 'Decides whether a tool call may run without asking you',
    longDescription: description, developerName: 'nodgate', category: 'Security', websiteURL: url,
  },
})
write('codex/hooks/hooks.json', hooks('codex', '.codex/hooks.json'))
write('.agents/plugins/marketplace.json', {
  name: NAME,
  interface: { displayName: 'nod for Codex' },
  plugins: [{
    name: NAME, source: { source: 'local', path: './codex' }, category: 'Security',
    policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
  }],
})

write('copilot/plugin.json', { ...plugin, hooks: 'hooks.json' })
write('copilot/hooks.json', hooks('copilot', '.copilot/hooks/nod.json'))
write('.github/plugin/marketplace.json', market('./copilot', 'GitHub Copilot'))

const cursor = market('./cursor', 'Cursor')
cursor.owner = { name: 'nodgate' }
cursor.plugins[0] = { name: NAME, source: './cursor', description }
write('cursor/.cursor-plugin/plugin.json', {
  ...plugin, displayName: 'nod', author: { name: 'nodgate' }, hooks: './hooks/hooks.json',
})
write('cursor/hooks/hooks.json', hooks('cursor', '.cursor/hooks.json'))
write('.cursor-plugin/marketplace.json', cursor)

write('gemini/gemini-extension.json', about)
write('gemini/hooks/hooks.json', hooks('gemini', '.gemini/settings.json'))

write('opencode/package.json', {
  ...plugin, name: `@${NAME}/opencode`, repository: { type: 'git', url: `git+${url}.git` },
  type: 'module', main: './nod.js', exports: './nod.js', files: ['nod.js'], publishConfig: { access: 'public' },
})
write('opencode/nod.js', installed('opencode', '.config/opencode/plugin/nod.js')
  .replace(/^.*\n/, '// nod-hook: the npm plugin, made by release/plugins.mjs.\n')
  .replace(/^const words = .*$/m, () => 'const words = ' + JSON.stringify(['/bin/sh', '-c', launcher, 'opencode'])))
