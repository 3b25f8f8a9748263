import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { usePages } from '../../data.ts';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { pageLinks } from '../../links.ts';
import type { Log } from '../../logs.ts';
import { DeliveryRow } from '../../ui/delivery-row.tsx';
import { ListFoot, Shown } from '../../ui/states.tsx';

/** What was sent, newest first; it is read again while something waits. */
export function DeliveryLog({ deployId, log }: { deployId: string; log: Log }): JSX.Element {
  const { logPageSize, refreshIntervalMs } = DASHBOARD_LIMITS.notifications;
  const loaded = usePages(`log:${log.id}`, logPageSize, log.read);
  const { data, isLoading, reload } = loaded;
  const isWaiting = data?.items.some(({ status }) => status === 'pending') ?? false;
  useEffect(() => {
    if (!isWaiting || isLoading) return;
    const timer = setTimeout(reload, refreshIntervalMs);
    return () => clearTimeout(timer);
  }, [isWaiting, isLoading, reload]);
  return (
    <Shown loaded={loaded} label="Loading the log">
      {({ items, total }) =>
        total === 0 ? (
          <p class="muted">Nothing has been sent yet.</p>
        ) : (
          <>
            <ul class="rows">
              {items.map((delivery) => (
                <DeliveryRow key={delivery.id} log={log} delivery={delivery} onRetried={reload}>
                  {delivery.submission_id === null ? (
                    'A test, or a list of submissions.'
                  ) : (
                    <a href={`${pageLinks(deployId).inbox}/${delivery.submission_id}`}>The submission</a>
                  )}
                </DeliveryRow>
              ))}
            </ul>
            {total > logPageSize && <ListFoot loaded={loaded} of="delivery" many="deliveries" />}
          </>
        )
      }
    </Shown>
  );
}
