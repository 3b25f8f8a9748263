import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { failureOf } from '../../problems/delivery-failures.ts';
import { useData } from '../data.ts';
import type { Attempt } from '../logs.ts';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { FailureReason } from './failure-reason.tsx';
import { Shown } from './states.tsx';
import { Time } from './time.tsx';

const texts = t.notifications.delivery;

/** A text that may be long: it scrolls, by the keyboard too. */
const Response = ({ text }: { text: string }): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
  <pre class="response" tabIndex={0}>
    {text}
  </pre>
);

/** Failures of which the status says all. */
const STATUSES: readonly string[] = ['receiver-status', 'mail-status'];

/** An attempt. The reason of a failure is left out where it only says the status again. */
const AttemptRow = ({ at, duration_ms: duration, status, error, response }: Attempt): JSX.Element => (
  <li>
    <p>
      {status === null ? (
        <Rich text={texts.noAnswer} with={{ time: <Time at={at} />, duration }} />
      ) : (
        <Rich text={texts.httpStatus} with={{ time: <Time at={at} />, duration, status: String(status) }} />
      )}
    </p>
    {error !== null && !STATUSES.includes(failureOf(error)?.code ?? '') && (
      <p class="error">
        <FailureReason sentence={error} />
      </p>
    )}
    {response !== null && response !== '' && <Response text={response} />}
  </li>
);

function Attempts({ of, read }: { of: string; read(signal: AbortSignal): Promise<readonly Attempt[]> }): JSX.Element {
  const loaded = useData(`attempts:${of}`, read);
  return (
    <Shown loaded={loaded} label={texts.loadingAttempts}>
      {(attempts) =>
        attempts.length === 0 ? (
          <p class="muted">{texts.noAttempt}</p>
        ) : (
          <ol class="attempts">
            {attempts.map((attempt) => (
              <AttemptRow key={attempt.at} {...attempt} />
            ))}
          </ol>
        )
      }
    </Shown>
  );
}

/** The attempts of a delivery with what the receiver has answered, read when they are opened. `of`: the delivery; `to`: its receiver. */
export function DeliveryAttempts({
  of,
  to,
  read,
}: {
  of: string;
  to: string;
  read(signal: AbortSignal): Promise<readonly Attempt[]>;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Rich text={texts.whatWasAnswered} with={{ receiver: to, unseen: (by) => <span class="unseen">{by}</span> }} />
      </summary>
      {isOpen && <Attempts of={of} read={read} />}
    </details>
  );
}
