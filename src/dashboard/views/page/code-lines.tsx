import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Line } from './lines.ts';

const ROW_PX = 20;
/** Rows rendered above and below those in sight. */
const MARGIN = 20;
const SIGNS = { none: ' ', added: '+', removed: '−', skipped: '⋯' };
const SAID = { none: undefined, added: 'Added: ', removed: 'Removed: ', skipped: undefined };

/** Controls that change the direction of a text are shown by their numbers: they could make code look like other code. */
const withoutControls = (text: string): string =>
  text.replaceAll(
    /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g,
    (control) => `⟨U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

/** Where to scroll to; a new object scrolls again. */
export type Target = { line: number };

/** Lines of code, of which those in sight are rendered. */
export function CodeLines({
  label,
  rows,
  target,
}: {
  label: string;
  rows: readonly Line[];
  target?: Target | undefined;
}): JSX.Element {
  const place = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const widest = useMemo(() => rows.reduce((most, { text }) => Math.max(most, text.length), 0), [rows]);
  const digits = String(rows.reduce((most, { number = 0 }) => Math.max(most, number), 0)).length;

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const sizes = new ResizeObserver(() => setHeight(element.clientHeight));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useEffect(() => place.current?.scrollTo({ top: 0, left: 0 }), [rows]);
  useEffect(() => {
    const element = place.current;
    if (!element || !target) return;
    const row = rows.findIndex(({ number }) => number === target.line);
    if (row < 0) return;
    element.scrollTo({ top: row * ROW_PX - element.clientHeight / 3, left: 0 });
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest' });
  }, [rows, target]);

  const first = Math.max(0, Math.floor(top / ROW_PX) - MARGIN);
  const shown = rows.slice(first, Math.ceil((top + height) / ROW_PX) + MARGIN);
  return (
    <section
      ref={place}
      class="code-lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll what has the focus.
      tabIndex={0}
      aria-label={label}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div
        class="code-all"
        style={{ height: `${rows.length * ROW_PX}px`, minWidth: `max(100%, ${widest + digits + 6}ch)` }}
      >
        <div style={{ transform: `translateY(${first * ROW_PX}px)` }}>
          {shown.map(({ number, change, text }, index) => (
            <div key={first + index} class={`code-row ${change}${target && number === target.line ? ' target' : ''}`}>
              <span class="code-number" style={{ width: `${digits + 1}ch` }}>
                {number}
              </span>
              <span class="code-sign" aria-hidden="true">
                {SIGNS[change]}
              </span>
              {SAID[change] && <span class="unseen">{SAID[change]}</span>}
              <bdi class="code-text">{withoutControls(text)}</bdi>
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
