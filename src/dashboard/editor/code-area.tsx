import type { JSX, RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Labelled } from '../ui/field.tsx';

/** Browsers are slow with a text of very many lines: it has no numbers. */
const MAX_NUMBERED_LINES = 5_000;

function scrollToLine(area: HTMLTextAreaElement, line: number): void {
  const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, (line - 3) * lineHeight);
}

/** Puts the cursor at a place in the text, and shows it. */
export function showPlace(area: HTMLTextAreaElement, { line, column }: { line: number; column: number }): void {
  const lines = area.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const end = start + (lines[line - 1]?.length ?? 0);
  area.focus();
  area.setSelectionRange(Math.min(start + column - 1, end), end);
  scrollToLine(area, line);
}

/** The numbers of so many lines. */
const numbersOf = (lines: number): string =>
  lines > MAX_NUMBERED_LINES ? '' : Array.from({ length: lines }, (_, index) => index + 1).join('\n');

/** The HTML of a page as text, with the numbers of its lines; a file can be dropped on it. */
export function CodeArea({
  area,
  html,
  onChange,
  onFile,
  error,
}: {
  area: RefObject<HTMLTextAreaElement | null>;
  html: string;
  onChange(html: string): void;
  onFile(file: File | undefined): void;
  error: string | undefined;
}): JSX.Element {
  const numbers = useRef<HTMLPreElement>(null);
  const lines = html.split('\n').length;
  const text = useMemo(() => numbersOf(lines), [lines]);
  // The texts of a page come after its styles.
  useEffect(() => {
    const head = html.slice(0, Math.max(0, html.search(/<body\b/i)));
    if (area.current) scrollToLine(area.current, head.split('\n').length);
  }, []);
  return (
    <Labelled
      label="HTML"
      hint={
        <>
          Or paste it. Write <code>method="post" action="{'{{FORM_ACTION}}'}"</code> in the form, or leave the action
          out: either way it is sent to you.
        </>
      }
      error={error}
    >
      {(control) => (
        <div class="code-area">
          <pre ref={numbers} aria-hidden="true">
            {text}
          </pre>
          <textarea
            {...control}
            ref={area}
            value={html}
            dir="ltr"
            spellcheck={false}
            autocapitalize="none"
            autocomplete="off"
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
            onScroll={({ currentTarget }) => numbers.current?.scrollTo(0, currentTarget.scrollTop)}
            onDrop={(event) => {
              if (!event.dataTransfer?.files.length) return;
              event.preventDefault();
              onFile(event.dataTransfer.files[0]);
            }}
          />
        </div>
      )}
    </Labelled>
  );
}
