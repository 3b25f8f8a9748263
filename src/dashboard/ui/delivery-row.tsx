import type { ComponentChildren, JSX } from 'preact';
import type { Delivery, Log } from '../logs.ts';
import { counted, fill, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { ActionButton } from './action-button.tsx';
import { DeliveryAttempts } from './delivery-attempts.tsx';
import { FailureReason } from './failure-reason.tsx';
import { Time } from './time.tsx';

const texts = t.notifications.delivery;

const STATUSES = {
  succeeded: { label: texts.statuses.delivered, badge: 'badge good' },
  failed: { label: texts.statuses.failed, badge: 'badge bad' },
};
const SENDING = { label: texts.statuses.onItsWay, badge: 'badge' };
const FAILING = { label: texts.statuses.failing, badge: 'badge warn' };

/** The state of a delivery. One that has failed, and is tried again, is no delivery that waits for its turn. */
function stateOf({ status, attempts, last_error: error }: Delivery): { label: string; badge: string } {
  if (status !== 'pending') return STATUSES[status];
  return attempts > 0 && error !== null ? FAILING : SENDING;
}

/** How often it was tried, and what was answered last. */
function triesOf({ attempts, last_status: status }: Delivery, { protocol }: Log): string {
  if (status === null) return attempts === 0 ? texts.notTried : counted(texts.tried, attempts);
  const answer = `${protocol} ${status}`;
  return attempts === 0 ? fill(texts.notTriedAgain, { answer }) : counted(texts.answered, attempts, { answer });
}

/** A delivery, and the way to send it again. */
export function DeliveryRow({
  log,
  delivery,
  onRetried,
  children,
}: {
  log: Log;
  delivery: Delivery;
  onRetried(): void;
  /** The subject of the delivery, where the view has deliveries of several. */
  children?: ComponentChildren;
}): JSX.Element {
  const { id, attempts, next_attempt_at, last_error, created_at, recipient = log.name } = delivery;
  const to = recipient ?? texts.removedRecipient;
  const { label, badge } = stateOf(delivery);
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <bdi>{to}</bdi>
        </p>
        <span class={badge}>{label}</span> <Time at={created_at} /> {children}
        <p class="muted">
          {triesOf(delivery, log)}
          {next_attempt_at !== null && (
            <>
              {' '}
              <Rich text={texts.nextAttempt} with={{ time: <Time at={next_attempt_at} /> }} />
            </>
          )}
        </p>
        {last_error !== null && (
          <p class="error">
            <FailureReason sentence={last_error} />
          </p>
        )}
        {log.attempts && attempts > 0 && (
          <DeliveryAttempts
            of={`${id}:${attempts}:${delivery.updated_at}`}
            to={to}
            read={async (signal) => (await log.attempts?.(id, signal)) ?? []}
          />
        )}
      </div>
      <ActionButton
        needs={log.retrying}
        kind="quiet"
        icon="replace"
        of={recipient === null ? texts.toRemovedRecipient : fill(t.notifications.toReceiver, { receiver: to })}
        run={() => log.retry(id)}
        done={texts.sentAgain}
        onDone={onRetried}
        isRepeatable
      >
        {texts.sendAgain}
      </ActionButton>
    </li>
  );
}
