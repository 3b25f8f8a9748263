import type { JSX } from 'preact';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { Select } from '../../ui/field.tsx';
import { exactTime } from '../../ui/time.tsx';
import { type Choice, type DateOrder, mayBeField, type Preview, type Use } from './import-file.ts';

const USES: readonly { value: Use; label: string }[] = [
  { value: 'field', label: t.importing.columns.uses.field },
  { value: 'time', label: t.importing.columns.uses.time },
  { value: 'ip', label: t.importing.columns.uses.ip },
  { value: 'left-out', label: t.importing.columns.uses.leftOut },
];

const ORDERS: readonly { value: DateOrder; label: string }[] = [
  { value: '', label: t.importing.columns.orders.asShown },
  { value: 'day-first', label: t.importing.columns.orders.dayFirst },
  { value: 'month-first', label: t.importing.columns.orders.monthFirst },
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
              <Rich
                text={t.importing.columns.known}
                with={{
                  name: <strong dir="auto">{name}</strong>,
                  muted: (words) => <span class="muted">{words}</span>,
                }}
              />
            </p>
          ) : (
            <Select
              label={name || fill(t.importing.columns.numbered, { number: index + 1 })}
              hint={
                <bdi>
                  {preview.rows.map(({ cells }) => cells[index]).find((cell) => cell) ?? t.importing.columns.noValue}
                </bdi>
              }
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
          label={t.importing.columns.order}
          hint={t.importing.columns.orderHint}
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
    <section class="scroll" tabIndex={0} aria-label={t.importing.rows.label}>
      <table class="import-rows">
        <thead>
          <tr>
            <th scope="col">{t.importing.rows.time}</th>
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
