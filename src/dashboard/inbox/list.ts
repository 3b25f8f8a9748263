import { signal } from '@preact/signals';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { ApiError, answer, api } from '../api.ts';
import { readAnswer, readSubmission, type Submission, toRow } from './submissions.ts';

/*
 * The submissions that a filter lets through, newest first, as many as there are, of which only those near the screen are in
 * memory. They are in blocks. Without a filter all blocks are known from the start, and any of them can be read: the number
 * at its position is looked up. With one they are found from the newest on.
 */

export type Filter = {
  q: string;
  /** Days in the zone of the browser, such as 2026-01-31, or empty. */
  from: string;
  to: string;
  unread: boolean;
  starred: boolean;
};

type Block = {
  /** Before which cursor it begins, when that is known; null: with the newest. */
  cursor: string | null | undefined;
  /** Where the search for more of its rows goes on. */
  next: string | null;
  rows: Submission[];
  /** How many rows it has when it is complete; of a search that goes on not known, and 0. */
  count: number;
  isComplete: boolean;
  reading: AbortController | undefined;
};

const dayStart = (day: string, later = 0): string | undefined => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  return day === '' || Number.isNaN(start.getTime()) ? undefined : start.toISOString();
};

export const isFiltered = ({ q, from, to, unread, starred }: Filter): boolean =>
  q !== '' || from !== '' || to !== '' || unread || starred;

function queryOf({ q, from, to, unread, starred }: Filter) {
  const start = dayStart(from);
  const end = dayStart(to, 1);
  return {
    ...(q !== '' && { q }),
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { to: end }),
    ...(unread && { unread: 'true' as const }),
    ...(starred && { starred: 'true' as const }),
  };
}

export type Progress = {
  state: 'loading' | 'searching' | 'stopped' | 'ready';
  /** How many submissions were looked at, of how many. */
  searched: number;
  total: number;
  error: Error | undefined;
};

export type List = ReturnType<typeof createList>;

