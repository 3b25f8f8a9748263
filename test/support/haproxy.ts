import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { vi } from 'vitest';
import { freePort, PROJECT, startProgram } from './process.ts';

/** Files of exceptions, by their names in deploy/examples/haproxy-cells.cfg, a line each. */
type Maps = Readonly<Record<'moved-hosts' | 'moved-keys' | 'moved-ids' | 'owners', readonly string[]>>;

const NO_MAPS: Maps = { 'moved-hosts': [], 'moved-keys': [], 'moved-ids': [], owners: [] };

/** Replaces one thing in the shipped configuration; it has to be there. */
function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`deploy/examples/haproxy-cells.cfg does not match ${pattern}`);
  return text.replace(pattern, by);
}

/**
 * HAProxy with deploy/examples/haproxy-cells.cfg as it is, except for its own addresses, those of `servers` (URLs by the backend's
 * name), and the folder of its maps.
 */
export async function startHaproxy(servers: Readonly<Record<string, string>>, maps: Partial<Maps> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-haproxy-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  for (const [name, lines] of Object.entries({ ...NO_MAPS, ...maps })) {
    await writeFile(join(folder, `formhost-${name}.map`), lines.map((line) => `${line}\n`).join(''));
  }
  let text = await readFile(join(PROJECT, 'deploy/examples/haproxy-cells.cfg'), 'utf8');
  text = replaced(text, /bind :443 .*/, `bind 127.0.0.1:${port}`);
  text = replaced(text, /frontend http\n(?:\t.*\n)+/, '');
  text = text.replaceAll('/etc/haproxy/', `${folder}/`);
  for (const [name, server] of Object.entries(servers)) {
    const backend = new RegExp(`(backend ${name}\n(?:\t.*\n)*?)\tserver one .*\n\tserver two .*\n`);
    text = replaced(text, backend, `$1\tserver one ${new URL(server).host}\n`);
  }
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, text);
  const { child, result } = startProgram('haproxy', ['-db', '-f', file], {});
  const ended = result.then(({ stderr }) => {
    if (child.exitCode !== null && child.exitCode !== 0 && child.exitCode !== 143) throw new Error(stderr);
  });
  ended.catch(() => undefined);
  try {
    await Promise.race([
      vi.waitFor(() => request(url).get('/readyz').expect(200), { timeout: 60_000, interval: 50 }),
      ended.then(() => Promise.reject(new Error('HAProxy has ended.'))),
    ]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    url,
    async close(): Promise<void> {
      child.kill('SIGTERM');
      await result;
      await rm(folder, { recursive: true });
    },
  };
}
