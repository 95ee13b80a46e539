// Writes what a registry says of packed tarballs: node registry.mjs PACKED SERVER
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
const [packed, server] = process.argv.slice(2)
for (const file of readdirSync(packed).filter(name => name.endsWith('.tgz'))) {
  const tgz = `${packed}/${file}`
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', tgz, 'package/package.json'], { encoding: 'utf8' }))
  const { name, version } = manifest
  const integrity = 'sha512-' + createHash('sha512').update(readFileSync(tgz)).digest('base64')
  const dist = { tarball: `${server}/packed/${file}`, integrity }
  mkdirSync(dirname(`registry/${name}`), { recursive: true })
  const page = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
  writeFileSync(`registry/${name}`, JSON.stringify(page))
}
