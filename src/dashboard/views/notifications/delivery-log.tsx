import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useData } from '../../data.ts';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { pageLinks } from '../../links.ts';
import type { Delivery, Log } from '../../logs.ts';
import { Button } from '../../ui/button.tsx';
import { DeliveryRow } from '../../ui/delivery-row.tsx';
import { Shown } from '../../ui/states.tsx';
import { counted, Time } from '../../ui/time.tsx';

/** What a delivery was about, and how often it was tried. */
function Attempts({ deployId, delivery }: { deployId: string; delivery: Delivery }): JSX.Element {
  const { attempts, next_attempt_at, last_status, submission_id, recipient } = delivery;
  return (
    <>
      {recipient && (
        <>
          To <bdi>{recipient}</bdi>.{' '}
        </>
      )}
      {submission_id === null ? (
        `${recipient ? 'A list of submissions, or a test' : 'A test'}. `
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
    </>
  );
}

/** What was sent, newest first; it is read again while something waits. */
export function DeliveryLog({ deployId, log }: { deployId: string; log: Log }): JSX.Element {
  const [page, setPage] = useState(1);
  const loaded = useData(`log:${log.id}:${page}`, (signal) =>
    log.read({ page, limit: DASHBOARD_LIMITS.notifications.logPageSize }, signal),
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
                <DeliveryRow key={delivery.id} log={log} delivery={delivery} onRetried={reload}>
                  <Attempts deployId={deployId} delivery={delivery} />
                </DeliveryRow>
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
