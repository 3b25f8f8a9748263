import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The build is made of these, and of the installed libraries. */
const PARTS = [
  ...['src', 'migrations', 'docs/dashboard', 'scripts', 'vite.config.ts'],
  'node_modules/.package-lock.json',
];

/** @param {string} path @param {number} time @returns {boolean} */
function isNewer(path, time) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  // A folder is newer too when a file of it was removed.
  if (stats.mtimeMs > time) return true;
  return stats.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), time));
}

/** Returns whether the build in dist is newer than all that it is made of. @param {string} folder the project's */
export function isBuilt(folder) {
  const built = statSync(join(folder, 'dist/service/main.js'), { throwIfNoEntry: false });
  return built !== undefined && !PARTS.some((part) => isNewer(join(folder, part), built.mtimeMs));
}
