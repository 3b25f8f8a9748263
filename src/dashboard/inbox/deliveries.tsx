import type { JSX } from 'preact';
import { useData } from '../data.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { pageLinks } from '../links.ts';
import { type Delivery, type Log, readLogs } from '../logs.ts';
import { DeliveryRow } from '../ui/delivery-row.tsx';
import { Shown } from '../ui/states.tsx';
import { numbers, Time } from '../ui/time.tsx';

type Sent = { delivery: Delivery; log: Log };
/** `isCut`: some log goes on, and may have more. */
type Found = { sent: readonly Sent[]; isCut: boolean };

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
  const sent: Sent[] = [];
  let isCut = false;
  for (const log of await readLogs(id, signal)) {
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

function receiverOf({ log, delivery: { recipient } }: Sent): string {
  if (recipient === undefined) return log.name;
  return recipient ?? 'a recipient that was removed';
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
              <ul class="rows">
                {sent.map((each) => (
                  <DeliveryRow
                    key={each.delivery.id}
                    log={each.log}
                    delivery={each.delivery}
                    of={receiverOf(each)}
                    onRetried={loaded.reload}
                  >
                    {each.delivery.last_status !== null && `${each.log.protocol} ${each.delivery.last_status}, `}
                    <Time at={each.delivery.updated_at} />
                  </DeliveryRow>
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
