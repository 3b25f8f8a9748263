import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Challenge, createAltcha } from '../src/altcha.ts';
import { answer, aTime, refused } from './support/answers.ts';
import { type Owner, startTestService, type TestService, UNKNOWN_ID } from './support/service.ts';

let service: TestService;
let owner: Owner;
let other: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
  other = await service.owner();
});
afterAll(() => service.close());

const aSubmission = expect.stringMatching(/^sub_[0-9A-Za-z]{24}$/);

const formWith = async (spam: object, who = owner): Promise<string> => {
  const { id } = await who.deploy();
  await who.patch(`/deploy/${id}`).send({ spam }).expect(200);
  return id;
};
const submit = async (id: string, data: object): Promise<string> => {
  const response = await service.anonymous.post(`/submit/${id}`).send(data);
  expect(answer(response)).toEqual({ status: 200, body: { message: 'Submission received', id: aSubmission } });
  return response.body.id;
};
const spamOf = async (id: string, query = '') => (await owner.get(`/deploy/${id}/spam${query}`).expect(200)).body;
const listOf = async (id: string) => (await owner.get(`/submissions/${id}`).expect(200)).body;

const challengeFor = async (deployment: string): Promise<Challenge> =>
  (await service.anonymous.get('/altcha/challenge').query({ deployment }).expect(200)).body;
/** What the widget sends. */
async function tokenOf(challenge: Challenge): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}
const solve = async (deployment: string): Promise<string> => tokenOf(await challengeFor(deployment));

describe('a blocklist', () => {
  it('keeps apart what has one of its words, and the sender gets the answer of a success', async () => {
    const id = await formWith({ blocklist: ['casino', 'Kaſino'] });
    const first = await submit(id, { text: 'The best CASINO' });
    const second = await submit(id, { 'cas\u0069nos': 1 });
    const ok = await submit(id, { text: 'cas ino' });
    expect(await spamOf(id)).toEqual({
      submissions: [
        { id: second, data: { casinos: 1 }, ip_address: '127.0.0.1', created_at: aTime, reason: 'blocklist' },
        {
          id: first,
          data: { text: 'The best CASINO' },
          ip_address: '127.0.0.1',
          created_at: aTime,
          reason: 'blocklist',
        },
      ],
      total: 2,
      page: 1,
      limit: 50,
    });
    const { submissions, total } = await listOf(id);
    expect([total, submissions.map((one: { id: string }) => one.id)]).toEqual([1, [ok]]);
  });
});

describe('ALTCHA', () => {
  it('accepts a solution once', async () => {
    const id = await formWith({ captcha: { provider: 'altcha' } });
    const altcha = await solve(id);
    const accepted = await submit(id, { name: 'Ada', altcha });
    const again = await submit(id, { name: 'Ada', altcha });
    const missing = await submit(id, { name: 'Ada' });
    const wrong = await submit(id, { name: 'Ada', altcha: 'x' });
    expect((await spamOf(id)).submissions.map((one: { id: string; reason: string }) => [one.id, one.reason])).toEqual([
      [wrong, 'captcha-failed'],
      [missing, 'captcha-missing'],
      [again, 'captcha-reused'],
    ]);
    expect((await listOf(id)).submissions).toEqual([
      { id: accepted, data: { name: 'Ada', altcha }, ip_address: '127.0.0.1', created_at: aTime },
    ]);
  });
});

describe('release', () => {
  it('accepts', async () => {
    const id = await formWith({ blocklist: ['x'] });
    const sub = await submit(id, { a: 'x' });
    expect(answer(await owner.post(`/deploy/${id}/spam/${sub}/release`))).toEqual({
      status: 200,
      body: { message: 'Submission released', id: sub },
    });
    expect((await listOf(id)).submissions).toEqual([
      { id: sub, data: { a: 'x' }, ip_address: '127.0.0.1', created_at: aTime },
    ]);
    expect((await spamOf(id)).total).toBe(0);
    expect(answer(await owner.post(`/submissions/${id}/bulk`).send({ action: 'spam', ids: [sub] }))).toEqual({
      status: 200,
      body: { done: 1 },
    });
    expect((await spamOf(id)).submissions).toEqual([
      { id: sub, data: { a: 'x' }, ip_address: '127.0.0.1', created_at: aTime, reason: 'marked' },
    ]);
    expect((await listOf(id)).total).toBe(0);
    await owner.post(`/deploy/${id}/spam/${sub}/release`).expect(200);
    expect(answer(await owner.delete(`/deploy/${id}/spam/${sub}`))).toEqual(refused(404));
  });
});
