#!/bin/sh
# Bundles the service into dist/<checksum of its sources and of the installed libraries> and prints that folder. If the folder exists,
# it does nothing else: a build is never stale. Older builds stay, because a running process may still load files of its own.
set -eu
# Another user may run the service.
umask 022
cd "$(dirname "$(readlink -f "$0")")"
PATH=$PWD/node_modules/.bin:$PATH

[ -f node_modules/.package-lock.json ] || { echo 'formhost: the libraries are not installed: npm ci' >&2 && exit 1; }
if command -v sha256sum >/dev/null; then checksum=sha256sum; else checksum='shasum -a 256'; fi
# shellcheck disable=SC2086 # A command and its arguments.
id=$(find src migrations examples/pages docs/dashboard rolldown.config.js build-dashboard.ts node_modules/.package-lock.json -type f | LC_ALL=C sort | xargs $checksum | $checksum | cut -c 1-16)
build=dist/$id
if [ ! -d "$build" ]; then
  command -v rolldown >/dev/null || { echo 'formhost: there is no bundler: npm ci installs it' >&2 && exit 1; }
  mkdir -p dist
  new=$(mktemp -d dist/new.XXXXXX)
  trap 'rm -rf "$new"' EXIT
  trap 'exit 143' HUP INT TERM
  rolldown --config --dir "$new" >/dev/null
  node build-dashboard.ts "$new/dashboard"
  chmod 755 "$new"
  # Another process may have built the same meanwhile.
  [ -d "$build" ] || mv "$new" "$build"
fi
echo "$build"
