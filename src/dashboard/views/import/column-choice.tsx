import type { JSX } from 'preact';
import { Select } from '../../ui/field.tsx';
import { exactTime } from '../../ui/time.tsx';
import { type Choice, type DateOrder, mayBeField, type Preview, type Use } from './import-file.ts';

const USES: readonly { value: Use; label: string }[] = [
  { value: 'field', label: 'Field' },
  { value: 'time', label: 'Time' },
  { value: 'ip', label: 'IP address' },
  { value: 'left-out', label: 'Leave out' },
];

const ORDERS: readonly { value: DateOrder; label: string }[] = [
  { value: '', label: 'As the file shows' },
  { value: 'day-first', label: 'Day, then month' },
  { value: 'month-first', label: 'Month, then day' },
];

/** The choice with another use of a column. The time and the address are in one column each. */
function withUse(columns: Preview['columns'], choice: Choice, index: number, use: Use): Choice {
  const isSingle = use === 'time' || use === 'ip';
  const uses = choice.uses.map((before, at) => {
    if (at === index) return use;
    return isSingle && before === use ? 'field' : before;
  });
  // A column that was a field because another one had its use is left out with that, and can be chosen again.
  const possible = uses.map((one, at) =>
    one === 'field' && !mayBeField(columns[at]?.name ?? '', at, uses) ? 'left-out' : one,
  );
  return { ...choice, uses: possible };
}

/** The use of each column of a file, with an example. Columns of an export of this service are known. */
export const ColumnChoice = ({
  preview,
  choice,
  onChoose,
}: {
  preview: Preview;
  choice: Choice;
  onChoose(choice: Choice): void;
}): JSX.Element => (
  <div class="stack">
    <ul class="import-columns">
      {preview.columns.map(({ name, use }, index) => (
        <li key={index}>
          {use === 'id' || use === 'form' || use === 'others' ? (
            <p>
              <strong dir="auto">{name}</strong> <span class="muted">is known</span>
            </p>
          ) : (
            <Select
              label={name || `Column ${index + 1}`}
              hint={<bdi>{preview.rows.map(({ cells }) => cells[index]).find((cell) => cell) ?? 'no value'}</bdi>}
              value={choice.uses[index] ?? 'field'}
              options={USES.filter(({ value }) => value !== 'field' || mayBeField(name, index, choice.uses))}
              onChange={(changed) => onChoose(withUse(preview.columns, choice, index, changed))}
            />
          )}
        </li>
      ))}
    </ul>
    {choice.uses.includes('time') && (
      <div class="import-columns">
        <Select
          label="Day and month"
          hint="For times such as 5/1/2024."
          value={choice.dateOrder}
          options={ORDERS}
          onChange={(dateOrder) => onChoose({ ...choice, dateOrder })}
        />
      </div>
    )}
  </div>
);

/** The first rows of a file, as they will be. */
export const FirstRows = ({
  preview: { columns, rows },
  choice: { uses },
}: {
  preview: Preview;
  choice: Choice;
}): JSX.Element => {
  const shown = columns.flatMap(({ name }, index) => (uses[index] === 'field' ? [{ name, index }] : []));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll what has the focus.
    <section class="scroll" tabIndex={0} aria-label="Rows as they will be">
      <table class="import-rows">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {shown.map(({ name, index }) => (
              <th key={index} scope="col" dir="auto">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, 5).map(({ line, cells, created_at: at }) => (
            <tr key={line}>
              <td>{at === null ? '–' : <time dateTime={at}>{exactTime(at)}</time>}</td>
              {shown.map(({ index }) => (
                <td key={index} dir="auto">
                  {cells[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
