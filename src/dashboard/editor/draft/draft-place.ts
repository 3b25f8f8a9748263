import { ApiError, answer, api, deleteAt } from '../../api.ts';
import { INDEX } from '../../sites.ts';
import { strongTag } from '../site-file.ts';

/** Text that is not published, and the ETag of what was live when the work began. */
export type Draft = { html: string; etag: string };

/** A draft as the account has it. `tag`: by which another one in its place is noticed. */
export type StoredDraft = Draft & { tag: string; updatedAt: string };

/** Where the account keeps the draft of a file. */
export type DraftPlace = {
  /** The name under which a tab keeps it. */
  name: string;
  /** Returns undefined where there is none. */
  read(signal?: AbortSignal): Promise<StoredDraft | undefined>;
  /** Stores it in place of the one with this tag; undefined: there is to be none. Returns its tag, and throws a 412 where it is another. */
  store(draft: Draft, tag: string | undefined): Promise<string>;
  /** Deletes the one with this tag. Throws a 412 where it is another. */
  remove(tag: string): Promise<void>;
};

const wanted = (tag: string | undefined) =>
  tag === undefined ? { 'If-None-Match': '*' as const } : { 'If-Match': tag };

/** Returns the answer about a draft with its tag; undefined where there is none. */
async function found<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<(NonNullable<T> & { tag: string }) | undefined> {
  try {
    return { ...(await answer(call)), tag: strongTag((await call).response) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Returns the tag of what was stored. */
async function tagOf(call: Promise<{ data?: unknown; error?: unknown; response: Response }>): Promise<string> {
  await answer(call);
  return strongTag((await call).response);
}

/** The place of the draft of a file of a page. */
export function placeOfFile(id: string, path: string): DraftPlace {
  const params = { path: { id }, query: path === INDEX ? {} : { file: path } };
  return {
    name: path === INDEX ? id : `${id}:${path}`,
    async read(signal) {
      const draft = await found(api.GET('/deploy/{id}/draft', { params, ...(signal && { signal }) }));
      return draft && { html: draft.html, etag: draft.etag ?? '', tag: draft.tag, updatedAt: draft.updated_at };
    },
    store({ html, etag }, tag) {
      const body = { html, ...(etag && { etag }) };
      return tagOf(api.PUT('/deploy/{id}/draft', { params: { ...params, header: wanted(tag) }, body }));
    },
    remove: (tag) => deleteAt(`/deploy/${id}/draft?${new URLSearchParams(params.query)}`, tag),
  };
}

/** The place of a draft of a page that was never published, by the name of the draft. */
export function placeOfNewPage(name: string): DraftPlace {
  const query = { name };
  return {
    name,
    async read(signal) {
      const draft = await found(api.GET('/draft', { params: { query }, ...(signal && { signal }) }));
      return draft && { html: draft.html, etag: '', tag: draft.tag, updatedAt: draft.updated_at };
    },
    store: ({ html }, tag) => tagOf(api.PUT('/draft', { params: { query, header: wanted(tag) }, body: { html } })),
    remove: (tag) => deleteAt(`/draft?${new URLSearchParams(query)}`, tag),
  };
}
