import { expect, it } from 'vitest';
import { createConfirmRules } from '../../src/intake/confirm-rules.ts';
import { testLimits } from '../support/limits.ts';

const submission = (deploymentId: string, rulesVersion: number) => ({
  ...{ id: 'sub_1', deploymentId, data: '{}', ipAddress: '192.0.2.1', rulesVersion },
});

it('asks once for all that wait, and says which forms have the rules that it was judged by', async () => {
  const asked: string[][] = [];
  const isConfirmed = createConfirmRules(async (ids) => {
    asked.push([...ids]);
    return new Map([
      ['d_1', 3],
      ['d_2', 5],
    ]);
  }, testLimits());
  const first = isConfirmed(submission('d_1', 3));
  const later = Promise.all([
    isConfirmed(submission('d_1', 3)),
    isConfirmed(submission('d_1', 2)),
    isConfirmed(submission('d_2', 5)),
    isConfirmed(submission('d_gone', 1)),
  ]);
  expect([await first, ...(await later)]).toEqual([true, true, false, true, false]);
  expect(asked).toEqual([['d_1'], ['d_1', 'd_2', 'd_gone']]);
});

it('rejects while it cannot be looked up, and works again after', async () => {
  let isAway = true;
  const isConfirmed = createConfirmRules(async () => {
    if (isAway) throw new Error('The database is away.');
    return new Map([['d_1', 1]]);
  }, testLimits());
  await expect(isConfirmed(submission('d_1', 1))).rejects.toThrow('away');
  isAway = false;
  expect(await isConfirmed(submission('d_1', 1))).toBe(true);
});
