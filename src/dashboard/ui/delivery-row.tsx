import type { ComponentChildren, JSX } from 'preact';
import type { Delivery, Log } from '../logs.ts';
import { ActionButton } from './action-button.tsx';
import { Time } from './time.tsx';

const STATUSES = {
  pending: { label: 'Waiting', badge: 'badge' },
  succeeded: { label: 'Delivered', badge: 'badge good' },
  failed: { label: 'Failed', badge: 'badge bad' },
};

/** A delivery, and the way to send it again. */
export function DeliveryRow({
  log,
  delivery: { id, status, created_at, last_error },
  of,
  onRetried,
  children,
}: {
  log: Log;
  delivery: Delivery;
  /** Its receiver, where the log is not about one. */
  of?: string;
  onRetried(): void;
  /** What became of it. */
  children: ComponentChildren;
}): JSX.Element {
  const { label, badge } = STATUSES[status];
  return (
    <li class="row">
      <div class="row-text">
        {of !== undefined && (
          <p>
            <bdi>{of}</bdi>
          </p>
        )}
        <span class={badge}>{label}</span> <Time at={created_at} />
        <p class="muted">{children}</p>
        {last_error !== null && (
          <p class="delivery-error">
            <bdi>{last_error}</bdi>
          </p>
        )}
      </div>
      <ActionButton
        kind="quiet"
        icon="replace"
        of={of && `to ${of}`}
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
