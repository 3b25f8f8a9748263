import { describe, expect, it } from 'vitest';
import { answer, refused } from '../../support/answers.ts';
import { readMail, testSmtpServer } from '../../support/smtp.ts';
import { suspendOwner } from '../../support/suspend-owner.ts';
import { asOwner, testService } from '../../support/test-service.ts';

const smtp = await testSmtpServer();
const settings = { SMTP_URL: smtp.url, DEFAULT_PLAN: 'pro' };
const service = await testService({ ...settings, SIGN_UP: 'open' });
const closed = asOwner((await service.another({ ...settings, SIGN_UP: 'closed' })).url, '');

const mailsTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email));

/** The path of the link that an address is sent, once all earlier ones have arrived. */
async function linkTo(email: string): Promise<string> {
  const mails = () => mailsTo(email);
  const before = mails().length;
  await service.anonymous.post('/session/mail').send({ email }).expect(202);
  await expect.poll(() => mails().length, { interval: 20 }).toBe(before + 1);
  const { parts } = readMail(mails().at(-1)?.raw ?? Buffer.alloc(0));
  return /http:\/\/api\.test(\/session\/mail\/[0-9A-Za-z]{43})/.exec(parts[0]?.text ?? '')?.[1] ?? '';
}

const open = (path: string) => service.anonymous.post(path).redirects(0);
const ownersOf = async (email: string): Promise<unknown> => service.db('owners').where({ email }).select('plan');

describe('SIGN_UP=open', () => {
  it('makes an account when the link is opened, on DEFAULT_PLAN and without a key', async () => {
    const path = await linkTo('new@test.example');
    const page = await service.anonymous.get(path).expect(200);
    expect(page.text).toContain('You will get an account for new@test.example, and be signed in in this browser.');
    expect(await ownersOf('new@test.example')).toEqual([]);
    const { headers } = await open(path).expect(303);
    expect(await ownersOf('new@test.example')).toEqual([{ plan: 'pro' }]);
    const cookie = { Cookie: String(headers['set-cookie']).replace(/;.*/, ''), 'Sec-Fetch-Site': 'same-origin' };
    const me = await service.anonymous.get('/me').set(cookie);
    expect(me.body).toMatchObject({ email: 'new@test.example', plan: 'pro', deployment_limit: 100, deployments: 0 });
    expect((await service.anonymous.get('/keys').set(cookie)).body.total).toBe(0);
    expect((await open(path)).status).toBe(404);
  });

  it('answers the same to every address, and leaves the plan of an owner', async () => {
    await service.owner({ email: 'known@test.example', plan: 'unlimited' });
    const ask = (email: string) => service.anonymous.post('/session/mail').send({ email });
    const same = { status: 202, body: { message: 'A mail with a link is on its way' } };
    for (const email of ['known@test.example', 'unknown@test.example']) {
      expect(answer(await ask(email))).toEqual(same);
      await expect.poll(() => mailsTo(email).length).toBe(1);
    }
    const page = await service.anonymous.get(await linkTo('known@test.example'));
    expect(page.text).toContain('You will be signed in as known@test.example');
    await open(await linkTo('known@test.example')).expect(303);
    expect(await ownersOf('known@test.example')).toEqual([{ plan: 'unlimited' }]);
  });

  it('signs in no owner who is suspended', async () => {
    const email = 'halted@test.example';
    await open(await linkTo(email)).expect(303);
    const path = await linkTo(email);
    await suspendOwner(service.db, email);
    expect((await service.anonymous.get(path)).status).toBe(404);
    expect((await open(path)).status).toBe(404);
    await service.anonymous.post('/session/mail').send({ email }).expect(202);
    // The next one is sent after it would have been.
    await linkTo('after-halted@test.example');
    expect(mailsTo(email).length).toBe(2);
    expect(await service.db('sessions').where({ email })).toEqual([]);
  });

  it('makes one account of several links that are opened at once', async () => {
    const paths = [await linkTo('twice@test.example'), await linkTo('twice@test.example')];
    const statuses = await Promise.all(paths.map(async (path) => (await open(path)).status));
    expect(statuses).toEqual([303, 303]);
    expect(await ownersOf('twice@test.example')).toEqual([{ plan: 'pro' }]);
  });

  it('makes none of a link that has expired, or is opened once signing up is closed', async () => {
    const path = await linkTo('late@test.example');
    expect((await closed.get(path)).status).toBe(404);
    expect((await closed.post(path).redirects(0)).status).toBe(404);
    await service.db('sign_in_links').where({ email: 'late@test.example' }).update({ expires_at: new Date() });
    expect((await open(path)).status).toBe(404);
    expect(await ownersOf('late@test.example')).toEqual([]);
  });

  it('limits the links of an address and of a network as for owners', async () => {
    for (let count = 0; count < 5; count += 1) await linkTo('flood@test.example');
    const refusal = await service.anonymous.post('/session/mail').send({ email: 'flood@test.example' });
    expect(answer(refusal)).toEqual(refused(429));
  });
});

describe('SIGN_UP=closed', () => {
  it('sends nothing to an address without an account, and says the same to all', async () => {
    await service.owner({ email: 'member@test.example' });
    for (const email of ['stranger@test.example', 'member@test.example']) {
      expect(answer(await closed.post('/session/mail').send({ email }))).toEqual({
        status: 202,
        body: { message: 'If this address has an account, a mail with a link is on its way' },
      });
    }
    await expect.poll(() => smtp.received.some(({ to }) => to.includes('member@test.example'))).toBe(true);
    expect(smtp.received.some(({ to }) => to.includes('stranger@test.example'))).toBe(false);
  });
});
