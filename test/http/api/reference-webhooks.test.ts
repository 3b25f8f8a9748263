import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TEST_HEADER } from '../../../src/lib/events.ts';
import { startReceiver } from '../../support/receivers.ts';
import { PAGES_DOMAIN, testService } from '../../support/test-service.ts';

/** Headers of every request, whoever sends it. */
const OF_HTTP = ['host', 'connection', 'content-type', 'content-length', 'user-agent'];

const Requests = z.record(
  z.string(),
  z.object({
    post: z.object({
      parameters: z.array(
        z.object({
          in: z.literal('header'),
          name: z.string(),
          required: z.boolean().default(false),
          schema: z.looseObject({ type: z.string(), example: z.unknown() }),
        }),
      ),
      requestBody: z.object({ content: z.object({ 'application/json': z.object({ example: z.unknown() }) }) }),
    }),
  }),
);

const service = await testService({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
const owner = await service.owner();
const document: object = (await service.anonymous.get('/openapi.json')).body;
const webhooks = Requests.parse(Reflect.get(document, 'webhooks'));

const escaped = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');

/** Problems of a value with the schema at a place of the document. */
function problemsOf(value: unknown, ...way: string[]): unknown {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });
  const validate = ajv.addSchema(document, 'reference').getSchema(`reference#/${way.map(escaped).join('/')}`);
  if (!validate) throw new Error(`There is no schema at ${way.join(' ')}`);
  return validate(value) ? [] : validate.errors;
}

describe.each([
  ['generic', undefined, 'submission'],
  ['generic', 'standard', 'standardSubmission'],
  ['slack', undefined, 'slackMessage'],
])('a delivery to a webhook of the type %s, in the format %s', (type, format, name) => {
  it.each([
    ['of a submission', 'submission'],
    ['of a sample', 'sample'],
    ['of a test of the form', 'test'],
  ])('is what the reference says: %s', async (_what, kind) => {
    const described = webhooks[name]?.post;
    if (!described) throw new Error(`The reference has no webhook ${name}`);
    const { example } = described.requestBody.content['application/json'];
    const receiver = await startReceiver();
    const { id } = await owner.deploy({ slug: 'spring-sale' });
    const webhook = await owner.post(`/webhooks/${id}`).send({ url: receiver.url, type, format });
    const fields = { name: 'Ada', email: 'ada@example.org' };
    if (kind === 'sample') await owner.post(`/webhooks/${id}/${webhook.body.id}/test`);
    else if (kind === 'test') await owner.post(`/submissions/${id}/test`).send({ fields });
    else await service.anonymous.post(`/submit/${id}`).send(fields);
    await expect.poll(() => receiver.received.length).toBe(1);
    await owner.delete(`/deploy/${id}`);
    const [received] = receiver.received;
    if (!received) throw new Error('Nothing was received');
    const body = JSON.parse(received.body);

    const schema = ['webhooks', name, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    expect(problemsOf(body, ...schema)).toEqual([]);
    expect(problemsOf(example, ...schema)).toEqual([]);
    if (kind !== 'sample') {
      const [time = ''] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(received.body) ?? [];
      const shown = received.body
        .replace(id, 'd_0VbbZBZKKTcBD17YQfyDgVGm')
        .replace(time, '2026-11-21T11:08:48.298Z')
        .replace(/sub_\w+/, 'sub_0VbbZBZeswpZ5bGpjxVeCiYz')
        .replace(`spring-sale.${PAGES_DOMAIN}`, 'spring-sale.pages.example.net')
        .replace('"test":true', '"test":false');
      expect(shown).toBe(JSON.stringify(example));
    }

    const headers = Object.keys(received.headers).filter((header) => !OF_HTTP.includes(header));
    // A sample has no submission; it and a test of the form say that they are tests.
    const sent = described.parameters.filter(
      ({ required, name: header }) => required || kind !== (header === TEST_HEADER ? 'submission' : 'sample'),
    );
    expect(headers.toSorted()).toEqual(sent.map((header) => header.name).toSorted());
    for (const [index, { name: header, schema: of }] of described.parameters.entries()) {
      if (!headers.includes(header)) continue;
      const text = String(received.headers[header]);
      const place = ['webhooks', name, 'post', 'parameters', String(index), 'schema'];
      expect([header, problemsOf(of.type === 'integer' ? Number(text) : text, ...place)]).toEqual([header, []]);
      expect([header, problemsOf(of.example, ...place)]).toEqual([header, []]);
    }
    if (type === 'generic') {
      expect(received.headers['formhost-page-url']).toBe(`https://spring-sale.${PAGES_DOMAIN}`);
    }
  });
});
