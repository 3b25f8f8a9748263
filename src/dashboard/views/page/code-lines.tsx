import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Line } from './lines.ts';

const SIGNS = { none: ' ', added: '+', removed: '−', skipped: '⋯' };
const SAID = { none: undefined, added: 'Added: ', removed: 'Removed: ', skipped: undefined };

/** Controls that change the direction of a text are shown by their numbers: they could make code look like other code. */
const withoutControls = (text: string): string =>
  text.replaceAll(
    /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (control) => `⟨U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** Lines of code, with `line` in sight; the browser renders those in sight only. */
export function CodeLines({
  label,
  lines,
  line,
}: {
  label: string;
  lines: readonly Line[];
  line?: number | undefined;
}): JSX.Element {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (line === undefined) return;
    place.current?.focus({ preventScroll: true });
    place.current?.querySelector('.target')?.scrollIntoView({ block: 'center' });
  }, [lines, line]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll what has the focus.
    <section ref={place} class="code-lines" tabIndex={0} aria-label={label}>
      {lines.map(({ number, change, text }, index) => (
        <div key={index} class={`code-row ${change}${line !== undefined && number === line ? ' target' : ''}`}>
          <span class="code-number">{number}</span>
          <span class="code-sign" aria-hidden="true">
            {SIGNS[change]}
          </span>
          {SAID[change] && <span class="unseen">{SAID[change]}</span>}
          <bdi class="code-text">{withoutControls(text)}</bdi>
        </div>
      ))}
    </section>
  );
}
