#!/bin/sh
# Starts the service from a build: the folder in the first argument, or the build that build.sh makes. If there is none and the bundler
# is not installed, it starts from the sources, which takes longer and needs more memory.
cd "$(dirname "$(readlink -f "$0")")" || exit
PATH=$PWD/node_modules/.bin:$PATH
if build=${1:-$(sh build.sh)}; then
  main=$build/main.js
else
  echo 'formhost: no build could be made: starting from the sources' >&2
  main=src/main.ts
fi
# Without the limit of the semi-space, memory would stay much larger after a flood. V8 flags of other kinds are set in src/main.ts.
# Deprecation warnings are for the authors of libraries; Node hides them only in node_modules.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-node_modules/.cache/formhost}" MALLOC_MMAP_THRESHOLD_=131072
exec node --max-semi-space-size=16 --disable-warning=DeprecationWarning "$main"
