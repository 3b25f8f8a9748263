import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { counted } from '../../ui/time.tsx';
import type { CodePlace } from '../code/code-editor.ts';
import { untouchable } from '../source/fixed-parts.ts';
import type { PageSource } from '../source/page-source.ts';

/** A page can have thousands. */
const MAX_SHOWN = 20;

/** The parts of a page that are edited in the code, each with why and with its line. */
export function UntouchableParts({
  source,
  onCode,
}: {
  source: PageSource;
  onCode(place: CodePlace): void;
}): JSX.Element | null {
  const parts = useMemo(() => untouchable(source), [source]);
  if (parts.length === 0) return null;
  return (
    <details>
      <summary>{counted(parts.length, 'part is', 'parts are')} edited in the code</summary>
      <ul class="stack">
        {parts.slice(0, MAX_SHOWN).map(({ line, column, why }) => (
          <li key={`${line}:${column}`}>
            <button type="button" class="link" onClick={() => onCode({ line, column })}>
              line {line}
            </button>
            : {why}
          </li>
        ))}
      </ul>
    </details>
  );
}
