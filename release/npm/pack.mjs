// Packs a release's archives for npm: one package with launchers, and one for each platform
// with both programs. npm installs of those the one that fits, and runs no script.
//
//   node release/npm/pack.mjs DIST OUT
//
// DIST holds nod_VERSION_OS_ARCH.tar.gz and checksums.txt. It prints the tarballs in the order
// in which they must be published.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const NAME = 'nod-gate' // the one place that names the package; platforms are @NAME/linux-x64 ...
const CPU = { amd64: 'x64', arm64: 'arm64' }
const OS = { windows: 'win32' } // where npm's name is another

const here = dirname(fileURLToPath(import.meta.url))
const [dist, out] = process.argv.slice(2).map(dir => resolve(dir))
const sums = readFileSync(join(dist, 'checksums.txt'), 'utf8')

const shared = version => ({
  version,
  license: 'Apache-2.0',
  homepage: 'https://github.com/nodgate/nod',
  repository: { type: 'git', url: 'git+https://github.com/nodgate/nod.git' },
  publishConfig: { access: 'public' },
})

// pack writes a package and returns its tarball.
function pack(dir, manifest) {
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest, null, 2) + '\n')
  const args = ['pack', dir, '--pack-destination', out, '--ignore-scripts', '--json']
  return join(out, JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }))[0].filename)
}

// platform packs both programs of one archive.
function platform(archive, version, os, arch) {
  const sum = createHash('sha256').update(readFileSync(join(dist, archive))).digest('hex')
  if (!sums.includes(sum)) throw new Error(`${archive}: checksums.txt does not have ${sum}; download it again`)
  const system = OS[os] ?? os
  const name = `@${NAME}/${system}-${CPU[arch]}`
  const programs = ['nod', 'nod-hook'].map(program => program + (os === 'windows' ? '.exe' : ''))
  const dir = join(out, name)
  mkdirSync(join(dir, 'bin'), { recursive: true })
  execFileSync('tar', ['-xzf', join(dist, archive), '-C', join(dir, 'bin'), ...programs])
  execFileSync('tar', ['-xzf', join(dist, archive), '-C', dir, 'LICENSE'])
  return [name, pack(dir, {
    name, ...shared(version), description: `nod and nod-hook for ${os} on ${arch}; install ${NAME}`,
    os: [system], cpu: [CPU[arch]], files: ['bin', 'LICENSE'], preferUnplugged: true,
  })]
}

// launchers packs the package that people name.
function launchers(version, platforms) {
  const dir = join(out, NAME)
  mkdirSync(dir, { recursive: true })
  for (const file of ['launch.js', 'README.md']) copyFileSync(join(here, file), join(dir, file))
  copyFileSync(join(here, '../../LICENSE'), join(dir, 'LICENSE'))
  for (const bin of ['nod', 'nod-hook']) {
    writeFileSync(join(dir, `${bin}.js`), `#!/usr/bin/env node\nrequire('./launch.js')('${bin}')\n`)
    chmodSync(join(dir, `${bin}.js`), 0o755)
  }
  return pack(dir, {
    name: NAME, ...shared(version), description: "Decides whether a coding agent's tool call may run",
    bin: { [NAME]: 'nod.js', nod: 'nod.js', 'nod-hook': 'nod-hook.js' }, engines: { node: '>=18' },
    files: ['*.js', 'README.md', 'LICENSE'],
    optionalDependencies: Object.fromEntries(platforms.map(name => [name, version])),
  })
}

const found = readdirSync(dist).sort().map(f => /^nod_(.+)_([a-z]+)_(amd64|arm64)\.tar\.gz$/.exec(f)).filter(Boolean)
if (found.length === 0) throw new Error(`${dist} holds no nod_VERSION_OS_ARCH.tar.gz`)
const version = found[0][1]
if (found.some(f => f[1] !== version)) throw new Error(`${dist} holds archives of more than one version`)
const packed = found.map(f => platform(...f))
const last = launchers(version, packed.map(([name]) => name))
console.log([...packed.map(([, file]) => file), last].join('\n'))
