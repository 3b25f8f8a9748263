import type { JSX } from 'preact';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { useData } from '../data.ts';
import { type Delivery, type Log, readLogs } from '../logs.ts';
import { pageLinks } from '../page-links.ts';
import { DeliveryRow } from '../ui/delivery-row.tsx';
import { Shown } from '../ui/states.tsx';

type LoggedDelivery = { delivery: Delivery; log: Log };

/** The deliveries of a submission, of the last ones in each log. */
async function readDeliveries(id: string, submissionId: string, signal: AbortSignal): Promise<LoggedDelivery[]> {
  const logs = await readLogs(id, signal);
  const found = await Promise.all(
    logs.map(async (log) => {
      const { items } = await log.read({ page: 1, limit: DASHBOARD_LIMITS.inbox.logPageSize }, signal);
      return items.filter((delivery) => delivery.submission_id === submissionId).map((delivery) => ({ delivery, log }));
    }),
  );
  return found.flat();
}

/** The outcome of a submission's webhooks and mails. */
export function Deliveries({ id, submissionId }: { id: string; submissionId: string }): JSX.Element {
  const loaded = useData(`deliveries:${submissionId}`, (signal) => readDeliveries(id, submissionId, signal));
  return (
    <section class="detail-deliveries stack" aria-labelledby="deliveries">
      <h3 id="deliveries">Deliveries</h3>
      <Shown loaded={loaded} label="Loading the deliveries">
        {(sent) =>
          sent.length > 0 ? (
            <ul class="rows">
              {sent.map(({ delivery, log }) => (
                <DeliveryRow key={delivery.id} log={log} delivery={delivery} onRetried={loaded.reload} />
              ))}
            </ul>
          ) : (
            <p class="muted">
              None of the last {DASHBOARD_LIMITS.inbox.logPageSize} deliveries is of this submission.{' '}
              <a href={pageLinks(id).notifications}>All deliveries</a>
            </p>
          )
        }
      </Shown>
    </section>
  );
}
