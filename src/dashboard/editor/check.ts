import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';

/** A page is checked when nothing was typed for this time. */
const TYPING_MS = 500;

/** A text, once nothing was typed for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The result of the form check; a message where the HTML can't be checked. */
export function useCheck(html: string): Schemas['CheckedPage'] | string | undefined {
  const [checked, setChecked] = useState<Schemas['CheckedPage'] | string>();
  useEffect(() => {
    setChecked(undefined);
    if (html.trim() === '') return undefined;
    const stopping = new AbortController();
    const { signal } = stopping;
    answer(api.POST('/check', { body: { html }, signal })).then(setChecked, (error) => {
      if (!signal.aborted) setChecked(`The page could not be checked: ${error.message}`);
    });
    return () => stopping.abort();
  }, [html]);
  return checked;
}
