import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveries, hanging } from './deliveries.ts';
import { pages } from './pages.ts';
import { submit } from './submit.ts';

/*
 * Measures the hot paths, each as a ratio to something plain in the same run: rounds alternate, medians are compared.
 * Needs wrk and pgbench (Debian: wrk, postgresql-contrib). `npm run bench`, or `npm run bench -- submit`.
 */

const CASES: Readonly<Record<string, (folder: string) => Promise<void>>> = { submit, pages, deliveries, hanging };

const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'formhost-bench-'));
try {
  for (const [name, measure] of Object.entries(CASES)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure(folder);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
