import type { JSX } from 'preact';
import { counted, t } from '../../texts/chosen-texts.ts';
import type { SubmissionList } from '../submission-list.ts';
import type { Sum } from './column-sums.ts';

/** The sums of number fields over the submissions that are loaded, at the end of the list. `All` loads the others. */
export function SumsRow({ sums, list }: { sums: readonly Sum[]; list: SubmissionList }): JSX.Element | null {
  const { rows, cursor, isReading } = list.state.value;
  if (sums.length === 0) return null;
  return (
    <section class="inbox-sums" aria-label={t.inbox.sums.label}>
      <p class="muted">
        {cursor === null ? t.inbox.sums.sum : counted(t.inbox.sums.ofNewest, rows.length)}
        {cursor !== null && (
          <button
            type="button"
            class="button quiet"
            aria-busy={isReading ? true : undefined}
            onClick={() => void list.readAll()}
          >
            {t.inbox.sums.ofAll}
          </button>
        )}
      </p>
      <dl>
        {sums.map(({ name, label, text }) => (
          <div key={name}>
            <dt class="muted" dir="auto">
              {label}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
