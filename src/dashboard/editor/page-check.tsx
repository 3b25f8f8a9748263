import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Findings } from '../ui/findings.tsx';

/** A page is checked and shown when nothing was typed for this time. */
const TYPING_MS = 500;

/** Returns a text, once nothing was typed for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Problems that other files of a site may solve: they are in the check of the whole site. */
const OF_SITE: readonly Schemas['FormProblem']['code'][] = ['no-form', 'relative-asset'];

/** Checks a page; one of a site without what its other files may solve. */
export async function checkHtml(
  html: string,
  isOfSite: boolean,
  signal?: AbortSignal,
): Promise<Schemas['CheckedPage']> {
  const { problems, ...page } = await answer(api.POST('/check', { body: { html }, ...(signal && { signal }) }));
  return { ...page, problems: problems.filter(({ code }) => !isOfSite || !OF_SITE.includes(code)) };
}

type CheckProps = { html: string; isOfSite: boolean; isCode: boolean; onShow(problem: Schemas['FormProblem']): void };

/** The check of what is typed. `isCode`: no field beside it shows the title. */
export function PageCheck({ html, isOfSite, isCode, onShow }: CheckProps): JSX.Element {
  const { data: checked, error } = useData(html, (signal) => checkHtml(html, isOfSite, signal));
  return (
    <div aria-live="polite">
      {error && <p class="muted">{fill(t.editor.check.failed, { why: error.message })}</p>}
      {checked && <Findings checked={checked} onShow={onShow} />}
      {isCode && checked && checked.title !== null && (
        <p class="muted">
          <Rich text={t.editor.check.calledByTitle} with={{ title: checked.title, tag: <>{'<title>'}</> }} />
        </p>
      )}
    </div>
  );
}
