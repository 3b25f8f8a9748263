import type { JSX, RefObject, TextareaHTMLAttributes } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** Browsers are slow with a text of very many lines: it has no numbers. */
const MAX_NUMBERED_LINES = 5_000;
/** Lines in sight, where no style sets the height. */
const SHOWN_LINES = 25;

function scrollToLine(area: HTMLTextAreaElement, line: number): void {
  const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, (line - 3) * lineHeight);
}

/** The numbers of so many lines. */
const numbersOf = (lines: number): string =>
  lines > MAX_NUMBERED_LINES ? '' : Array.from({ length: lines }, (_, index) => index + 1).join('\n');

/** The HTML of a page with the numbers of its lines, beginning at its body: its texts come after its styles. */
export function CodeArea({
  area,
  html,
  ...attributes
}: Omit<TextareaHTMLAttributes, 'value'> & {
  area: RefObject<HTMLTextAreaElement | null>;
  html: string;
}): JSX.Element {
  const numbers = useRef<HTMLPreElement>(null);
  const lines = html.split('\n').length;
  const text = useMemo(() => numbersOf(lines), [lines]);
  useEffect(() => {
    const head = html.slice(0, Math.max(0, html.search(/<body\b/i)));
    if (area.current) scrollToLine(area.current, head.split('\n').length);
  }, []);
  return (
    <div class="code-area">
      <pre ref={numbers} aria-hidden="true">
        {text}
      </pre>
      <textarea
        {...attributes}
        ref={area}
        value={html}
        rows={Math.min(lines, SHOWN_LINES)}
        dir="ltr"
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        onScroll={({ currentTarget }) => numbers.current?.scrollTo(0, currentTarget.scrollTop)}
      />
    </div>
  );
}
