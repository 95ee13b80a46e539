// Packs a release's archives for npm: one package with launchers, and one for each platform
// with the programs. npm installs of those the one that fits, and runs no script.
//
//   node release/npm/pack.mjs DIST OUT
//
// DIST holds nod_VERSION_OS_ARCH.tar.gz, of Windows .zip, and checksums.txt. It prints the tarballs in the order
// in which they must be published.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflateRawSync } from 'node:zlib'

const NAME = 'nod-gate' // the one place that names the package; platforms are @NAME/linux-x64 ...
const PROGRAMS = ['nod', 'nod-hook', 'nod-serve']
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

// take takes files out of an archive.
function take(archive, dir, names) {
  if (!archive.endsWith('.zip')) return execFileSync('tar', ['-xzf', join(dist, archive), '-C', dir, ...names])
  const zip = readFileSync(join(dist, archive))
  for (const name of names) writeFileSync(join(dir, name), unzipped(zip, name), { mode: 0o755 })
}

// unzipped is a file of a zip, found by the list at its end: tar reads zips on few systems.
function unzipped(zip, name) {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const length = zip.readUInt16LE(at + 28)
    if (zip.toString('utf8', at + 46, at + 46 + length) === name) {
      const head = zip.readUInt32LE(at + 42)
      const start = head + 30 + zip.readUInt16LE(head + 26) + zip.readUInt16LE(head + 28)
      const data = zip.subarray(start, start + zip.readUInt32LE(at + 20))
      return zip.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data)
    }
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  throw new Error(`the archive has no ${name}`)
}

// platform packs the programs of one archive.
function platform(archive, version, os, arch) {
  const sum = createHash('sha256').update(readFileSync(join(dist, archive))).digest('hex')
  if (!sums.includes(sum)) throw new Error(`${archive}: checksums.txt does not have ${sum}; download it again`)
  const system = OS[os] ?? os
  const name = `@${NAME}/${system}-${CPU[arch]}`
  const programs = PROGRAMS.map(program => program + (os === 'windows' ? '.exe' : ''))
  const dir = join(out, name)
  mkdirSync(join(dir, 'bin'), { recursive: true })
  take(archive, join(dir, 'bin'), programs)
  take(archive, dir, ['LICENSE'])
  return [name, pack(dir, {
    name, ...shared(version), description: `nod's programs for ${os} on ${arch}; install ${NAME}`,
    os: [system], cpu: [CPU[arch]], files: ['bin', 'LICENSE'], preferUnplugged: true,
  })]
}

// launchers packs the package that people name.
function launchers(version, platforms) {
  const dir = join(out, NAME)
  mkdirSync(dir, { recursive: true })
  for (const file of ['launch.js', 'README.md']) copyFileSync(join(here, file), join(dir, file))
  copyFileSync(join(here, '../../LICENSE'), join(dir, 'LICENSE'))
  for (const bin of PROGRAMS) {
    writeFileSync(join(dir, `${bin}.js`), `#!/usr/bin/env node\nrequire('./launch.js')('${bin}')\n`)
    chmodSync(join(dir, `${bin}.js`), 0o755)
  }
  return pack(dir, {
    name: NAME, ...shared(version), description: "Decides whether a coding agent's tool call may run",
    bin: { [NAME]: 'nod.js', ...Object.fromEntries(PROGRAMS.map(bin => [bin, `${bin}.js`])) }, engines: { node: '>=18' },
    files: ['*.js', 'README.md', 'LICENSE'],
    optionalDependencies: Object.fromEntries(platforms.map(name => [name, version])),
  })
}

const found = readdirSync(dist).sort().map(f => /^nod_(.+)_([a-z]+)_(amd64|arm64)\.(?:tar\.gz|zip)$/.exec(f)).filter(Boolean)
if (found.length === 0) throw new Error(`${dist} holds no nod_VERSION_OS_ARCH.tar.gz`)
const version = found[0][1]
if (found.some(f => f[1] !== version)) throw new Error(`${dist} holds archives of more than one version`)
const packed = found.map(f => platform(...f))
const last = launchers(version, packed.map(([name]) => name))
console.log([...packed.map(([, file]) => file), last].join('\n'))
