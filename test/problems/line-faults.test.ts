import { expect, it } from 'vitest';
import { codesOf } from '../../src/problems/coded-sentences.ts';
import { faultOf, LINE_FAULTS, toLineError } from '../../src/problems/line-faults.ts';

it('finds the fault of each message, and the value in it', () => {
  for (const problem of codesOf(LINE_FAULTS)) {
    const value = LINE_FAULTS[problem].includes('{value}') ? '“$&” is not {value}' : undefined;
    const { line, message } = toLineError({ line: 3, problem, ...(value !== undefined && { value }) });
    expect([line, faultOf(message)]).toEqual([3, { code: problem, values: value === undefined ? {} : { value } }]);
  }
});

it('finds nothing in other sentences', () => {
  for (const message of ['', '“', 'The line is too long: at most', '“” is not an IP address']) {
    expect(faultOf(message)).toBe(null);
  }
});
