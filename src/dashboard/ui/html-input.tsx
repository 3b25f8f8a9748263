import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { DASHBOARD_LIMITS } from '../limits.ts';
import { TextArea } from './field.tsx';
import { Findings } from './findings.tsx';

/** What the form check says of HTML, a moment after it was typed; a message where it can't be checked. */
function useCheck(html: string): Schemas['CheckedPage'] | string | undefined {
  const [checked, setChecked] = useState<Schemas['CheckedPage'] | string>();
  useEffect(() => {
    if (html.trim() === '') {
      setChecked(undefined);
      return undefined;
    }
    const stopping = new AbortController();
    const { signal } = stopping;
    const timer = setTimeout(() => {
      answer(api.POST('/check', { body: { html }, signal })).then(setChecked, (error) => {
        if (!signal.aborted) setChecked(`The page could not be checked: ${error.message}`);
      });
    }, DASHBOARD_LIMITS.pages.typingMs);
    return () => {
      clearTimeout(timer);
      stopping.abort();
    };
  }, [html]);
  return checked;
}

/** Puts the cursor at a place in the text, and shows it. */
function showPlace(area: HTMLTextAreaElement, { line, column }: { line: number; column: number }): void {
  const lines = area.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const end = start + (lines[line - 1]?.length ?? 0);
  area.focus();
  area.setSelectionRange(Math.min(start + column - 1, end), end);
  const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, (line - 3) * lineHeight);
}

/** A page as HTML: pasted, dropped, or chosen as a file. */
export function HtmlInput({
  html,
  onChange,
  error,
}: {
  html: string;
  onChange(html: string): void;
  error?: string | undefined;
}): JSX.Element {
  const id = useId();
  const checked = useCheck(html);
  const area = useRef<HTMLTextAreaElement>(null);
  async function read(file: File | undefined): Promise<void> {
    if (file) onChange(await file.text());
  }
  return (
    <div class="stack">
      <div class="field">
        <label for={id}>Choose a file, or drop it here</label>
        <input
          id={id}
          type="file"
          accept=".html,.htm,text/html"
          onChange={({ currentTarget }) => read(currentTarget.files?.[0])}
        />
      </div>
      <TextArea
        label="HTML"
        hint={
          <>
            Or paste it. Write <code>method="post" action="{'{{FORM_ACTION}}'}"</code> in the form, or leave the action
            out: either way it is sent to you.
          </>
        }
        value={html}
        onChange={onChange}
        rows={14}
        isCode
        area={area}
        error={error}
      />
      <div aria-live="polite">
        {typeof checked === 'string' && <p class="muted">{checked}</p>}
        {checked instanceof Object && (
          <Findings checked={checked} onShow={(problem) => area.current && showPlace(area.current, problem)} />
        )}
      </div>
    </div>
  );
}
