import { useEffect, useRef, useState } from 'preact/hooks';
import type { Submission } from './submissions.ts';

/** Which submissions of a list are selected; `key` names the list: a new one begins with none. */
export function useSelected(rows: readonly Submission[], key: string) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const rangeStart = useRef<string>(undefined);
  useEffect(() => setIds(new Set()), [key]);

  /** Selects a submission, or those from the one before to it; or none of them, if it was selected. */
  function toggle(id: string, isRange: boolean): void {
    // By ids: new submissions move the others.
    const end = rows.findIndex((row) => row.id === id);
    const start = isRange ? rows.findIndex((row) => row.id === rangeStart.current) : end;
    rangeStart.current = id;
    const changed = new Set(ids);
    for (const row of rows.slice(Math.min(start < 0 ? end : start, end), Math.max(start, end) + 1)) {
      if (ids.has(id)) changed.delete(row.id);
      else changed.add(row.id);
    }
    setIds(changed);
  }

  return {
    rows: rows.filter((row) => ids.has(row.id)),
    ids,
    toggle,
    selectAll: () => setIds(new Set(rows.map((row) => row.id))),
    clear: () => setIds(new Set()),
  };
}

export type Selected = ReturnType<typeof useSelected>;
