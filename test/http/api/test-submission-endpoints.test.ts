import { expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { answer, refused } from '../../support/answers.ts';
import { testService } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

const MARK = { test: 'This is a test, and was sent by the owner of the page.' };

it('POST /submissions/:deployId/test stores a submission that says it is a test', async () => {
  const { id } = await owner.deploy();
  const sent = await owner.post(`/submissions/${id}/test`).send({ fields: { name: 'Ada', test: 'no' } });
  const submission = expect.stringMatching(/^sub_[0-9A-Za-z]{24}$/);
  expect(answer(sent)).toEqual({ status: 200, body: { message: 'Test submission received', id: submission } });
  await owner.post(`/submissions/${id}/test`).expect(200);
  const { body } = await owner.get(`/submissions/${id}`);
  expect(body.submissions).toMatchObject([{ data: MARK }, { id: sent.body.id, data: { name: 'Ada', ...MARK } }]);
});

it('is accepted where a visitor would have to solve a captcha', async () => {
  const { id } = await owner.deploy();
  await owner.patch(`/deploy/${id}`).send({ spam: { captcha: { provider: 'altcha' } } });
  await owner.post(`/submissions/${id}/test`).send({ fields: { name: 'Ada' } });
  expect((await owner.get(`/submissions/${id}`)).body.total).toBe(1);
});

it('refuses values that are no strings, and too many fields', async () => {
  const { id } = await owner.deploy();
  const send = async (fields: unknown) => answer(await owner.post(`/submissions/${id}/test`).send({ fields }));
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, '']));
  expect((await send(many(SIZES.submission.maxFields - 1))).status).toBe(200);
  for (const fields of [many(SIZES.submission.maxFields), { n: 1 }, [], 'x'])
    expect(await send(fields)).toEqual(refused(400));
});

it('counts for the limit of submissions, and in the metrics', async () => {
  const { id } = await owner.deploy();
  const send = () => owner.post(`/submissions/${id}/test`);
  const registry = await service.exposeMetrics();
  const counted = async (outcome: string): Promise<number> => {
    const line = new RegExp(`^formhost_submissions_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm');
    return Number(line.exec(await registry.metrics())?.[1] ?? 0);
  };
  const [accepted, limited] = [await counted('accepted'), await counted('rate-limited')];
  for (let n = 0; n < SIZES.submissionRate.max; n += 1) await send().expect(200);
  const { status, headers } = await send();
  expect([status, Number(headers['retry-after'])]).toEqual([429, expect.any(Number)]);
  expect([await counted('accepted'), await counted('rate-limited')]).toEqual([
    accepted + SIZES.submissionRate.max,
    limited + 1,
  ]);
  expect((await service.anonymous.post(`/submit/${id}`).send({ a: 1 })).status).toBe(429);
});
