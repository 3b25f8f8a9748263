import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { dayOf, MAX_DAYS, ownRange, RANGES, type Range } from './range.ts';

/** The first day and the last one, both included. */
function OwnRange({ path, range }: { path: string; range: Range }): JSX.Element {
  const { route } = useLocation();
  const [first, setFirst] = useState(dayOf(new Date(range.starts)));
  const [last, setLast] = useState(dayOf(new Date(range.ends - 1)));
  const [isWrong, setWrong] = useState(false);
  return (
    <Form
      class="inline"
      onSubmit={() => {
        setWrong(!ownRange(first, last));
        if (ownRange(first, last)) route(`${path}?from=${first}&to=${last}`);
      }}
    >
      <Field label="First day" type="date" value={first} onChange={setFirst} />
      <Field label="Last day" type="date" value={last} onChange={setLast} />
      <Button>Show</Button>
      {isWrong && (
        <p class="error" role="alert">
          Choose a first day that is not after the last one, and at most {MAX_DAYS} days.
        </p>
      )}
    </Form>
  );
}

/** Which times are shown; they are in the address of the view. */
export const RangePicker = ({ path, range }: { path: string; range: Range }): JSX.Element => (
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
    <details open={range.name === 'own'}>
      <summary>Own dates</summary>
      <OwnRange key={`${range.from}:${range.to}`} path={path} range={range} />
    </details>
  </div>
);
