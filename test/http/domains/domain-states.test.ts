import { expect, it } from 'vitest';
import { startDnsServer } from '../../support/dns-server.ts';
import { mailsWith, seenMails } from '../../support/mail.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { asOwner, type Owner, testService } from '../../support/test-service.ts';

const HOUR_MS = 60 * 60 * 1_000;

const dns = await startDnsServer();
const smtp = await testSmtpServer();
const service = await testService({ DNS_SERVERS: dns.address, DOMAINS_TARGET: 'edge.example', SMTP_URL: smtp.url });
const other = await service.another();
const { db } = service;

const ago = (hours: number): Date => new Date(Date.now() - hours * HOUR_MS);

/** An owner's deployment with a claim to a domain, in a status. */
async function claim(domain: string, status: string, as?: Owner) {
  const owner = as ?? (await service.owner());
  const { id, slug } = await owner.deploy();
  const row = { deployment_id: id, domain };
  // Not due, so that only the test looks it up.
  const notDue = { next_check_at: new Date(Date.now() + 24 * HOUR_MS) };
  await db('domains').insert({ ...row, ...notDue, status });
  const { body } = await owner.get(`/deploy/${id}/domains`).expect(200);
  const path = `/deploy/${id}/domains/${domain}/check`;
  return {
    ...{ id, slug, owner, proof: String(body.domains[0].records[0].value) },
    check: async (url = service.url) => (await asOwner(url, owner.key).post(path).expect(200)).body,
    change: (values: object) => db('domains').where(row).update(values),
    read: () => db('domains').where(row).first(),
  };
}

it('a live domain is broken once its proof has been gone for the grace, and its owner gets one mail', async () => {
  const { check, change, read, slug } = await claim('gone.example', 'live');
  expect(await check()).toMatchObject({ status: 'live', problem: expect.stringContaining('NXDOMAIN') });
  const { proof_gone_at: since } = await read();
  expect(since).toBeInstanceOf(Date);
  await change({ proof_gone_at: ago(71) });
  expect(await check()).toMatchObject({ status: 'live' });
  const { proof_gone_at: kept, next_check_at: next } = await read();
  expect(kept.getTime()).toBeLessThan(since.getTime());
  // The end of the grace, which is before the daily look-up.
  expect(next.getTime()).toBe(kept.getTime() + 72 * HOUR_MS);
  await change({ proof_gone_at: ago(73) });
  const answers = await Promise.all([check(), check(other.url), check(), check(other.url)]);
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill('broken'));
  const subject = `${slug} is no longer served at gone.example`;
  const [mail] = await mailsWith(smtp, subject, 1);
  expect(mail?.text).toContain('The TXT record of _formhost.gone.example is missing: DNS answered NXDOMAIN.');
  expect(await db('deliveries').where({ event: 'domain-broken' })).toHaveLength(1);
});

it('a proof that is found ends the time of grace, and makes a broken domain live', async () => {
  const { check, change, proof, read } = await claim('back.example', 'broken');
  await change({ proof_gone_at: ago(100) });
  dns.replies.set('TXT _formhost.back.example', [proof]);
  expect(await check()).toMatchObject({ status: 'live' });
  expect(await read()).toMatchObject({ proof_gone_at: null });
  dns.replies.set('TXT _formhost.back.example', []);
  expect(await check()).toMatchObject({ status: 'live' });
});

it('a claimant gets a domain whose proof of another deployment has gone, at once and in all processes', async () => {
  const holder = await claim('moved.example', 'live');
  const claimant = await claim('moved.example', 'pending');
  dns.replies.set('TXT _formhost.moved.example', [holder.proof, claimant.proof]);
  expect(await claimant.check()).toMatchObject({
    status: 'pending',
    problem:
      'The domain is live at another page, whose TXT record is still in DNS. Remove that record to use the domain here.',
  });
  expect(await holder.check()).toMatchObject({ status: 'live' });
  dns.replies.set('TXT _formhost.moved.example', [claimant.proof]);
  expect(await claimant.check()).toMatchObject({ status: 'live' });
  expect((await holder.owner.get(`/deploy/${holder.id}/domains`)).body.domains).toMatchObject([
    {
      status: 'broken',
      problem: 'The domain is live at another page now, whose TXT record DNS has in place of yours.',
    },
  ]);
  await mailsWith(smtp, `${holder.slug} is no longer served at moved.example`, 1);
});

