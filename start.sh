#!/bin/sh
# Starts the service, after building the dashboard where npm ci has installed its bundler and the folder can be written. Elsewhere
# the dashboard has been built: by the Dockerfile, or by npm run build.
cd "$(dirname "$(readlink -f "$0")")" || exit
PATH=$PWD/node_modules/.bin:$PATH
if [ -w . ] && command -v rolldown >/dev/null; then node build-dashboard.ts dist/dashboard; fi
# Deprecation warnings are for the authors of libraries; Node hides them only in node_modules.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-node_modules/.cache/formhost}" MALLOC_MMAP_THRESHOLD_=131072
exec node --disable-warning=DeprecationWarning src/main.ts
