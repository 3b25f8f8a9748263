import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from '../support/process.ts';

/* docs/reliability.md lists what input can cost, each bound with its constant in the code. */

const read = (file: string): string => readFileSync(join(PROJECT, file), 'utf8');

/** The product of a constant such as `2 * 1024 * 1024`; NaN where there is none with this name. */
function boundOf(name: string, file: string): number {
  const [, expression = ''] = new RegExp(`\\b${name}(?: =|:) ([\\d_]+(?: \\* [\\d_]+)*)[;,]`).exec(read(file)) ?? [];
  if (expression === '') return Number.NaN;
  return expression.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
}

const [, section = ''] = read('docs/reliability.md').split('## What input can cost');
const rows = Array.from(
  section.matchAll(/^\| .* \| ([\d,]+) [\w ]+ \| `(\w+)` in `(src\/\S+)` \|$/gm),
  ([, value = '', name = '', file = '']) => ({ value: Number(value.replaceAll(',', '')), name, file }),
);

it('the bounds of input are those of the code', () => {
  expect(rows.length).toBe(section.match(/^\| .*`src\//gm)?.length);
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.map(({ name, file }) => ({ value: boundOf(name, file), name, file }))).toEqual(rows);
});
