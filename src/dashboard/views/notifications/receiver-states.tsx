import type { JSX } from 'preact';
import type { Delivery } from '../../logs.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { Time } from '../../ui/time.tsx';

const texts = t.notifications.states;

/** How a receiver does. `nextAt`: when what has failed is tried again. */
export type ReceiverState = { kind: 'good' | 'warn' | 'bad' | ''; label: string; nextAt?: string | null };

export const OFF: ReceiverState = { kind: '', label: texts.off };
export const ON: ReceiverState = { kind: 'good', label: texts.on };
export const UNUSED: ReceiverState = { kind: '', label: texts.nothingSent };

/** Returns when deliveries that have failed are tried again; undefined where none waits for that. */
export function nextAttempt(deliveries: readonly Delivery[]): string | null | undefined {
  const waiting = deliveries.filter(
    ({ status, attempts, last_error: error }) => status === 'pending' && attempts > 0 && error !== null,
  );
  const times = waiting.flatMap(({ next_attempt_at: at }) => at ?? []).toSorted();
  return waiting.length === 0 ? undefined : (times[0] ?? null);
}

/** Returns the state of a receiver by its last deliveries, newest first. */
export function stateBy(deliveries: readonly Delivery[]): ReceiverState {
  const nextAt = nextAttempt(deliveries);
  if (nextAt !== undefined) return { kind: 'warn', label: texts.failing, nextAt };
  const last = deliveries.find(({ status }) => status !== 'pending');
  if (!last) return UNUSED;
  return last.status === 'failed' ? { kind: 'bad', label: texts.failed } : { kind: 'good', label: texts.works };
}

/** The state of a receiver in a few words. */
export const StateBadge = ({ state: { kind, label, nextAt } }: { state: ReceiverState }): JSX.Element => (
  <>
    <span class={kind === '' ? 'badge' : `badge ${kind}`}>{label}</span>
    {nextAt && (
      <span>
        <Rich text={texts.nextAttempt} with={{ time: <Time at={nextAt} /> }} />
      </span>
    )}
  </>
);
