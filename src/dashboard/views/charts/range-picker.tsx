import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { RANGES, type Range } from './chart-range.ts';

const { range: texts } = t.statistics;

/** The first day and the last one, both included. */
function OwnRange({ isShown }: { isShown: boolean }): JSX.Element {
  const { path, query, route } = useLocation();
  const [from, setFrom] = useState((isShown && query.from) || '');
  const [to, setTo] = useState((isShown && query.to) || '');
  const [isSent, setSent] = useState(false);
  const missing = (day: string): string | undefined => (isSent && day === '' ? texts.missing : undefined);
  function show(): void {
    setSent(true);
    if (from !== '' && to !== '') route(`${path}?from=${from}&to=${to}`);
  }
  return (
    <Form needs="nothing" class="inline" onSubmit={show}>
      <Field label={texts.from} type="date" value={from} onChange={setFrom} error={missing(from)} />
      <Field label={texts.to} type="date" value={to} onChange={setTo} error={missing(to)} />
      <Button>{texts.show}</Button>
    </Form>
  );
}

/** Which times are shown; they are in the address of the view. */
export function RangePicker({ range }: { range: Range }): JSX.Element {
  const { path } = useLocation();
  const isOwn = range.name === 'own';
  return (
    <div class="range">
      <nav class="buttons" aria-label={texts.label}>
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
        <summary>{texts.ownDates}</summary>
        <OwnRange isShown={isOwn} />
      </details>
    </div>
  );
}
