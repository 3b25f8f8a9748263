import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { answer, api } from '../api.ts';
import type { Overviewed } from '../own-pages.ts';
import { pageLinks } from '../page-links.ts';
import { mayAs } from '../permissions.ts';
import { counted, t } from '../texts/chosen-texts.ts';

/** The errors that were found, by the page and the time of its last change. */
const found = new Map<string, Promise<number>>();

/** The end of the check that was asked for last: one runs at a time, since each reads whole pages. */
let last: Promise<unknown> = Promise.resolve();

const CHECKS = 'GET /deploy/{id}/check';

async function check(id: string): Promise<number> {
  const { problems } = await answer(api.GET('/deploy/{id}/check', { params: { path: { id } } }));
  return problems.filter(({ severity }) => severity === 'error').length;
}

/** Counts the errors of a page that the form check finds. A page that can't be checked has none. */
function countErrors({ id, updated_at: changedAt }: Overviewed, isWanted: () => boolean): Promise<number> {
  const key = `${id} ${changedAt}`;
  const known = found.get(key);
  if (known) return known;
  const counting = last.then(async () => {
    if (isWanted()) return check(id);
    found.delete(key);
    return 0;
  });
  const settled = counting.catch(() => 0);
  found.set(key, settled);
  last = settled;
  return settled;
}

/** Says in a list that a form of a page leads nowhere. The page is checked once it comes into sight. */
export function PageProblems({ page }: { page: Overviewed }): JSX.Element {
  const place = useRef<HTMLSpanElement>(null);
  const [errors, setErrors] = useState(0);
  useEffect(() => {
    if (!mayAs(page.role, CHECKS)) return undefined;
    let isGone = false;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      void countErrors(page, () => !isGone).then((count) => !isGone && setErrors(count));
    });
    if (place.current) observer.observe(place.current);
    return () => {
      isGone = true;
      observer.disconnect();
    };
  }, [page.id, page.updated_at]);
  return (
    <span ref={place}>
      {errors > 0 && (
        <a class="badge bad" href={pageLinks(page.id).page}>
          {counted(t.pages.state.problems, errors)}
        </a>
      )}
    </span>
  );
}
