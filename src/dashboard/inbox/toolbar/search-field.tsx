import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Form } from '../../ui/form.tsx';

/** The key `/` leads to it. */
export const SEARCH_ID = 'inbox-search';

/** A field that searches a moment after the last key. `q`: what is searched for. */
export function SearchField({
  q,
  placeholder,
  onSearch,
}: {
  q: string;
  placeholder: string;
  onSearch(q: string): void;
}): JSX.Element {
  const [typed, setTyped] = useState(q);
  const text = typed.trim();
  const searched = useRef(q);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  const search = (): void => {
    searched.current = text;
    latest.current(text);
  };
  useEffect(() => {
    if (text === q) return undefined;
    const timer = setTimeout(search, DASHBOARD_LIMITS.inbox.typingMs);
    return () => clearTimeout(timer);
  }, [text, q]);
  // *Clear*, and back and forward, change it too.
  useEffect(() => {
    if (q !== searched.current) setTyped(q);
    searched.current = q;
  }, [q]);
  return (
    <Form needs="nothing" class="search" onSubmit={search}>
      <label class="unseen" for={SEARCH_ID}>
        {t.inbox.toolbar.search}
      </label>
      <input
        id={SEARCH_ID}
        type="search"
        placeholder={placeholder}
        dir="auto"
        maxLength={DASHBOARD_LIMITS.inbox.queryChars}
        value={typed}
        autocomplete="off"
        enterkeyhint="search"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && typed === '') event.currentTarget.blur();
        }}
      />
    </Form>
  );
}
