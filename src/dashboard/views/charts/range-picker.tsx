import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { dayOf, ownRange, RANGES, type Range } from './range.ts';

const DayField = ({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
}): JSX.Element => (
  <label class="day-field">
    <span class="field-label">{label}</span>
    <input type="date" value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
  </label>
);

/** Which times are shown; they are in the address of the view. */
export function RangePicker({ path, range }: { path: string; range: Range }): JSX.Element {
  const { route } = useLocation();
  const [isOwn, setOwn] = useState(range.name === 'own');
  const [first, setFirst] = useState(dayOf(new Date(range.starts)));
  const [last, setLast] = useState(dayOf(new Date(range.ends - 1)));
  const [isWrong, setWrong] = useState(false);
  // Back and forward change the range too.
  useEffect(() => {
    setOwn(range.name === 'own');
    setFirst(dayOf(new Date(range.starts)));
    setLast(dayOf(new Date(range.ends - 1)));
  }, [range]);
  const show = (query: string): void => route(`${path}?${query}`);
  return (
    <div class="range">
      <fieldset class="choices">
        <legend class="unseen">Time</legend>
        {RANGES.map(({ name, label }) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="range"
              class="unseen"
              checked={isOwn ? name === 'own' : name === range.name}
              onChange={() => {
                setOwn(name === 'own');
                if (name !== 'own') show(`range=${name}`);
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {isOwn && (
        <Form
          class="own-range"
          onSubmit={() => {
            const own = ownRange(first, last);
            setWrong(!own);
            if (own) show(`from=${first}&to=${last}`);
          }}
        >
          <DayField label="First day" value={first} onChange={setFirst} />
          <DayField label="Last day" value={last} onChange={setLast} />
          <Button>Show</Button>
          {isWrong && (
            <p class="error" role="alert">
              Choose a first day that is not after the last one, and at most {DASHBOARD_LIMITS.statistics.days} days.
            </p>
          )}
        </Form>
      )}
    </div>
  );
}
