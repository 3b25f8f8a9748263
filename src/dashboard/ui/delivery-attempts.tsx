import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useData } from '../data.ts';
import type { Attempt } from '../logs.ts';
import { Shown } from './states.tsx';
import { numbers, Time } from './time.tsx';

/** A text that may be long: it scrolls, by the keyboard too. */
const Response = ({ text }: { text: string }): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
  <pre class="response" tabIndex={0}>
    {text}
  </pre>
);

/** An attempt. The reason of a failure is left out where it only says the status again. */
const AttemptRow = ({ at, duration_ms, status, error, response }: Attempt): JSX.Element => (
  <li>
    <p>
      <Time at={at} />, after {numbers.format(duration_ms)} ms: {status === null ? 'no answer' : `HTTP ${status}`}
    </p>
    {error !== null && !error.endsWith(` ${status}`) && (
      <p class="error">
        <bdi>{error}</bdi>
      </p>
    )}
    {response !== null && response !== '' && <Response text={response} />}
  </li>
);

function Attempts({ of, read }: { of: string; read(signal: AbortSignal): Promise<readonly Attempt[]> }): JSX.Element {
  const loaded = useData(`attempts:${of}`, read);
  return (
    <Shown loaded={loaded} label="Loading the attempts">
      {(attempts) =>
        attempts.length === 0 ? (
          <p class="muted">No attempt has ended yet.</p>
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
        What was answered<span class="unseen"> by {to}</span>
      </summary>
      {isOpen && <Attempts of={of} read={read} />}
    </details>
  );
}
