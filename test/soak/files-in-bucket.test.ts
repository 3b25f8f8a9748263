import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bucketCrashes, isUpload } from '../support/bucket-crashes.ts';
import { record } from '../support/figures.ts';
import { type S3, startS3 } from '../support/s3.ts';

const KILLS = 6;

let s3: S3;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.close());

const { stand, serve, submit, contentsOf, killAt, expectConsistent } = bucketCrashes(() => s3);

it('killed again and again while it stores, keeps every file of each acknowledged submission', async () => {
  const place = await stand();
  let service = await serve(place);
  const ids = await Promise.all(Array.from({ length: 12 }, async () => (await service.owner.deploy()).id));
  const acknowledged = new Map<string, Buffer[]>();
  for (let round = 0; round < KILLS; round += 1) {
    const { killed } = killAt(() => service.child, 3 + 3 * round, isUpload);
    const sending = ids.map(async (id) => {
      const own = randomBytes(100_000);
      if ((await submit(service, id, own)) === 200) acknowledged.set(id, [own, ...(acknowledged.get(id) ?? [])]);
    });
    const all = Promise.all(sending);
    await Promise.race([killed, all]);
    service.child.kill('SIGKILL');
    await all;
    await service.result;
    s3.behave();
    service = await serve(place);
  }
  let lost = 0;
  for (const [id, contents] of acknowledged) {
    const found = await contentsOf(service, id);
    for (const content of contents) if (!found.some((one) => one.equals(content))) lost += 1;
  }
  const sent = [...acknowledged.values()].flat().length;
  record('files-in-bucket', { kills: KILLS, acknowledged: sent, lost });
  expect([lost, sent > 0]).toEqual([0, true]);
  await service.stop();
  await expectConsistent(place);
});
