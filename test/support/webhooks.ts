import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { aTime } from './answers.ts';
import type { Received } from './receivers.ts';
import type { Owner, TestService } from './test-service.ts';

/** A delivery as the log of its webhook shows it. */
type Logged = {
  id: string;
  submission_id: string | null;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  updated_at: string;
  created_at: string;
};

/** A page with a webhook, by its path. */
export type Form = { id: string; slug: string; webhook: string };

export const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 60_000, interval: 10 });

/** A delivery in a log: as a test that succeeded at once, except for `more`. */
export const aDelivery = (more: object) => ({
  id: expect.stringMatching(/^\S+$/),
  submission_id: null,
  status: 'succeeded',
  attempts: 1,
  next_attempt_at: null,
  last_status: 200,
  last_error: null,
  created_at: aTime,
  updated_at: aTime,
  ...more,
});

/** Returns whether a request is signed with a secret, as receivers check it. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])));
    return true;
  } catch {
    return false;
  }
}

/** The last part of a path: an id. */
export const idIn = (path: string): string => path.replace(/.*\//, '');

/** The pages of an owner with their webhooks, which are named by their paths. */
export class Forms {
  readonly #service: TestService;
  readonly #owner: Owner;

  constructor(service: TestService, owner: Owner) {
    this.#service = service;
    this.#owner = owner;
  }

  /** Adds a webhook to a page. */
  async addWebhook(id: string, url: string, type = 'generic'): Promise<string> {
    const { body } = await this.#owner.post(`/webhooks/${id}`).send({ url, type }).expect(201);
    return `/webhooks/${id}/${body.id}`;
  }

  /** A new page with a webhook. */
  async to(url: string): Promise<Form> {
    const { id, slug } = await this.#owner.deploy();
    return { id, slug, webhook: await this.addWebhook(id, url) };
  }

  submit(id: string, text = '{"name":"Ada"}'): Promise<string> {
    return this.#service.submit(id, text);
  }

  /** Has a sample sent; the delivery's id. */
  async test(webhook: string): Promise<string> {
    return (await this.#owner.post(`${webhook}/test`).expect(202)).body.id;
  }

  async retry(webhook: string, deliveryId: string): Promise<void> {
    await this.#owner.post(`${webhook}/deliveries/${deliveryId}/retry`).expect(202);
  }

  async secret(webhook: string): Promise<string> {
    return (await this.#owner.get(`${webhook}/secret`).expect(200)).body.secret;
  }

  /** Returns whether the only webhook of a page is on. */
  async isActive({ id }: { id: string }): Promise<boolean> {
    return (await this.#owner.get(`/webhooks/${id}`).expect(200)).body.webhooks[0].active;
  }

  async log(webhook: string): Promise<Logged[]> {
    return (await this.#owner.get(`${webhook}/deliveries`).expect(200)).body.deliveries;
  }

  /** Status and attempts of deliveries, newest first; `busy`: an attempt is in progress, or the webhook is off. */
  async fates(webhook: string): Promise<string[]> {
    return (await this.log(webhook)).map(({ status, attempts, next_attempt_at: next }) =>
      status === 'pending' && next === null ? `busy ${attempts}` : `${status} ${attempts}`,
    );
  }

  /** The statuses of the deliveries that the database has of a page. */
  rows(id: string): Promise<string[]> {
    return this.#service.db('deliveries').where({ deployment_id: id }).pluck('status');
  }

  /** Has the time come for a page's pending deliveries; how many there are. */
  async comeDue(id: string): Promise<number> {
    return this.#service
      .db('deliveries')
      .where({ deployment_id: id, status: 'pending', leased: false })
      .update({ next_attempt_at: this.#service.db.fn.now() });
  }

  /** Sees a new delivery to a receiver: whatever was due there before has been sent, too. */
  async turnPasses(receiver: { url: string; received: Received[] }): Promise<void> {
    const { id, webhook } = await this.to(`${receiver.url}/turn`);
    await this.test(webhook);
    await eventually(() => receiver.received.some(({ body }) => body.includes(id))).toBe(true);
  }
}