it('a deleted deployment keeps no domain from a claimant, and gets it back only with its own proof', async () => {
  const deleted = await claim('trash.example', 'live');
  await deleted.owner.delete(`/deploy/${deleted.id}`).expect(200);
  const claimant = await claim('trash.example', 'pending');
  dns.replies.set('TXT _formhost.trash.example', [deleted.proof, claimant.proof]);
  expect(await claimant.check()).toMatchObject({ status: 'live' });
  await deleted.owner.post(`/trash/${deleted.id}/restore`).send({}).expect(200);
  expect(await deleted.check()).toMatchObject({ status: 'broken' });
  dns.replies.set('TXT _formhost.trash.example', [deleted.proof]);
  expect(await deleted.check()).toMatchObject({ status: 'live' });
});

it('a claim that is removed during its look-up takes the domain from nobody', async () => {
  const holder = await claim('removed.example', 'live');
  const claimant = await claim('removed.example', 'pending');
  const reply = Promise.withResolvers<readonly string[]>();
  dns.replies.set('TXT _formhost.removed.example', reply.promise);
  const path = `/deploy/${claimant.id}/domains/removed.example`;
  const [answer] = await Promise.all([
    claimant.owner.post(`${path}/check`),
    expect
      .poll(() => dns.questions.includes('TXT _formhost.removed.example'))
      .toBe(true)
      .then(() => claimant.owner.delete(path).expect(200))
      .then(() => reply.resolve([claimant.proof])),
  ]);
  expect(answer.status).toBe(404);
  expect(await holder.read()).toMatchObject({ status: 'live', proof_gone_at: null });
});

it('one of two claimants gets a domain when both look it up at the same time', async () => {
  const claimants = [await claim('both.example', 'pending'), await claim('both.example', 'pending')];
  dns.replies.set(
    'TXT _formhost.both.example',
    claimants.map(({ proof }) => proof),
  );
  const answers = await Promise.all(claimants.map(({ check }, n) => check(n ? other.url : service.url)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['live', 'pending']);
});

it('a look-up is due a day after the last, 10 % earlier or later, and for pending domains the later the older they are', async () => {
  const hoursToNext = async ({ check, read }: Awaited<ReturnType<typeof claim>>): Promise<number> => {
    await check();
    const { next_check_at: next, checked_at: checked } = await read();
    return (next.getTime() - checked.getTime()) / HOUR_MS;
  };
  const live = await claim('daily.example', 'live');
  dns.replies.set('TXT _formhost.daily.example', [live.proof]);
  const hours = [await hoursToNext(live), await hoursToNext(live)];
  for (const each of hours) expect(Math.abs(each - 24)).toBeLessThanOrEqual(2.4);
  expect(hours[0]).not.toBe(hours[1]);
  const pending = await claim('later.example', 'pending');
  expect(await hoursToNext(pending)).toBeCloseTo(1 / 60);
  await pending.change({ created_at: ago(8) });
  expect(await hoursToNext(pending)).toBeCloseTo(2);
  await pending.change({ created_at: ago(1_000) });
  expect(await hoursToNext(pending)).toBeCloseTo(24);
});

it('a domain in the trash is not looked up when it is due, and each due one is by one process', async () => {
  const trashed = await claim('trashed.example', 'live');
  await trashed.owner.delete(`/deploy/${trashed.id}`).expect(200);
  const due = [await claim('due1.example', 'live'), await claim('due2.example', 'live')];
  for (const each of [trashed, ...due]) await each.change({ next_check_at: ago(1) });
  const asked = (name: string) => dns.questions.filter((one) => one === `TXT _formhost.${name}`).length;
  // A further domain wakes the loop.
  const { id } = await trashed.owner.deploy();
  await trashed.owner.post(`/deploy/${id}/domains`).send({ domain: 'wakes.example' }).expect(201);
  const now = new Date();
  const state = async () => ({
    notDue: (await Promise.all([trashed, ...due].map(({ read }) => read()))).every((row) => row.next_check_at > now),
    checked: (await Promise.all(due.map(({ read }) => read()))).every((row) => row.checked_at !== null),
  });
  await expect.poll(state).toEqual({ notDue: true, checked: true });
  expect(['trashed.example', 'due1.example', 'due2.example'].map(asked)).toEqual([0, 1, 1]);
  expect(seenMails(smtp).filter(({ subject }) => /trashed|due/.test(subject))).toEqual([]);
});
