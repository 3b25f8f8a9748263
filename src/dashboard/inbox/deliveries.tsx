import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { useChange, useData } from '../data.ts';
import { Button } from '../ui/button.tsx';
import { NotSaved, Shown } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

type Sent = Schemas['Delivery'] & { webhookId: string; url: string };

/** How far back the log of each webhook is read. */
const MAX_PAGES = 5;
const LIMIT = 100;

const STATES = { pending: 'Pending', succeeded: 'Delivered', failed: 'Failed' } as const;
const KINDS = { pending: '', succeeded: 'good', failed: 'bad' } as const;

async function readDeliveries(id: string, submissionId: string, since: string, signal: AbortSignal): Promise<Sent[]> {
  const { webhooks } = await answer(api.GET('/webhooks/{deployId}', { params: { path: { deployId: id } }, signal }));
  const found: Sent[] = [];
  for (const { id: webhookId, url } of webhooks) {
    const path = { deployId: id, webhookId };
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const { deliveries, total } = await answer(
        api.GET('/webhooks/{deployId}/{webhookId}/deliveries', {
          params: { path, query: { page, limit: LIMIT } },
          signal,
        }),
      );
      for (const delivery of deliveries) {
        if (delivery.submission_id === submissionId) found.push({ ...delivery, webhookId, url });
      }
      // Newest first: what came before the submission is no delivery of it.
      const oldest = deliveries.at(-1);
      if (page * LIMIT >= total || !oldest || oldest.created_at < since) break;
    }
  }
  return found;
}

function Delivery({ id, delivery, onSent }: { id: string; delivery: Sent; onSent(): void }): JSX.Element {
  const { change, run } = useChange();
  const [isSent, setSent] = useState(false);
  async function retry(): Promise<void> {
    const path = { deployId: id, webhookId: delivery.webhookId, deliveryId: delivery.id };
    const isDone = await run(
      async () =>
        void (await answer(
          api.POST('/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry', { params: { path } }),
        )),
    );
    if (!isDone) return;
    setSent(true);
    onSent();
  }
  return (
    <li class="delivery">
      <div class="row-text">
        <bdi class="delivery-url">{delivery.url}</bdi>
        <p class="muted">
          <span class={`badge ${KINDS[delivery.status]}`}>{STATES[delivery.status]}</span>{' '}
          {delivery.last_status !== null && <>HTTP {delivery.last_status}, </>}
          <Time at={delivery.updated_at} />
        </p>
        {delivery.last_error !== null && (
          <p class="error" dir="auto">
            {delivery.last_error}
          </p>
        )}
        <NotSaved change={change} />
      </div>
      <Button icon="replace" of={`to ${delivery.url}`} isBusy={change.state === 'saving'} onClick={retry}>
        Send again
      </Button>
      <span role="status" class="unseen">
        {isSent && 'It is sent again.'}
      </span>
    </li>
  );
}

/** What became of a submission at the webhooks. */
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
        {(deliveries) =>
          deliveries.length === 0 ? (
            <p class="muted">It was sent to no webhook.</p>
          ) : (
            <ul>
              {deliveries.map((delivery) => (
                <Delivery key={delivery.id} id={id} delivery={delivery} onSent={loaded.reload} />
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}