export function createList(id: string, filter: Filter) {
  const path = { deployId: id };
  const hasFilter = isFiltered(filter);
  /** Rises with every change. */
  const version = signal(0);
  const closing = new AbortController();
  let progress: Progress = { state: 'loading', searched: 0, total: 0, error: undefined };
  let blocks: Block[] = [];
  let fresh: Submission[] = [];
  /** New submissions of which it is not known whether the filter lets them through. */
  let missed = 0;
  /** What came while the list was read. */
  const waiting: Submission[] = [];
  /** They are about to be deleted. */
  const hidden = new Set<string>();
  let wanted = { first: 0, last: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPumping = false;
  let searching = new AbortController();
  let generation = 0;

  const changed = (): void => {
    version.value += 1;
  };
  const newBlock = (cursor: string | null | undefined, count: number): Block => ({
    cursor,
    next: cursor ?? null,
    rows: [],
    count,
    isComplete: false,
    reading: undefined,
  });
  const shownOf = (rows: readonly Submission[]): readonly Submission[] =>
    hidden.size === 0 ? rows : rows.filter((row) => !hidden.has(row.id));
  /** How many rows of the screen a block has. */
  const sizeOf = (block: Block): number =>
    block.isComplete ? shownOf(block.rows).length : Math.max(block.count, block.rows.length);

  async function search(cursor: string | null, limit: number, signal: AbortSignal) {
    const query = { ...queryOf(filter), limit, ...(cursor !== null && { cursor }) };
    const text = await answer(
      api.GET('/submissions/{deployId}/search', { params: { path, query }, parseAs: 'text', signal }),
    );
    const { submissions, rest } = readAnswer(text);
    const next = rest.get('next_cursor') ?? 'null';
    return {
      rows: submissions.map(toRow),
      next: next === 'null' ? null : next.slice(1, -1),
      searched: Number(rest.get('searched')),
      total: Number(rest.get('total')),
    };
  }

  /** The cursor before which the submission at a position is; undefined beyond the last one, null for the first. */
  async function cursorAt(position: number, signal: AbortSignal): Promise<string | null | undefined> {
    const listed = await answer(
      api.GET('/submissions/{deployId}', {
        params: { path, query: { page: position + 1, limit: 1 } },
        parseAs: 'text',
        signal,
      }),
    );
    const [found] = readAnswer(listed).submissions;
    if (!found) return undefined;
    const after = await answer(
      api.GET('/submissions/{deployId}/after/{cursor}', {
        params: { path: { ...path, cursor: found.id }, query: { limit: 1 } },
        parseAs: 'text',
        signal,
      }),
    );
    const { submissions, rest } = readAnswer(after);
    return submissions.length === 0 ? null : (rest.get('cursor') ?? '""').slice(1, -1);
  }

  const startOf = (index: number): number =>
    blocks.slice(0, index).reduce((sum, block) => sum + block.count, fresh.length);

  /** The end of a block is the start of the next one. */
  function connectNext(index: number, cursor: string | null): void {
    if (cursor === null) {
      for (const block of blocks.slice(index + 1)) block.reading?.abort();
      blocks = blocks.slice(0, index + 1);
      return;
    }
    const next = blocks[index + 1];
    if (!next) blocks.push(newBlock(cursor, DASHBOARD_LIMITS.inbox.blockRows));
    else if (next.cursor !== cursor) {
      next.reading?.abort();
      blocks[index + 1] = newBlock(cursor, next.count);
    }
  }

  /** Where others have deleted submissions, the list is as much shorter, and positions are looked up again. */
  function matchTotal(): void {
    let extra = startOf(blocks.length) - progress.total;
    if (extra <= 0) return;
    const near = new Set(nearBlocks());
    blocks = blocks.map((block) => (near.has(block) || block.reading ? block : newBlock(undefined, block.count)));
    for (let last = blocks.at(-1); last && extra > 0 && !near.has(last) && !last.reading; last = blocks.at(-1)) {
      const taken = Math.min(extra, last.count);
      last.count -= taken;
      extra -= taken;
      if (last.count === 0) blocks.pop();
    }
  }

  async function read(block: Block, tries = 0): Promise<void> {
    const reading = new AbortController();
    block.reading = reading;
    const signal = AbortSignal.any([reading.signal, closing.signal]);
    try {
      if (block.cursor === undefined) {
        const found = await cursorAt(startOf(blocks.indexOf(block)), signal);
        if (found === undefined) {
          connectNext(blocks.indexOf(block) - 1, null);
          return;
        }
        block.cursor = found;
      }
      let { cursor } = block;
      const rows: Submission[] = [];
      do {
        const found = await search(cursor, DASHBOARD_LIMITS.inbox.blockRows - rows.length, signal);
        rows.push(...found.rows);
        cursor = found.next;
        progress = { ...progress, total: found.total };
        block.rows = [...rows];
        changed();
      } while (cursor !== null && rows.length < DASHBOARD_LIMITS.inbox.blockRows);
      block.count = rows.length;
      block.isComplete = true;
      connectNext(blocks.indexOf(block), cursor);
      if (!hasFilter) matchTotal();
    } catch (error) {
      if (signal.aborted) return;
      // What was at the position has been deleted meanwhile: it is looked up again.
      if (
        error instanceof ApiError &&
        error.status === 404 &&
        block.cursor === undefined &&
        tries < DASHBOARD_LIMITS.inbox.startTries
      ) {
        await read(block, tries + 1);
        return;
      }
      progress = { ...progress, error: error instanceof Error ? error : new Error(String(error)) };
    } finally {
      if (block.reading === reading) block.reading = undefined;
      if (!closing.signal.aborted) changed();
    }
  }

  /** Blocks far from the screen are read again when they are needed. */
  function forget(near: readonly Block[]): void {
    const kept = blocks.filter((block) => block.rows.length > 0 && !block.reading && !near.includes(block));
    const middle = blocks.indexOf(near[0] ?? blocks[0] ?? newBlock(null, 0));
    const byDistance = kept.toSorted(
      (one, other) => Math.abs(blocks.indexOf(other) - middle) - Math.abs(blocks.indexOf(one) - middle),
    );
    for (const block of byDistance.slice(0, Math.max(0, kept.length - DASHBOARD_LIMITS.inbox.blocks))) {
      if (hasFilter && !block.isComplete) continue;
      block.rows = [];
      block.isComplete = false;
    }
  }

  /** The blocks that the screen shows, then those on each side of it. */
  function nearBlocks(): Block[] {
    let at = fresh.length;
    const found = blocks.flatMap((block, index) => {
      const [start, end] = [at, at + sizeOf(block)];
      at = end;
      return end >= wanted.first && start <= wanted.last ? [index] : [];
    });
    const [first = 0] = found;
    const last = found.at(-1) ?? first;
    const sides = [blocks[last + 1], blocks[first - 1]].flatMap((block) => (block ? [block] : []));
    return [...blocks.slice(first, last + 1), ...sides];
  }

  function readNear(): void {
    const near = nearBlocks();
    for (const block of blocks) if (block.reading && !near.includes(block)) block.reading.abort();
    if (!isPumping) void pump();
    forget(near);
  }

  async function pump(): Promise<void> {
    isPumping = true;
    try {
      // One after the other: each tells where the next begins.
      for (;;) {
        const block = nearBlocks().find((one) => !one.isComplete && !one.reading);
        if (!block || progress.error || closing.signal.aborted) return;
        await read(block);
      }
    } finally {
      isPumping = false;
    }
  }

  /** Searches on until there are rows beyond the screen, or until it is stopped. */
  async function searchOn(): Promise<void> {
    if (isPumping) return;
    isPumping = true;
    const started = generation;
    searching = new AbortController();
    const stopping = searching.signal;
    const signal = AbortSignal.any([stopping, closing.signal]);
    try {
      for (;;) {
        const block = blocks.at(-1);
        const rows = blocks.reduce((sum, one) => sum + (one.isComplete ? one.count : one.rows.length), fresh.length);
        if (!block || block.isComplete || progress.state === 'stopped') return;
        if (rows > wanted.last + DASHBOARD_LIMITS.inbox.rowsAhead) {
          progress = { ...progress, state: 'ready' };
          return;
        }
        progress = { ...progress, state: 'searching' };
        const found = await search(block.next, DASHBOARD_LIMITS.inbox.blockRows - block.rows.length, signal);
        if (started !== generation) return;
        block.rows.push(...found.rows);
        progress = { ...progress, searched: progress.searched + found.searched, total: found.total };
        if (found.next === null) {
          block.count = block.rows.length;
          block.isComplete = true;
          progress = { ...progress, state: 'ready', searched: found.total };
        } else if (block.rows.length >= DASHBOARD_LIMITS.inbox.blockRows) {
          block.count = block.rows.length;
          block.isComplete = true;
          blocks.push(newBlock(found.next, 0));
        } else block.next = found.next;
        changed();
      }
    } catch (error) {
      if (signal.aborted || started !== generation) return;
      progress = {
        ...progress,
        state: 'stopped',
        error: error instanceof Error ? error : new Error(String(error)),
      };
    } finally {
      isPumping = false;
      if (!closing.signal.aborted) {
        changed();
        // The list was begun again meanwhile, or the search goes on after a stop.
        if (started !== generation || stopping.aborted) void searchOn();
      }
    }
  }

  async function start(): Promise<void> {
    await readAll();
    if (progress.state !== 'loading') add(waiting.splice(0));
  }

  async function readAll(): Promise<void> {
    generation += 1;
    for (const block of blocks) block.reading?.abort();
    searching.abort();
    fresh = [];
    missed = 0;
    progress = { state: 'loading', searched: 0, total: progress.total, error: undefined };
    changed();
    if (hasFilter) {
      blocks = [newBlock(null, 0)];
      await searchOn();
      return;
    }
    const first = newBlock(null, 0);
    const before = generation;
    blocks = [first];
    await read(first);
    if (before !== generation) return;
    if (first.isComplete && blocks.length > 1) {
      const rest = progress.total - first.count;
      const counts = Array.from({ length: Math.ceil(rest / DASHBOARD_LIMITS.inbox.blockRows) }, (_, index) =>
        Math.min(DASHBOARD_LIMITS.inbox.blockRows, rest - index * DASHBOARD_LIMITS.inbox.blockRows),
      );
      const cursor = blocks[1]?.cursor;
      blocks = [first, ...counts.map((count, index) => newBlock(index === 0 ? cursor : undefined, count))];
    }
    progress = { ...progress, state: 'ready' };
    changed();
    readNear();
  }

  /** A filter that finds too few rows forgets none of them; these blocks are read again. */
  function readForgotten(): void {
    const near = nearBlocks().filter((block) => block !== blocks.at(-1) && !block.isComplete && !block.reading);
    for (const block of near) void read(block);
    forget(nearBlocks());
  }

  /** Adds new submissions, which come oldest first; answers how many of them are shown. */
  function add(submissions: readonly Submission[]): number {
    const known = new Set([...fresh, ...(blocks[0]?.rows ?? [])].map((row) => row.id));
    const added = submissions.filter((submission) => !known.has(submission.id));
    if (progress.state === 'loading') waiting.push(...added);
    if (added.length === 0 || progress.state === 'loading') return 0;
    progress = { ...progress, total: progress.total + added.length };
    if (filter.q !== '' || filter.starred || filter.from !== '' || filter.to !== '') {
      missed += added.length;
      changed();
      return 0;
    }
    if (fresh.length + added.length > DASHBOARD_LIMITS.inbox.freshRows) {
      void start();
      return 0;
    }
    fresh = [...added.map(toRow).toReversed(), ...fresh];
    changed();
    return added.length;
  }

  const rowsOf = (from: readonly Submission[], ids: ReadonlySet<string>) => from.filter((row) => ids.has(row.id));

  return {
    version,
    start,
    get progress(): Progress {
      return progress;
    },
    get missed(): number {
      return missed;
    },
    /** How many rows there are, in memory or not. */
    get count(): number {
      return blocks.reduce((sum, block) => sum + sizeOf(block), shownOf(fresh).length);
    },

    /** The rows from one position to another; undefined for those that are not in memory. */
    rows(first: number, last: number): (Submission | undefined)[] {
      const found: (Submission | undefined)[] = shownOf(fresh).slice(first, last + 1);
      let at = shownOf(fresh).length;
      for (const block of blocks) {
        const size = sizeOf(block);
        if (at > last) break;
        if (at + size > first) {
          const shown = shownOf(block.rows);
          for (let index = Math.max(0, first - at); index < size && at + index <= last; index += 1) {
            found.push(shown[index]);
          }
        }
        at += size;
      }
      return found;
    },

    /** All rows in memory, with their positions. */
    known(): { row: Submission; index: number }[] {
      const found = shownOf(fresh).map((row, index) => ({ row, index }));
      let at = found.length;
      for (const block of blocks) {
        for (const [index, row] of shownOf(block.rows).entries()) found.push({ row, index: at + index });
        at += sizeOf(block);
      }
      return found;
    },

    /** Says which rows are on the screen. */
    want(first: number, last: number): void {
      wanted = { first, last };
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (closing.signal.aborted || progress.state === 'loading') return;
        if (hasFilter) {
          readForgotten();
          void searchOn();
        } else readNear();
      }, DASHBOARD_LIMITS.inbox.readAfterMs);
    },

    /** Whoever stops a search wants no answer to what it has just asked. */
    stop(): void {
      progress = { ...progress, state: 'stopped' };
      searching.abort();
      changed();
    },
    goOn(): void {
      progress = { ...progress, state: 'searching', error: undefined };
      changed();
      if (hasFilter) void searchOn();
      else readNear();
    },

    add,

    mark(ids: ReadonlySet<string>, marks: { read?: boolean; starred?: boolean }): void {
      for (const rows of [fresh, ...blocks.map((block) => block.rows)]) {
        for (const row of rowsOf(rows, ids)) Object.assign(row, marks);
      }
      changed();
    },
    hide(ids: Iterable<string>): void {
      for (const id of ids) hidden.add(id);
      changed();
    },
    show(ids: Iterable<string>): void {
      for (const id of ids) hidden.delete(id);
      changed();
    },
    /** They are gone: positions on the service change. */
    remove(ids: ReadonlySet<string>): void {
      const keeps = (row: Submission): boolean => !ids.has(row.id);
      const before = fresh.length + blocks.reduce((sum, block) => sum + block.count, 0);
      fresh = fresh.filter(keeps);
      for (const block of blocks) {
        const left = block.rows.filter(keeps);
        if (left.length === block.rows.length) continue;
        block.count -= block.rows.length - left.length;
        block.rows = left;
      }
      const after = fresh.length + blocks.reduce((sum, block) => sum + block.count, 0);
      progress = { ...progress, total: Math.max(0, progress.total - (before - after)) };
      for (const id of ids) hidden.delete(id);
      changed();
    },

    close(): void {
      clearTimeout(timer);
      closing.abort();
    },
  };
}

