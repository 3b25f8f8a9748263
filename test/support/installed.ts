import { spawnSync } from 'node:child_process';

/** Returns whether a program is on the PATH. If it is not, prints which tests are left out. */
export function isInstalled(program: string, tests: string): boolean {
  const isThere = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  if (!isThere) process.stderr.write(`${program} is not installed: ${tests} are left out.\n`);
  return isThere;
}
