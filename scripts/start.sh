#!/bin/sh
# Starts the service. A build that is older than the sources is made anew where npm ci has installed the bundler and the folder can be
# written. Elsewhere it has been made by the Dockerfile, or by npm run build.
cd "$(dirname "$(readlink -f "$0")")/.." || exit
PATH=$PWD/node_modules/.bin:$PATH
if [ -w . ] && command -v rolldown >/dev/null && ! sh scripts/is-built.sh; then node scripts/build.ts || exit; fi
[ -f dist/service/main.js ] || { echo "formhost: there is no build: run npm ci and npm run build in $PWD" >&2 && exit 1; }
# Deprecation warnings are for the authors of libraries; Node hides them only in node_modules.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-node_modules/.cache/formhost}" MALLOC_MMAP_THRESHOLD_=131072
exec node --disable-warning=DeprecationWarning dist/service/main.js
