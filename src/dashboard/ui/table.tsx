import type { ComponentChildren, JSX } from 'preact';
import { numbers } from '../texts/chosen-texts.ts';

/** Counts, a row for each thing. The table scrolls by itself, also by the keyboard. */
export const Table = ({
  label,
  heads,
  rows,
}: {
  label: string;
  heads: readonly string[];
  rows: readonly { key: string; name: ComponentChildren; counts: readonly number[] }[];
}): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll what has the focus.
  <section class="scroll" tabIndex={0} aria-label={label}>
    <table>
      <thead>
        <tr>
          {heads.map((head, index) => (
            <th key={index} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, counts }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            {counts.map((count, index) => (
              <td key={index}>{numbers.format(count)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
