import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { RANGES, type Range } from './chart-range.ts';

/** The first day and the last one, both included. */
function OwnRange({ isShown }: { isShown: boolean }): JSX.Element {
  const { path, query, route } = useLocation();
  const [from, setFrom] = useState((isShown && query.from) || '');
  const [to, setTo] = useState((isShown && query.to) || '');
  const [isSent, setSent] = useState(false);
  const missing = (day: string): string | undefined => (isSent && day === '' ? 'Choose a day.' : undefined);
  function show(): void {
    setSent(true);
    if (from !== '' && to !== '') route(`${path}?from=${from}&to=${to}`);
  }
  return (
    <Form needs="nothing" class="inline" onSubmit={show}>
      <Field label="From" type="date" value={from} onChange={setFrom} error={missing(from)} />
      <Field label="To" type="date" value={to} onChange={setTo} error={missing(to)} />
      <Button>Show</Button>
    </Form>
  );
}

/** Which times are shown; they are in the address of the view. */
export function RangePicker({ range }: { range: Range }): JSX.Element {
  const { path } = useLocation();
  const isOwn = range.name === 'own';
  return (
    <div class="range">
      <nav class="buttons" aria-label="Time">
        {RANGES.map(({ name, label }) => (
          <a
            key={name}
            class="button toggle"
            href={`${path}?range=${name}`}
            aria-current={name === range.name ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <details open={isOwn}>
        <summary>Own dates</summary>
        <OwnRange isShown={isOwn} />
      </details>
    </div>
  );
}
