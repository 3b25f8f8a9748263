import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { answer, api } from '../api.ts';
import { useChange, useData } from '../data.ts';
import { pageLinks } from '../links.ts';
import { Button } from '../ui/button.tsx';
import { NotSaved, Shown } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

type Delivery = Schemas['Delivery'] & { recipient?: string | null };
/** A log with deliveries of a submission: that of a webhook, or of mails. */
type Log = {
  protocol: 'HTTP' | 'SMTP';
  receiver(delivery: Delivery): string;
  read(query: { page: number; limit: number }, signal: AbortSignal): Promise<{ deliveries: Delivery[]; total: number }>;
  retry(deliveryId: string): Promise<unknown>;
};
type Sent = { delivery: Delivery; log: Log };
/** `isCut`: some log goes on, and may have more. */
type Found = { sent: readonly Sent[]; isCut: boolean };

const numbers = new Intl.NumberFormat();

const STATES = { pending: 'Pending', succeeded: 'Delivered', failed: 'Failed' } as const;
const KINDS = { pending: '', succeeded: 'good', failed: 'bad' } as const;

const webhookLog = (id: string, { id: webhookId, url }: Schemas['Webhook']): Log => ({
  protocol: 'HTTP',
  receiver: () => url,
  read: (query, signal) =>
    answer(
      api.GET('/webhooks/{deployId}/{webhookId}/deliveries', {
        params: { path: { deployId: id, webhookId }, query },
        signal,
      }),
    ),
  retry: (deliveryId) =>
    answer(
      api.POST('/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry', {
        params: { path: { deployId: id, webhookId, deliveryId } },
      }),
    ),
});

const mailLog = (id: string): Log => ({
  protocol: 'SMTP',
  receiver: ({ recipient }) => recipient ?? 'a recipient that was removed',
  read: (query, signal) => answer(api.GET('/deploy/{id}/mails', { params: { path: { id }, query }, signal })),
  retry: (deliveryId) =>
    answer(api.POST('/deploy/{id}/mails/{deliveryId}/retry', { params: { path: { id, deliveryId } } })),
});

const stayed = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, DASHBOARD_LIMITS.inbox.stayedMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

async function readDeliveries(id: string, submissionId: string, since: string, signal: AbortSignal): Promise<Found> {
  await stayed(signal);
  const { webhooks } = await answer(api.GET('/webhooks/{deployId}', { params: { path: { deployId: id } }, signal }));
  const sent: Sent[] = [];
  let isCut = false;
  for (const log of [...webhooks.map((webhook) => webhookLog(id, webhook)), mailLog(id)]) {
    for (let page = 1; page <= DASHBOARD_LIMITS.inbox.logPages; page += 1) {
      const { deliveries, total } = await log.read({ page, limit: DASHBOARD_LIMITS.inbox.logPageSize }, signal);
      for (const delivery of deliveries) {
        if (delivery.submission_id === submissionId) sent.push({ delivery, log });
      }
      // Newest first: what came before the submission is no delivery of it.
      const oldest = deliveries.at(-1);
      if (page * DASHBOARD_LIMITS.inbox.logPageSize >= total || !oldest || oldest.created_at < since) break;
      if (page === DASHBOARD_LIMITS.inbox.logPages) isCut = true;
    }
  }
  return { sent, isCut };
}

function SentDelivery({ sent: { delivery, log }, onSent }: { sent: Sent; onSent(): void }): JSX.Element {
  const receiver = log.receiver(delivery);
  const { change, run } = useChange();
  const [isSent, setSent] = useState(false);
  async function retry(): Promise<void> {
    const isDone = await run(async () => void (await log.retry(delivery.id)));
    if (!isDone) return;
    setSent(true);
    onSent();
  }
  return (
    <li class="delivery">
      <div class="row-text">
        <bdi class="delivery-url">{receiver}</bdi>
        <p class="muted">
          <span class={`badge ${KINDS[delivery.status]}`}>{STATES[delivery.status]}</span>{' '}
          {delivery.last_status !== null && <>{`${log.protocol} ${delivery.last_status}, `}</>}
          <Time at={delivery.updated_at} />
        </p>
        {delivery.last_error !== null && (
          <p class="error" dir="auto">
            {delivery.last_error}
          </p>
        )}
        <NotSaved change={change} />
      </div>
      <Button icon="replace" of={`to ${receiver}`} isBusy={change.state === 'saving'} onClick={retry}>
        Send again
      </Button>
      <span role="status" class="unseen">
        {isSent && 'It is sent again.'}
      </span>
    </li>
  );
}

/** What became of a submission at the webhooks and by mail. */
export function Deliveries({
  id,
  submissionId,
  since,
}: {
  id: string;
  submissionId: string;
  since: string;
}): JSX.Element {
  const loaded = useData(`deliveries:${submissionId}`, (signal) => readDeliveries(id, submissionId, since, signal));
  return (
    <section class="detail-deliveries" aria-labelledby="deliveries">
      <h3 id="deliveries">Deliveries</h3>
      <Shown loaded={loaded} label="Loading the deliveries">
        {({ sent, isCut }) => (
          <>
            {sent.length > 0 && (
              <ul>
                {sent.map((each) => (
                  <SentDelivery key={each.delivery.id} sent={each} onSent={loaded.reload} />
                ))}
              </ul>
            )}
            {sent.length === 0 && !isCut && (
              <p class="muted">No webhook and no mail of its own is in the logs. They are kept for a limited time.</p>
            )}
            {isCut && (
              <p class="muted">
                Only the last {numbers.format(DASHBOARD_LIMITS.inbox.logPages * DASHBOARD_LIMITS.inbox.logPageSize)}{' '}
                deliveries to each receiver were looked through. The logs in{' '}
                <a href={pageLinks(id).notifications}>Notifications</a> have all.
              </p>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
