import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The process id of the embedded server according to DATA_DIR; undefined when there is none. */
export async function serverPid(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => undefined);
  return file === undefined ? undefined : Number.parseInt(file, 10);
}

/** Returns whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
