import type { ComponentChildren, JSX } from 'preact';
import type { Delivery, Log } from '../logs.ts';
import { ActionButton } from './action-button.tsx';
import { DeliveryAttempts } from './delivery-attempts.tsx';
import { counted, Time } from './time.tsx';

const STATUSES = {
  succeeded: { label: 'Delivered', badge: 'badge good' },
  failed: { label: 'Failed', badge: 'badge bad' },
};
const SENDING = { label: 'On its way', badge: 'badge' };
const FAILING = { label: 'Failing', badge: 'badge warn' };

/** The state of a delivery. One that has failed, and is tried again, is no delivery that waits for its turn. */
function stateOf({ status, attempts, last_error: error }: Delivery): { label: string; badge: string } {
  if (status !== 'pending') return STATUSES[status];
  return attempts > 0 && error !== null ? FAILING : SENDING;
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
  const { id, attempts, next_attempt_at, last_status, last_error, created_at } = delivery;
  const to = delivery.recipient === undefined ? log.name : (delivery.recipient ?? 'a recipient that was removed');
  const { label, badge } = stateOf(delivery);
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <bdi>{to}</bdi>
        </p>
        <span class={badge}>{label}</span> <Time at={created_at} /> {children}
        <p class="muted">
          {attempts === 0 ? 'Not tried yet' : counted(attempts, 'attempt')}
          {last_status !== null && `, last answer: ${log.protocol} ${last_status}`}.
          {next_attempt_at !== null && (
            <>
              {' '}
              Next attempt: <Time at={next_attempt_at} />.
            </>
          )}
        </p>
        {last_error !== null && (
          <p class="error">
            <bdi>{last_error}</bdi>
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
        of={`to ${to}`}
        run={() => log.retry(id)}
        done="It is sent again."
        onDone={onRetried}
        isRepeatable
      >
        Send again
      </ActionButton>
    </li>
  );
}
