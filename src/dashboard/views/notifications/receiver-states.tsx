import type { JSX } from 'preact';
import type { Delivery } from '../../logs.ts';
import { Time } from '../../ui/time.tsx';

/** How a receiver does. `nextAt`: when what has failed is tried again. */
export type ReceiverState = { kind: 'good' | 'warn' | 'bad' | ''; label: string; nextAt?: string | null };

export const OFF: ReceiverState = { kind: '', label: 'Off' };
export const UNUSED: ReceiverState = { kind: '', label: 'Nothing sent yet' };

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
  if (nextAt !== undefined) return { kind: 'warn', label: 'Failing', nextAt };
  const last = deliveries.find(({ status }) => status !== 'pending');
  if (!last) return UNUSED;
  return last.status === 'failed' ? { kind: 'bad', label: 'Failed' } : { kind: 'good', label: 'Works' };
}

/** The state of a receiver in a few words. */
export const StateBadge = ({ state: { kind, label, nextAt } }: { state: ReceiverState }): JSX.Element => (
  <>
    <span class={kind === '' ? 'badge' : `badge ${kind}`}>{label}</span>
    {nextAt && (
      <span>
        Next attempt <Time at={nextAt} />
      </span>
    )}
  </>
);
