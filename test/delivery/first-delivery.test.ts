import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { multipartBody } from '../support/multipart.ts';
import { startReceiver } from '../support/receivers.ts';
import { JSON_TYPE, type Owner, startTestService, type TestService } from '../support/service.ts';

/*
 * The service runs in this process, and Node tells in it when an answer has been written and when a request is begun.
 */

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  owner = await service.owner();
});
afterAll(() => service.close());

/** A member of what Node tells of a request. */
const said = (message: unknown, member: string): string =>
  message instanceof Object && 'request' in message && message.request instanceof Object
    ? String(Reflect.get(message.request, member))
    : '';

/** What happens from now on, in order: submissions that are answered, deliveries to `receiver` that are begun. */
function noteEvents(receiver: string): string[] {
  const events: string[] = [];
  const onAnswer = (message: unknown): void => {
    const [, id] = /^\/submit\/(\w+)$/.exec(said(message, 'url')) ?? [];
    if (id !== undefined) events.push(`answer ${id}`);
  };
  const onDelivery = (message: unknown): void => {
    if (said(message, 'origin') === receiver) events.push(`delivery ${said(message, 'path').slice(1)}`);
  };
  subscribe('http.server.response.finish', onAnswer);
  subscribe('undici:request:create', onDelivery);
  onTestFinished(() => {
    unsubscribe('http.server.response.finish', onAnswer);
    unsubscribe('undici:request:create', onDelivery);
  });
  return events;
}

const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=b' };
const FILE = multipartBody(['name="f"; filename="a.txt"', 'x']);

it.each<[string, number, Record<string, string>, string | Buffer]>([
  ['one submission', 1, JSON_TYPE, '{"a":1}'],
  ['submissions that come together', 8, JSON_TYPE, '{"a":1}'],
  ['a submission with a file', 1, MULTIPART, FILE],
  ['submissions with a key', 8, { ...JSON_TYPE, 'Idempotency-Key': 'k' }, '{"a":1}'],
])('the visitor is answered before the first delivery begins: %s', async (_what, count, headers, body) => {
  const receiver = await startReceiver();
  const ids = await Promise.all(Array.from({ length: count }, async () => (await owner.deploy()).id));
  for (const id of ids)
    await owner
      .post(`/webhooks/${id}`)
      .send({ url: `${receiver.url}/${id}` })
      .expect(201);
  const events = noteEvents(receiver.url);
  const answers = await Promise.all(ids.map((id) => owner.send('POST', `/submit/${id}`, body, headers)));
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
  await vi.waitFor(() => expect(receiver.received.length).toBe(count), { timeout: 60_000 });
  for (const id of ids) {
    expect(events.filter((event) => event.endsWith(id))).toEqual([`answer ${id}`, `delivery ${id}`]);
  }
});
