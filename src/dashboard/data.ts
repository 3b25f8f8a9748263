import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, ConnectionError, pause } from './api.ts';
import { type FieldLabels, type FieldSentences, type FormProblem, formProblem } from './dashboard-words.ts';

/** The data of a view. `data` stays while it is read again. */
export type Loaded<T> = {
  data: T | undefined;
  error: Error | undefined;
  isLoading: boolean;
  /** Reads it again. */
  reload(): void;
};

export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * Reads what a view shows, again when `key` changes. `key` names what is read. `seen`: what was read before by its key, so that
 * going back shows it at once, while it is read again.
 */
export function useData<T>(key: string, load: (signal: AbortSignal) => Promise<T>, seen?: Map<string, T>): Loaded<T> {
  type State = { key: string; data: T | undefined; error: Error | undefined; isLoading: boolean };
  const initial = (): State => ({ key, data: seen?.get(key), error: undefined, isLoading: true });
  const [state, setState] = useState<State>(initial);
  const [count, setCount] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const stopping = new AbortController();
    setState((before) => (before.key === key ? { ...before, isLoading: true } : initial()));
    latest.current(stopping.signal).then(
      (data) => {
        if (stopping.signal.aborted) return;
        seen?.set(key, data);
        setState({ key, data, error: undefined, isLoading: false });
      },
      (thrown) => {
        if (stopping.signal.aborted) return;
        setState((before) => ({ ...before, error: toError(thrown), isLoading: false }));
      },
    );
    return () => stopping.abort();
  }, [key, count]);

  const current = state.key === key ? state : initial();
  return { ...current, reload: useCallback(() => setCount((before) => before + 1), []) };
}

export type LoadedPages<T> = Loaded<{ items: readonly T[]; total: number }> & {
  /** Reads one more page. */
  more(): void;
};

/** Reads the first page of a list, and as many more as are asked for. `limit`: of one page. */
export function usePages<T extends { id: string }>(
  key: string,
  limit: number,
  load: (
    query: { page: number; limit: number },
    signal: AbortSignal,
  ) => Promise<{ items: readonly T[]; total: number }>,
  seen?: Map<string, { items: readonly T[]; total: number }>,
): LoadedPages<T> {
  const shownBefore = (): number => Math.max(1, Math.ceil((seen?.get(key)?.items.length ?? 0) / limit));
  const pages = useRef({ key, shown: shownBefore() });
  if (pages.current.key !== key) pages.current = { key, shown: shownBefore() };
  const loaded = useData(
    key,
    async (signal) => {
      // By id: an item that comes, or goes, meanwhile moves the others from one page to another.
      const items = new Map<string, T>();
      for (let page = 1; ; page += 1) {
        const read = await load({ page, limit }, signal);
        for (const item of read.items) items.set(item.id, item);
        if (page >= pages.current.shown || page * limit >= read.total) {
          return { items: [...items.values()], total: read.total };
        }
      }
    },
    seen,
  );
  const more = (): void => {
    pages.current.shown += 1;
    loaded.reload();
  };
  return { ...loaded, more };
}

export type Change =
  | { state: 'none' | 'saving' | 'saved' }
  /** `isRetried`: it is tried again by itself. */
  | ({ state: 'failed'; isRetried: boolean } & FormProblem);

/** Returns the error of a field, by its name in the API. */
export const errorOf = (change: Change, field: string): string | undefined =>
  change.state === 'failed' ? change.atFields[field] : undefined;

/** The fields that errors may be about, and what is said at them in place of the service's sentence. */
type FormWords = { labels?: FieldLabels | undefined; sentenceOf?: FieldSentences | undefined };

function failureOf(thrown: unknown, { labels, sentenceOf }: FormWords): FormProblem {
  if (thrown instanceof ApiError && thrown.problem) return formProblem(thrown.problem, labels, sentenceOf);
  return { message: toError(thrown).message, atFields: {} };
}

/**
 * Makes changes, one at a time, and says how the last one went. `isRepeatable`: making the change twice does no harm, so
 * that it is tried again by itself when the connection was lost.
 */
export function useChange({ isRepeatable = false, ...words }: FormWords & { isRepeatable?: boolean } = {}): {
  change: Change;
  /** Answers whether the change was made. */
  run(make: () => Promise<void>): Promise<boolean>;
  clear(): void;
} {
  const [change, setChange] = useState<Change>({ state: 'none' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function run(make: () => Promise<void>): Promise<boolean> {
    running.current?.abort();
    const current = new AbortController();
    running.current = current;
    const { signal } = current;
    setChange({ state: 'saving' });
    for (let tries = 0; !signal.aborted; tries += 1) {
      try {
        await make();
        if (!signal.aborted) setChange({ state: 'saved' });
        return true;
      } catch (thrown) {
        if (signal.aborted) return false;
        const isRetried = isRepeatable && thrown instanceof ConnectionError;
        setChange({ state: 'failed', isRetried, ...failureOf(thrown, words) });
        if (!isRetried) return false;
      }
      await pause(tries, signal).catch(() => undefined);
    }
    return false;
  }

  return { change, run, clear: () => setChange({ state: 'none' }) };
}

/** The header of a request that makes something: tries with the same `parts` of its body make it once, if an answer was lost. */
export const useOnce = (...parts: readonly unknown[]): { 'Idempotency-Key': string } =>
  useMemo(() => ({ 'Idempotency-Key': crypto.randomUUID() }), parts);

const draftKey = (name: string): string => `draft:${name}`;

/** Returns a typed text that this tab keeps. */
export const keptDraft = (name: string): string | undefined => sessionStorage.getItem(draftKey(name)) ?? undefined;

/** Returns the names of all typed texts that this tab keeps. */
export const keptDrafts = (): string[] =>
  Object.keys(sessionStorage).flatMap((key) => (key.startsWith(draftKey('')) ? [key.slice(draftKey('').length)] : []));

/** Keeps a text in this tab, so that the view that has it begins with it. One that is larger than what a tab may keep is not kept. */
export function keepDraft(name: string, text: string): void {
  try {
    sessionStorage.setItem(draftKey(name), text);
  } catch {
    sessionStorage.removeItem(draftKey(name));
  }
}

/** Keeps a text no longer than the view that has it. */
export const forgetDraft = (name: string): void => sessionStorage.removeItem(draftKey(name));

/** A typed text, kept in this tab over a reload until it is dropped. */
export function useDraft(name: string, initial = ''): [string, (text: string) => void, () => void] {
  const key = draftKey(name);
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? initial);
  const keep = (changed: string): void => {
    setText(changed);
    keepDraft(name, changed);
  };
  const drop = (): void => {
    sessionStorage.removeItem(key);
    setText('');
  };
  return [text, keep, drop];
}
