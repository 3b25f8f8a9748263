import { writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { deliveries } from './deliveries.ts';
import { isInstalled, type Row, verdict } from './measure.ts';
import { pages, rotation } from './pages.ts';
import { reading } from './reading.ts';
import { running } from './running.ts';
import { type Case, onStage } from './stage.ts';
import { forms, submit } from './submit.ts';

/*
 * Measures the service, each path as a ratio to a minimal program in the same run: sides alternate, medians are
 * compared. `npm run bench` measures all and writes bench/results.md; `npm run bench -- submit pages` only these. Needs
 * wrk; what pgbench, psql and nginx are needed for is left out where they are missing, and said.
 */

const CASES: Readonly<Record<string, Case>> = { pages, rotation, submit, forms, reading, deliveries, running };

const COLUMNS = ['path', 'formhost', 'against', 'ratio', 'rounds', 'goal', '', 'processor'];

function cells(row: Row): string[] {
  const { path, ours, against, ratio, least, most, goal, processor } = row;
  const wanted = goal === undefined ? '' : 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
  const rounds = `${least.toFixed(2)} to ${most.toFixed(2)}`;
  return [path, ours, against, ratio.toFixed(2), rounds, wanted, verdict(row), processor];
}

/** A table that reads as text and as Markdown. */
function table(rows: readonly Row[]): string {
  const lines = [COLUMNS, ...rows.map(cells)];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0), 3));
  const text = lines.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  return [text[0], `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...text.slice(1)].join('\n');
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in CASES));
if (unknown.length > 0) {
  console.error(`No such case: ${unknown.join(', ')}. There are ${Object.keys(CASES).join(', ')}.`);
  process.exit(1);
}
if (!(await isInstalled('wrk'))) {
  console.error('wrk is not installed: install it (Debian: apt-get install wrk), it sends the load.');
  process.exit(1);
}

const beganAt = performance.now();
const leftOut: string[] = [];
const rows: Row[] = [];
for (const name of wanted.length > 0 ? wanted : Object.keys(CASES)) {
  const measure = CASES[name];
  if (!measure) continue;
  console.error(`${name} ...`);
  rows.push(...(await onStage((stage) => measure(stage, (what) => void leftOut.push(what)))));
}

const [processor] = cpus();
const report = [
  table(rows),
  '',
  ...leftOut.map((what) => `Left out: ${what}.`),
  '',
  `Ratios are of medians; "rounds" are the least and the most that one round gave. 100 % is one processor, while formhost was`,
  'measured; "load" is what sends it.',
  '',
  `Machine: ${cpus().length} processors (${processor?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}, Node ${process.version}.`,
  `Run: ${new Date().toISOString().slice(0, 10)}, ${((performance.now() - beganAt) / 60_000).toFixed(1)} minutes.`,
].join('\n');
console.log(report);
if (wanted.length === 0) {
  await writeFile('bench/results.md', `# What was measured last\n\nMade by \`npm run bench\`.\n\n${report}\n`);
}
