import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { usePages } from '../../data.ts';
import type { Log } from '../../logs.ts';
import { pageLinks } from '../../page-links.ts';
import { may, type OperationName } from '../../permissions.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { DeliveryRow } from '../../ui/delivery-row.tsx';
import { Listed } from '../../ui/states.tsx';

const texts = t.notifications.log;

/** The log of deliveries, newest first; it is read again and again while it is open. */
function DeliveryLog({ deployId, log }: { deployId: string; log: Log }): JSX.Element {
  const { logPageSize, refreshIntervalMs } = DASHBOARD_LIMITS.notifications;
  const loaded = usePages(`log:${log.id}`, logPageSize, log.read);
  const { data, isLoading, reload } = loaded;
  useEffect(() => {
    if (isLoading) return;
    const timer = setTimeout(reload, refreshIntervalMs);
    return () => clearTimeout(timer);
  }, [isLoading, reload]);
  if (data?.total === 0) return <p class="muted">{texts.nothingSent}</p>;
  return (
    <Listed loaded={loaded} label={texts.loading} of={t.shared.counts.deliveries}>
      {(delivery) => (
        <DeliveryRow key={delivery.id} log={log} delivery={delivery} onRetried={reload}>
          {delivery.submission_id === null ? (
            texts.testOrList
          ) : (
            <a href={`${pageLinks(deployId).inbox}/${delivery.submission_id}`}>{texts.theSubmission}</a>
          )}
        </DeliveryRow>
      )}
    </Listed>
  );
}

const unseen = (part: ComponentChildren): JSX.Element => <span class="unseen">{part}</span>;

/** A test of what is sent to a receiver, other buttons, and the log, which a test opens. */
export function TestAndLog({
  needs,
  deployId,
  log,
  test,
  of,
  isOpenAtFirst = false,
  run,
  children,
}: {
  /** The operation that sends a test. */
  needs: OperationName;
  deployId: string;
  log: Log;
  /** The button that sends a test. */
  test: string;
  /** The address of the receiver, for people who do not see what the button and the log belong to. Left out: the recipients of mail. */
  of?: string;
  /** True if the log says what is wrong. */
  isOpenAtFirst?: boolean;
  run(): Promise<unknown>;
  children?: ComponentChildren;
}): JSX.Element {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <>
      {may(needs) && (
        <div class="buttons">
          <ActionButton
            needs={needs}
            icon="send"
            of={of === undefined ? t.notifications.toRecipients : fill(t.notifications.toReceiver, { receiver: of })}
            run={run}
            done={texts.testSent}
            onDone={() => setOpen(true)}
          >
            {test}
          </ActionButton>
          {children && <div class="buttons actions">{children}</div>}
        </div>
      )}
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {of === undefined ? (
            <Rich text={texts.ofRecipients} with={{ unseen }} />
          ) : (
            <Rich text={texts.title} with={{ receiver: of, unseen }} />
          )}
        </summary>
        {isOpen && <DeliveryLog deployId={deployId} log={log} />}
      </details>
    </>
  );
}
