import { expect, it, onTestFinished, vi } from 'vitest';
import { newWebhookId } from '../../src/lib/ids.ts';
import { median, ms } from '../support/figures.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startTestService } from '../support/service.ts';

const soon = (holds: () => unknown): Promise<unknown> => vi.waitFor(holds, { timeout: 30_000, interval: 10 });

it('fifty dead receivers slow no live one', async () => {
  const service = await startTestService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  onTestFinished(service.close);
  const arrivals = new Map<string, () => void>();
  const live = await startReceiver((response, { body }) => {
    arrivals.get(JSON.parse(body).data.n)?.();
    response.end();
  });
  const dead: Receiver[] = [];
  for (let n = 0; n < 50; n += 1) dead.push(await startReceiver(() => undefined));
  const owner = await service.owner();
  const forms: string[] = [];
  for (let n = 0; n < 5; n += 1) forms.push((await owner.deploy()).id);
  // Every form has all of the receivers, one of them a hundred deliveries due to each dead one.
  await service.db.raw(
    `INSERT INTO webhooks (id, deployment_id, url, receiver, type, events)
     SELECT id, form, url, url, 'generic', '{submission}' FROM json_to_recordset(?) AS webhook (id text, form text, url text)`,
    [JSON.stringify(forms.flatMap((form) => [live, ...dead].map(({ url }) => ({ id: newWebhookId(), form, url }))))],
  );
  await service.db.raw(
    `INSERT INTO deliveries (id, deployment_id, webhook_id, receiver, next_attempt_at, created_at, updated_at)
     SELECT format('dl_%s_%s', id, n), deployment_id, id, receiver, now(), now(), now()
       FROM webhooks, generate_series(1, 100) AS n
      WHERE deployment_id = (SELECT min(id) FROM deployments) AND url <> ?`,
    [live.url],
  );
  const expectTries = () => expect(dead.filter(({ connections }) => connections.open === 0)).toEqual([]);
  await soon(expectTries);

  const times: number[] = [];
  for (let n = 0; n < 45; n += 1) {
    const arrival = Promise.withResolvers<void>();
    arrivals.set(`${n}`, arrival.resolve);
    const sentAt = performance.now();
    await service.anonymous
      .post(`/submit/${forms[n % forms.length]}`)
      .send({ n: `${n}` })
      .expect(200);
    await arrival.promise;
    times.push(performance.now() - sentAt);
  }
  expectTries();
  console.log(`dead receivers: the first attempt at a live one comes after ${ms(median(times))} (median)`);
});
