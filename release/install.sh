#!/bin/sh
# Installs nod, nod-hook and nod-serve from a release, after comparing the archive with its checksum.
#
#   sh install.sh [--prefix DIR] [--version V] [--from DIR_OR_URL] [--force]
#
#   --prefix DIR   the programs go into DIR/bin; default ~/.local
#   --version V    this version; default the newest
#   --from WHERE   a directory or address that holds checksums.txt and the archives;
#                  default the releases of github.com/nodgate/nod
#   --force        also an older version over a newer one
#
# It asks for no password, changes no settings and sends nothing. Either all programs are
# replaced or none. Exit status: 0 installed; 1 refused, and why; 2 arguments.
set -u
umask 022

releases=https://github.com/nodgate/nod/releases
programs='nod nod-serve nod-hook'
prefix=${HOME:-}/.local version='' from='' force=''
bin='' made='' work=''

say() { printf '%s\n' "$*"; }

refuse() {
  say "install.sh: $*. Nothing was changed." >&2
  exit 1
}

usage() {
  say "install.sh: $*; read the first lines of install.sh" >&2
  exit 2
}

# clean leaves nothing behind that is not whole.
clean() {
  [ -z "$bin" ] || rm -f "$bin/.nod.$$" "$bin/.nod-hook.$$" "$bin/.nod-serve.$$"
  [ -z "$made" ] || (cd "$made" && rmdir -p "${bin#"$made"/}") 2>/dev/null
  [ -z "$work" ] || rm -rf "$work"
}

arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
    --force) force=1 && shift && continue ;;
    --prefix | --version | --from) [ $# -gt 1 ] && [ -n "$2" ] || usage "$1 wants a value" ;;
    *) usage "unknown argument $1" ;;
    esac
    case $1 in
    --prefix) prefix=$2 ;;
    --version) version=${2#v} ;;
    --from) from=${2%/} ;;
    esac
    shift 2
  done
  case $prefix in
  /.local) usage "HOME is not set; name a --prefix" ;;
  /*) ;;
  *) prefix=$(pwd)/$prefix ;;
  esac
  bin=$prefix/bin
}

# place is where the files lie. What is not encrypted is read from this machine alone.
place() {
  if [ -z "$from" ]; then
    from=$releases/latest/download
    [ -z "$version" ] || from=$releases/download/v$version
  fi
  case $from in
  http://*@*) refuse "$from is not https" ;;
  https://* | file://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
  *://*) refuse "$from is not https" ;;
  *) [ -d "$from" ] || refuse "$from is no directory" ;;
  esac
}

machine() {
  os=$(uname -s | tr '[:upper:]' '[:lower:]')
  case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) arch=$(uname -m) ;;
  esac
}

# get brings one file here.
get() {
  case $from in
  *://*)
    if command -v curl >/dev/null; then
      curl -fsSL --proto-redir =https --retry 2 -o "$work/$1" "$from/$1" 2>"$work/said"
    elif command -v wget >/dev/null; then
      wget -nv -t 2 -O "$work/$1" "$from/$1" 2>"$work/said"
    else
      refuse "neither curl nor wget is in PATH"
    fi
    ;;
  *) cp "$from/$1" "$work/$1" 2>"$work/said" ;;
  esac || refuse "$from/$1 did not arrive whole: $(tail -n 1 "$work/said")"
}

sum() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1"
  else
    refuse "neither sha256sum nor shasum is in PATH, so the archive cannot be verified"
  fi
}

# choose finds this machine's archive in the checksums, and which version it is.
choose() {
  get checksums.txt
  archive=''
  while read -r wanted name && [ -z "$archive" ]; do
    case ${name#\*} in
    */*) ;;
    nod_${version:-*}_"${os}_$arch".tar.gz) archive=${name#\*} checksum=$wanted ;;
    esac
  done <"$work/checksums.txt"
  [ -n "$archive" ] || refuse "there is no nod ${version:+$version }for $os on $arch in $from"
  version=${archive#nod_} version=${version%"_${os}_$arch.tar.gz"}
}

# number makes a version a number: 0.2.0-dev is below 0.2.0, and that below 0.10.0.
number() {
  say "$1" | {
    IFS=.-+ read -r major minor patch rest
    printf '%05d%05d%05d' "${major:-0}" "${minor:-0}" "${patch:-0}" 2>/dev/null
    case $1 in *-*) say 0 ;; *) say 1 ;; esac
  }
}

older() {
  [ "$(number "$1")" -lt "$(number "$2")" ]
}

# before looks at what is there already.
before() {
  for name in $programs; do
    [ ! -L "$bin/$name" ] || refuse "$bin/$name is a link that something else made; remove it, or name another --prefix"
    [ ! -d "$bin/$name" ] || refuse "$bin/$name is a directory"
  done
  had=''
  [ ! -x "$bin/nod" ] || had=$("$bin/nod" version 2>/dev/null | { read -r _ word _ && say "$word"; })
  if [ -n "$had" ] && [ -z "$force" ] && older "$version" "$had"; then
    refuse "$bin/nod is version $had, which is newer than $version; to go back, add --force"
  fi
}

verify() {
  get "$archive"
  have=$(sum "$work/$archive") || exit 1
  [ "${have%% *}" = "$checksum" ] ||
    refuse "$archive has the wrong checksum: ${have%% *}, and checksums.txt says $checksum"
  (cd "$work" && tar -xzf "$archive" $programs) 2>"$work/said" ||
    refuse "$archive cannot be unpacked: $(tail -n 1 "$work/said")"
}

# stage puts the programs beside their places, and starts them.
stage() {
  at=$bin
  while [ ! -d "$at" ]; do
    at=${at%/*} at=${at:-/} made=$at
  done
  mkdir -p "$bin" 2>"$work/said" || refuse "$bin cannot be made: $(tail -n 1 "$work/said")"
  for name in $programs; do
    { cp "$work/$name" "$bin/.$name.$$" && chmod 755 "$bin/.$name.$$"; } 2>"$work/said" ||
      refuse "$bin cannot be written to: $(tail -n 1 "$work/said")"
    "$bin/.$name.$$" version >/dev/null 2>"$work/said" ||
      refuse "the $name of $archive does not start here ($os, $arch): $(tail -n 1 "$work/said")"
  done
}

# put replaces all, the hook last: until then every call is answered by the old one.
put() {
  mv -f "$bin/.nod.$$" "$bin/nod" || refuse "$bin/nod cannot be replaced"
  made=''
  mv -f "$bin/.nod-serve.$$" "$bin/nod-serve" && mv -f "$bin/.nod-hook.$$" "$bin/nod-hook" && return
  say "install.sh: $bin/nod was replaced and the others could not be; run this again" >&2
  exit 1
}

report() {
  say "nod $version for $os on $arch"
  say "  from       $from/$archive"
  say "  checksum   $checksum, as checksums.txt says"
  say "  written    $bin/nod, $bin/nod-hook, $bin/nod-serve${had:+ (before: $had)}"
  case :${PATH:-}: in
  *:"$bin":*) ;;
  *) say "  PATH       lacks $bin: add it, or type $bin/nod" ;;
  esac
  say "Next: nod install, then nod doctor."
}

main() {
  arguments "$@"
  place
  machine
  trap clean EXIT
  trap 'exit 1' HUP INT TERM
  work=$(mktemp -d) || refuse "no temporary directory can be made"
  choose
  before
  verify
  stage
  put
  report
}

# Half a script does nothing: this is its last line.
main "$@"
