import { expect, it, onTestFinished } from 'vitest';
import { wrongRounds } from '../support/rate-rounds.ts';
import { startTestService } from '../support/service.ts';

it('takes exactly 10 of 50 submissions that come at once to two services on one database', async () => {
  const service = await startTestService();
  onTestFinished(service.close);
  const other = await service.another();
  expect(await wrongRounds(await service.owner(), [service.url, other.url], 10)).toEqual([]);
});
