import { expect, it, onTestFinished, vi } from 'vitest';
import { seenMails } from '../support/mail.ts';
import { startServiceProcess } from '../support/process.ts';
import { BASE_URL, PAGES_DOMAIN, startTestService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp.ts';
import { storeTexts } from '../support/stored-submissions.ts';

const PATIENCE = { timeout: 20_000, interval: 20 };
const HOUR_MS = 60 * 60 * 1_000;
const SETTINGS = { DELIVERY_RETRY_DELAYS: '0.2,0.2,0.2,0.5,0.5,1,1,1,1,1,1,1,1,1,1' };
const COUNT = 40;

type Page = { id: string; slug: string };

/** A time so many hours before the one that is open now. */
const ago = (hours: number): Date =>
  new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS + 5 * 60_000);

const digestOf = (count: number, slug: string) =>
  `${count === 1 ? '1 new submission' : `${count} new submissions`} for ${slug}`;

it('digests of many deployments come once for each window over several processes that are killed, and while the mail server is away', {
  timeout: 120_000,
}, async () => {
  const place = await startTestService(SETTINGS);
  onTestFinished(() => place.close());
  const server = await startSmtpServer({ delayMs: 50 });
  const { port } = server;
  onTestFinished(() => server.close());
  const its = await place.owner();
  const pages: Page[] = [];
  for (let made = 0; made < COUNT; made += 1) {
    const { id, slug } = await its.deploy();
    await its.patch(`/deploy/${id}`).send({ email_notifications: true, notify_every: 'hour' }).expect(200);
    pages.push({ id, slug });
  }
  const times = [ago(3), ago(1), ago(1)];
  for (const { id } of pages) await storeTexts(place.db, id, Array(3).fill('{"name":"Ada"}'), { times });
  await server.close();
  const start = () =>
    startServiceProcess({
      ...SETTINGS,
      BASE_URL,
      PAGES_DOMAIN,
      DATABASE_URL: place.databaseUrl,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      DELIVERY_TIMEOUT_MS: '1000',
      DELIVERY_LEASE_MS: '1500',
      LOG_LEVEL: 'silent',
    });
  const processes = await Promise.all([start(), start()]);
  for (const { child } of processes) onTestFinished(() => void child.kill('SIGKILL'));
  await Promise.all(processes.map(({ ready }) => ready()));
  await place.db('digests').update({ next_at: place.db.raw("now() - interval '1 second'") });
  const made = () => place.db('deliveries').where({ event: 'digest' });
  await vi.waitFor(async () => expect((await made()).length).toBeGreaterThan(3), PATIENCE);
  processes[0]?.child.kill('SIGKILL');
  const third = await start();
  onTestFinished(() => void third.child.kill('SIGKILL'));
  await third.ready();
  const back = await startSmtpServer({ port, delayMs: 5 });
  onTestFinished(() => back.close());
  await vi.waitFor(
    async () => {
      const rows = await made();
      expect(rows.filter(({ status }) => status === 'succeeded').length).toBe(2 * COUNT);
    },
    { timeout: 60_000, interval: 100 },
  );
  const rows = await made();
  const windows = rows.map(({ deployment_id, notice }) => `${deployment_id} ${notice}`);
  expect([rows.length, new Set(windows).size]).toEqual([2 * COUNT, 2 * COUNT]);
  // A killed process may have sent one whose outcome it could not store: it comes again, with the same Message-ID.
  const mails = [...seenMails(server), ...seenMails(back)];
  expect(new Set(mails.map(({ id }) => id)).size).toBe(2 * COUNT);
  for (const { slug } of pages) {
    const subjects = new Set(mails.map(({ subject }) => subject).filter((subject) => subject.endsWith(` for ${slug}`)));
    expect([...subjects].sort()).toEqual([digestOf(1, slug), digestOf(2, slug)]);
  }
});
