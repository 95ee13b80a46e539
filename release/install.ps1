# Installs nod, nod-hook and nod-serve from a release, after comparing the archive with its checksum.
# It does what install.sh does. IT WAS NEVER RUN. On macOS and Linux use install.sh.
#
#   powershell -File install.ps1 [-Prefix DIR] [-Version V] [-From DIR_OR_URL] [-Force]
param(
  [string]$Prefix = (Join-Path $HOME '.local'),
  [string]$Version = '',
  [string]$From = '',
  [switch]$Force
)
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2
$releases = 'https://github.com/nodgate/nod/releases'

function Refuse([string]$why) {
  [Console]::Error.WriteLine("install.ps1: $why. Nothing was changed.")
  exit 1
}

# Get-Part brings one file here.
function Get-Part([string]$name) {
  try {
    if ($From -match '^[a-z]+://') { Invoke-WebRequest -UseBasicParsing "$From/$name" -OutFile (Join-Path $work $name) }
    else { Copy-Item (Join-Path $From $name) $work }
  } catch { Refuse "$From/$name did not arrive whole: $_" }
}

# Get-Number makes a version comparable: 0.2.0-dev is below 0.2.0.
function Get-Number([string]$word) {
  $number, $rest = $word -split '-', 2
  [version]("$number." + $(if ($rest) { 0 } else { 1 }))
}

if (-not $From) {
  $From = if ($Version) { "$releases/download/v$($Version -replace '^v')" } else { "$releases/latest/download" }
}
if ($From -match '^[a-z]+://' -and $From -notmatch '^(https|file)://|^http://(127\.0\.0\.1|localhost)[:/][^@]*$') {
  Refuse "$From is not https"
}
$arch = switch ($env:PROCESSOR_ARCHITECTURE) { 'AMD64' { 'amd64' } 'ARM64' { 'arm64' } default { "$_".ToLower() } }
$bin = Join-Path $Prefix 'bin'
$work = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory $work | Out-Null
try {
  Get-Part 'checksums.txt'
  $wanted = if ($Version) { [regex]::Escape(($Version -replace '^v')) } else { '[^/\\]+' }
  $line = Get-Content (Join-Path $work 'checksums.txt') |
    Where-Object { $_ -match "^[0-9a-f]{64}\s+\*?nod_${wanted}_windows_$arch\.zip$" } | Select-Object -First 1
  if (-not $line) { Refuse "there is no nod $Version for windows on $arch in $From" }
  $sum, $archive = $line -split '\s+\*?', 2
  $Version = $archive -replace '^nod_' -replace "_windows_$arch\.zip$"
  $had = ''
  $old = Join-Path $bin 'nod.exe'
  if (Test-Path $old) { $had = ((& $old version) -split ' ')[1] }
  if ($had -and -not $Force -and (Get-Number $Version) -lt (Get-Number $had)) {
    Refuse "$old is version $had, which is newer than $Version; to go back, add -Force"
  }
  Get-Part $archive
  $have = (Get-FileHash -Algorithm SHA256 (Join-Path $work $archive)).Hash.ToLower()
  if ($have -ne $sum) { Refuse "$archive has the wrong checksum: $have, and checksums.txt says $sum" }
  Expand-Archive (Join-Path $work $archive) $work
  try {
    New-Item -ItemType Directory -Force $bin | Out-Null
    foreach ($name in 'nod', 'nod-serve', 'nod-hook') {
      & (Join-Path $work "$name.exe") version | Out-Null
      if ($LASTEXITCODE -ne 0) { Refuse "the $name of $archive does not start here (windows, $arch)" }
      Copy-Item (Join-Path $work "$name.exe") (Join-Path $bin ".$name.new")
    }
    foreach ($name in 'nod', 'nod-serve', 'nod-hook') {
      Move-Item -Force (Join-Path $bin ".$name.new") (Join-Path $bin "$name.exe")
    }
  } catch { Refuse "$bin cannot be written to: $_" }
  "nod $Version for windows on $arch"
  "  from       $From/$archive"
  "  checksum   $sum, as checksums.txt says"
  "  written    $bin\nod.exe, nod-hook.exe, nod-serve.exe$(if ($had) { " (before: $had)" })"
  if (($env:PATH -split ';') -notcontains $bin) { "  PATH       lacks ${bin}: add it, or type $bin\nod" }
  'Next: nod install, then nod doctor.'
} finally {
  Remove-Item -Recurse -Force $work
  Get-ChildItem $bin -Filter '.nod*.new' -Force -ErrorAction SilentlyContinue | Remove-Item -Force
}
