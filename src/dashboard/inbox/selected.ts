import { useEffect, useRef, useState } from 'preact/hooks';

/** Which rows of a list are selected; `key` names the list: a new one begins with none. */
export function useSelected<Row extends { id: string }>(rows: readonly Row[], key: string) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const rangeStart = useRef<string>(undefined);
  const select = (selected: readonly string[], all = false): void => {
    setIds(new Set(selected));
    setAll(all);
  };
  useEffect(() => select([]), [key]);

  /** Selects a row, or those from the one before to it; or none of them, if it was selected. */
  function toggle(id: string, isRange: boolean): void {
    // By ids: new rows move the others.
    const end = rows.findIndex((row) => row.id === id);
    const start = isRange ? rows.findIndex((row) => row.id === rangeStart.current) : end;
    rangeStart.current = id;
    const changed = new Set(ids);
    for (const row of rows.slice(Math.min(start < 0 ? end : start, end), Math.max(start, end) + 1)) {
      if (ids.has(id)) changed.delete(row.id);
      else changed.add(row.id);
    }
    select([...changed]);
  }

  const loaded = rows.map((row) => row.id);
  return {
    rows: rows.filter((row) => ids.has(row.id)),
    ids,
    /** Also those that are not loaded. */
    isAll,
    toggle,
    selectLoaded: () => select(loaded),
    selectAll: () => select(loaded, true),
    clear: () => select([]),
  };
}

export type Selected<Row extends { id: string }> = ReturnType<typeof useSelected<Row>>;
