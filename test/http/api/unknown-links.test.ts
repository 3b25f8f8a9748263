import { expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { BASE_URL, testService } from '../../support/test-service.ts';

const MAX = SIZES.unknownKeys.max;
const [FIRST, SECOND] = ['192.0.2.1', '198.51.100.1'];

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url, TRUST_PROXY: '1', ANONYMOUS_HOURS: '1' });
const owner = await service.owner({ email: 'owner@test.example' });

let made = 0;
/** A token that could be one, and is none. */
const madeUp = (): string => {
  made += 1;
  return String(made).padStart(43, '0');
};
const from = (network: string) => ({ 'X-Forwarded-For': network });
const get = (path: string, network: string) => service.anonymous.get(path).set(from(network)).redirects(0);
const post = (path: string, network: string) =>
  service.anonymous
    .post(path)
    .set({ ...from(network), Origin: BASE_URL })
    .redirects(0);
const claim = (token: string, network: string) => owner.post('/claims').set(from(network)).send({ token });

async function linkTo(address: string, path: string): Promise<string> {
  const all = () => smtp.received.filter(({ to }) => to.includes(address));
  await expect.poll(() => all().length, { interval: 20 }).toBe(1);
  const text = readMail(all()[0]?.raw ?? Buffer.alloc(0)).parts[0]?.text ?? '';
  return new RegExp(`${BASE_URL}(${path}/[0-9A-Za-z]{43})`).exec(text)?.[1] ?? '';
}

it('refuses a network that tries very many, and no link that works', async () => {
  const { id } = await owner.deploy();
  await owner.post(`/deploy/${id}/guests`).send({ email: 'guest@test.example', role: 'reader' }).expect(201);
  await service.anonymous.post('/session/mail').send({ email: 'owner@test.example' }).expect(202);
  await owner.patch('/me').send({ email: 'new@test.example' }).expect(200);
  const published = await service.anonymous.post('/publish').send({ html: '<h1>Hello</h1>' }).expect(201);
  const invitation = await linkTo('guest@test.example', '/invitations');
  const signIn = await linkTo('owner@test.example', '/session/mail');
  const newAddress = await linkTo('new@test.example', '/me/email');

  const tries = [
    () => get(`/session/mail/${madeUp()}`, FIRST),
    () => post(`/session/mail/${madeUp()}`, FIRST),
    () => get(`/invitations/${madeUp()}`, FIRST),
    () => post(`/invitations/${madeUp()}`, FIRST),
    () => get(`/me/email/${madeUp()}`, FIRST),
    () => post(`/me/email/${madeUp()}`, FIRST),
    () => claim(madeUp(), FIRST),
  ];
  for (let count = 0; count < MAX; count += tries.length) {
    const answers = await Promise.all(tries.slice(0, MAX - count).map((one) => one()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect(answers.every(({ headers }) => String(headers.ratelimit).startsWith('"unknown-links"; r='))).toBe(true);
  }
  for (const one of tries) {
    const { status, headers } = await one();
    expect([status, headers['error-code']]).toEqual([429, 'too-many-unknown-links']);
    expect(headers.ratelimit).toMatch(/^"unknown-links"; r=0; t=\d+$/);
    expect(headers['retry-after']).toMatch(/^\d+$/);
  }
  // Another network is not counted with it.
  expect((await get(`/session/mail/${madeUp()}`, SECOND)).status).toBe(404);
  // A link that works does so in both.
  for (const network of [FIRST, SECOND]) {
    for (const link of [invitation, signIn, newAddress]) {
      const { status, headers } = await get(link, network);
      expect([link, status, headers.ratelimit]).toEqual([link, 200, undefined]);
    }
  }
  for (const link of [invitation, signIn]) expect((await post(link, FIRST)).status).toBe(303);
  expect((await post(newAddress, FIRST)).status).toBe(200);
  expect((await claim(published.body.claim_url.slice(-43), FIRST)).status).toBe(200);
});
