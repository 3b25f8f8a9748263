import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Gathers the figures that tests record (figures.ts), and prints them all in one table when the last test has ended. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'formhost-figures-'));
  const file = join(folder, 'figures');
  project.provide('figures', file);
  return async () => {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    const rows = lines.map((line): string[] => JSON.parse(line).map(String));
    const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    const table = rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
    if (table.length > 0) process.stdout.write(`\nFigures\n\n${table.join('\n')}\n`);
    await rm(folder, { recursive: true });
  };
}
