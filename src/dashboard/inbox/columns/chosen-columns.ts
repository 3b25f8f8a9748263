import { useState } from 'preact/hooks';

const keyOf = (pageId: string): string => `columns:${pageId}`;

/** The names that this browser keeps for a page; undefined when nobody has chosen. */
function readChosen(pageId: string): readonly string[] | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(pageId)) ?? 'null');
    return Array.isArray(kept) && kept.length > 0 ? kept.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** The fields that the owner has chosen as columns of a page, kept in this browser. Without names, they are chosen by themselves. */
export function useChosenColumns(
  pageId = '',
): [chosen: readonly string[] | undefined, choose: (names: readonly string[] | undefined) => void] {
  const [state, setState] = useState(() => ({ pageId, chosen: readChosen(pageId) }));
  const chosen = state.pageId === pageId ? state.chosen : readChosen(pageId);
  return [
    chosen,
    (names) => {
      setState({ pageId, chosen: names });
      if (names) localStorage.setItem(keyOf(pageId), JSON.stringify(names));
      else localStorage.removeItem(keyOf(pageId));
    },
  ];
}
