import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { type Loaded, useData } from '../../data.ts';
import { type Delivery, type Log, readLogs } from '../../logs.ts';
import { pageLinks } from '../../page-links.ts';
import { may } from '../../permissions.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { DeliveryRow } from '../../ui/delivery-row.tsx';
import { READS_SETTINGS } from '../../ui/page-layout.tsx';
import { Shown } from '../../ui/states.tsx';
import type { Labels } from '../columns/column-labels.ts';
import type { Submission } from '../read-submissions.ts';
import { Technical } from './submission-fields.tsx';

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
const Deliveries = ({ id, loaded }: { id: string; loaded: Loaded<LoggedDelivery[]> }): JSX.Element => (
  <section class="detail-deliveries stack" aria-labelledby="deliveries">
    <h3 id="deliveries">{t.inbox.detail.deliveries}</h3>
    <Shown loaded={loaded} label={t.inbox.detail.loadingDeliveries}>
      {(sent) =>
        sent.length > 0 ? (
          <ul class="rows">
            {sent.map(({ delivery, log }) => (
              <DeliveryRow key={delivery.id} log={log} delivery={delivery} onRetried={loaded.reload} />
            ))}
          </ul>
        ) : (
          <p class="muted">
            {counted(t.inbox.detail.noDeliveries, DASHBOARD_LIMITS.inbox.logPageSize)}{' '}
            {may(READS_SETTINGS) && <a href={pageLinks(id).notifications}>{t.inbox.detail.allDeliveries}</a>}
          </p>
        )
      }
    </Shown>
  </section>
);

/** One who looks at the details of a submission sees those of the next one too. */
const isOpen = signal(false);

/** Facts about the service and not about the visitor, folded. A delivery that failed is named all the same. */
export function Details({ submission, labels }: { submission: Submission; labels: Labels }): JSX.Element {
  const { id, pageId } = submission;
  const mayReadLogs = may('GET /deploy/{id}/mails');
  const loaded = useData(`deliveries:${id}`, async (signal) => (mayReadLogs ? readDeliveries(pageId, id, signal) : []));
  const failed = loaded.data?.filter(({ delivery }) => delivery.status === 'failed').length ?? 0;
  return (
    <details
      class="submission-details"
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>
        {t.inbox.detail.details} {failed > 0 && <span class="badge bad">{counted(t.inbox.detail.failed, failed)}</span>}
      </summary>
      <div class="stack">
        <Technical submission={submission} labels={labels} />
        {mayReadLogs && <Deliveries id={pageId} loaded={loaded} />}
      </div>
    </details>
  );
}
