import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import type { CodePlace } from '../code/code-editor.ts';
import { untouchable, type WhyUntouchable } from '../source/fixed-parts.ts';
import type { LinePlace } from '../source/line-places.ts';
import type { PageSource } from '../source/page-source.ts';

const WHY: Readonly<Record<WhyUntouchable, string>> = t.editor.inPlace.why;
/** A page can have thousands. */
const MAX_SHOWN = 20;

/** The parts of a page that are edited in the code, each with why and with its line. `hidden`: the places that the frame does not show. */
export function UntouchableParts({
  source,
  hidden,
  onCode,
}: {
  source: PageSource;
  hidden: readonly LinePlace[];
  onCode(place: CodePlace): void;
}): JSX.Element | null {
  const untouched = useMemo(() => untouchable(source), [source]);
  const parts = [...untouched, ...hidden.map(({ line, column }) => ({ line, column, why: 'hidden' as const }))];
  if (parts.length === 0) return null;
  return (
    <details>
      <summary>{counted(t.editor.inPlace.partsInCode, parts.length)}</summary>
      <ul class="stack">
        {parts.slice(0, MAX_SHOWN).map(({ line, column, why }) => (
          <li key={`${line}:${column}`}>
            <Rich
              text={t.editor.inPlace.partAt}
              with={{
                a: (label) => (
                  <button type="button" class="link" onClick={() => onCode({ line, column })}>
                    {label}
                  </button>
                ),
                line: <>{line}</>,
                why: <>{WHY[why]}</>,
              }}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}