/** New submissions after a cursor; `cursor`: where to go on. */
export async function readAfter(
  id: string,
  cursor: string,
  signal: AbortSignal,
): Promise<{ submissions: Submission[]; cursor: string }> {
  const text = await answer(
    api.GET('/submissions/{deployId}/after/{cursor}', {
      params: { path: { deployId: id, cursor }, query: { limit: 100 } },
      parseAs: 'text',
      signal,
    }),
  );
  const { submissions, rest } = readAnswer(text);
  return { submissions, cursor: (rest.get('cursor') ?? '"0"').slice(1, -1) };
}

/** One submission, whole. */
export async function readOne(id: string, submissionId: string, signal: AbortSignal): Promise<Submission> {
  const params = { path: { deployId: id, submissionId } };
  return readSubmission(
    await answer(api.GET('/submissions/{deployId}/{submissionId}', { params, parseAs: 'text', signal })),
  );
}

/** The id of the newest submission, from which new ones follow; undefined when there is none. */
export async function readNewest(id: string, signal: AbortSignal): Promise<string | undefined> {
  const params = { path: { deployId: id }, query: { limit: 1 } };
  const text = await answer(api.GET('/submissions/{deployId}', { params, parseAs: 'text', signal }));
  return readAnswer(text).submissions[0]?.id;
}
