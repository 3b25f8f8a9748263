import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../../limits.ts';
import { useChange, useData } from '../../data.ts';
import { pageLinks } from '../../links.ts';
import { Button } from '../../ui/button.tsx';
import { NotSaved, Shown } from '../../ui/states.tsx';
import { counted, Time } from '../../ui/time.tsx';

export type Delivery = {
  id: string;
  submission_id: string | null;
  status: 'pending' | 'succeeded' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  created_at: string;
  recipient?: string | null;
};
type Log = { deliveries: Delivery[]; total: number };

const STATUSES = {
  pending: { label: 'Waiting', badge: 'badge' },
  succeeded: { label: 'Delivered', badge: 'badge good' },
  failed: { label: 'Failed', badge: 'badge bad' },
};

function Row({
  deployId,
  delivery,
  retry,
  onRetried,
}: {
  deployId: string;
  delivery: Delivery;
  retry(delivery: Delivery): Promise<void>;
  onRetried(): void;
}): JSX.Element {
  const { status, attempts, next_attempt_at, last_status, last_error, created_at, submission_id, recipient } = delivery;
  const { change, run } = useChange({ isRepeatable: true });
  const { label, badge } = STATUSES[status];
  return (
    <li class="row">
      <div class="row-text">
        <span class={badge}>{label}</span> <Time at={created_at} />
        <p class="muted">
          {recipient && (
            <>
              To <bdi>{recipient}</bdi>.{' '}
            </>
          )}
          {submission_id === null ? (
            recipient ? (
              'A list of submissions, or a test. '
            ) : (
              'A test. '
            )
          ) : (
            <>
              <a href={`${pageLinks(deployId).inbox}/${submission_id}`}>The submission</a>.{' '}
            </>
          )}
          {attempts === 0 ? 'Not tried yet' : counted(attempts, 'attempt')}
          {last_status !== null && `, last answered ${last_status}`}.
          {next_attempt_at !== null && (
            <>
              {' '}
              Next attempt: <Time at={next_attempt_at} />.
            </>
          )}
        </p>
        {last_error !== null && (
          <p class="delivery-error">
            <bdi>{last_error}</bdi>
          </p>
        )}
        <NotSaved change={change} />
      </div>
      <Button
        kind="quiet"
        icon="replace"
        isBusy={change.state === 'saving'}
        onClick={async () => {
          if (await run(() => retry(delivery))) onRetried();
        }}
      >
        Send again
      </Button>
    </li>
  );
}

/** What was sent, newest first; it is read again while something waits. `name` tells logs apart. */
export function DeliveryLog({
  deployId,
  name,
  load,
  retry,
}: {
  deployId: string;
  name: string;
  load(page: { page: number; limit: number }, signal: AbortSignal): Promise<Log>;
  retry(delivery: Delivery): Promise<void>;
}): JSX.Element {
  const [page, setPage] = useState(1);
  const loaded = useData(`log:${name}:${page}`, (signal) =>
    load({ page, limit: DASHBOARD_LIMITS.notifications.logPageSize }, signal),
  );
  const { data, isLoading, reload } = loaded;
  const isWaiting = data?.deliveries.some(({ status }) => status === 'pending') ?? false;
  useEffect(() => {
    if (!isWaiting || isLoading) return;
    const timer = setTimeout(reload, DASHBOARD_LIMITS.notifications.refreshIntervalMs);
    return () => clearTimeout(timer);
  }, [isWaiting, isLoading, reload]);
  return (
    <Shown loaded={loaded} label="Loading the log">
      {({ deliveries, total }) =>
        total === 0 ? (
          <p class="muted">Nothing has been sent yet.</p>
        ) : (
          <>
            <ul class="rows">
              {deliveries.map((delivery) => (
                <Row key={delivery.id} deployId={deployId} delivery={delivery} retry={retry} onRetried={reload} />
              ))}
            </ul>
            {total > DASHBOARD_LIMITS.notifications.logPageSize && (
              <div class="list-foot">
                <span class="muted">
                  {(page - 1) * DASHBOARD_LIMITS.notifications.logPageSize + 1} to{' '}
                  {Math.min(total, page * DASHBOARD_LIMITS.notifications.logPageSize)} of {total}
                </span>
                <div class="buttons">
                  <Button isDisabled={page === 1} onClick={() => setPage(page - 1)}>
                    Newer
                  </Button>
                  <Button
                    isDisabled={page * DASHBOARD_LIMITS.notifications.logPageSize >= total}
                    onClick={() => setPage(page + 1)}
                  >
                    Older
                  </Button>
                </div>
              </div>
            )}
          </>
        )
      }
    </Shown>
  );
}
