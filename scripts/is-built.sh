#!/bin/sh
# Succeeds where the build in dist is newer than all that it is made of.
cd "$(dirname "$(readlink -f "$0")")/.." || exit
main=dist/service/main.js
[ -f "$main" ] && [ -z "$(find src migrations examples/pages docs/dashboard scripts vite.config.ts node_modules/.package-lock.json -newer "$main" 2>/dev/null)" ]
