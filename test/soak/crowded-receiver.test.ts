import { expect, it, onTestFinished, vi } from 'vitest';
import { createKey } from '../../src/db/account/owners.ts';
import { connect } from '../../src/db/postgres/connect.ts';
import { ms, quantile, record } from '../support/figures.ts';
import { cloneDatabase } from '../support/fresh-database.ts';
import { testLimits } from '../support/limits.ts';
import { startServiceProcess } from '../support/process.ts';
import { startReceiver } from '../support/receivers.ts';
import { asOwner, BASE_URL, JSON_TYPE, type Owner, PAGES_DOMAIN } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp.ts';

/** What one owner has waiting. */
const WAITING = 600;
/** What the receiver takes for each delivery, and the mail server for each mail. */
const ANSWER_MS = 1_000;
const MAIL_MS = 200;
/** Submissions of the other owner, one after another, while the first half of these goes out. */
const TRIES = 8;

/** A form of an owner, and how many deliveries of it have arrived. */
type Form = { id: string; submit(n: number): Promise<void>; arrived: () => number };

/**
 * How long each submission of an owner takes to arrive, at first while nothing else goes on, then while another owner
 * has WAITING deliveries due at the same receiver; and how many of these had arrived when the last of the owner's did.
 */
async function measure(crowd: Form, other: Form, crowdIsDue: () => Promise<unknown>) {
  const waitOf = async (n: number): Promise<number> => {
    const before = other.arrived();
    const sentAt = performance.now();
    await other.submit(n);
    await vi.waitFor(() => expect(other.arrived()).toBeGreaterThan(before), { timeout: 120_000, interval: 2 });
    return performance.now() - sentAt;
  };
  const alone = [await waitOf(0)];
  await crowdIsDue();
  const beside: number[] = [];
  while (beside.length < TRIES) {
    const due = (WAITING / 2 / TRIES) * (1 + beside.length);
    await vi.waitFor(() => expect(crowd.arrived()).toBeGreaterThan(due), { timeout: 60_000, interval: 2 });
    beside.push(await waitOf(1 + beside.length));
  }
  return { alone, beside, arrived: crowd.arrived() };
}

async function startTwoProcesses(more: Record<string, string> = {}) {
  const database = await cloneDatabase();
  onTestFinished(database.drop);
  const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url, LOG_LEVEL: 'silent', ...more };
  const services = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
  onTestFinished(async () => void (await Promise.all(services.map((service) => service.stop()))));
  await Promise.all(services.map((service) => service.ready()));
  const db = connect({ connectionString: database.url }, { limits: testLimits() });
  onTestFinished(() => db.close());
  const owner = async (name: string): Promise<Owner> =>
    asOwner(
      services[0].url,
      await createKey(db, { email: `${name}@test.example`, plan: undefined, defaultPlan: 'unlimited' }),
    );
  const submit = async (id: string, n: number): Promise<void> => {
    const response = await fetch(`${services[n % 2 === 0 ? 0 : 1].url}/submit/${id}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ n }),
    });
    expect(response.status).toBe(200);
  };
  /** As a burst of submissions to many forms of its owner leaves them. */
  const addDue = (id: string) =>
    db.raw(
      `INSERT INTO deliveries (id, deployment_id, owner_id, webhook_id, notice, receiver, next_attempt_at, created_at, updated_at)
       SELECT format('dl_%s_%s', :id::text, n), deployments.id, owner_id, webhooks.id, CASE WHEN webhooks.id IS NULL THEN 'A notice.' END,
              coalesce(receiver, '@mail'), now(), now(), now()
         FROM generate_series(1, :count::int) AS n, deployments LEFT JOIN webhooks ON deployment_id = deployments.id WHERE deployments.id = :id`,
      { id, count: WAITING },
    );
  return { owner, submit, addDue };
}

function report(what: string, { alone, beside, arrived }: Awaited<ReturnType<typeof measure>>): void {
  record(`crowded-receiver: ${what}`, {
    [`beside ${WAITING} of another owner, median`]: ms(quantile(beside, 0.5)),
    worst: ms(quantile(beside, 1)),
    'without them': ms(quantile(alone, 1)),
  });
  // By the time the last of the one owner has arrived, first come, first served would have sent all of the other's.
  expect(arrived).toBeLessThan(WAITING);
}

it('delivers of one owner at once to a receiver where another has hundreds waiting', async () => {
  const { owner, submit, addDue } = await startTwoProcesses({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  const arrived = new Map<string, number>();
  const receiver = await startReceiver((response, { path }) => {
    arrived.set(path, (arrived.get(path) ?? 0) + 1);
    setTimeout(() => response.end(), ANSWER_MS);
  });
  const makeForm = async (name: string): Promise<Form> => {
    const its = await owner(name);
    const { id } = await its.deploy();
    await its
      .post(`/webhooks/${id}`)
      .send({ url: `${receiver.url}/${name}` })
      .expect(201);
    return { id, submit: (n) => submit(id, n), arrived: () => arrived.get(`/${name}`) ?? 0 };
  };
  const [crowd, other] = [await makeForm('crowd'), await makeForm('other')];
  report('a webhook', await measure(crowd, other, () => addDue(crowd.id)));
});

it('mails one owner at once while another has hundreds of mails waiting', async () => {
  const smtp = await startSmtpServer({ delayMs: MAIL_MS });
  onTestFinished(() => smtp.close());
  const { owner, submit, addDue } = await startTwoProcesses({ SMTP_URL: smtp.url });
  const makeForm = async (name: string): Promise<Form> => {
    const its = await owner(name);
    const { id } = await its.deploy();
    await its.patch(`/deploy/${id}`).send({ email_notifications: true }).expect(200);
    return {
      id,
      submit: (n) => submit(id, n),
      arrived: () => smtp.received.filter(({ to }) => to.includes(`${name}@test.example`)).length,
    };
  };
  const [crowd, other] = [await makeForm('crowd'), await makeForm('other')];
  report('a mail', await measure(crowd, other, () => addDue(crowd.id)));
});
