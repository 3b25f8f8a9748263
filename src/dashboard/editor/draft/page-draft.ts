import { signal } from '@preact/signals';
import { ApiError, answer, api, deleteAt } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { forgetDraft, keepDraft, keptDraft, toError } from '../../data.ts';
import { readAgain } from '../../other-tabs.ts';
import { INDEX } from '../../sites.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { say } from '../../ui/say.tsx';

/** Text that is not published, and the ETag of what was live when the work began. */
export type Draft = { html: string; etag: string };

/** `kept`: the account has it. `waiting`: it will be sent, or is on its way. */
export type DraftState = { state: 'kept' | 'waiting' } | { state: 'failed'; error: Error };

/**
 * What somebody types in a file of a page: this tab keeps it until the account has it. One request is sent at a time, and the last change
 * counts. What could not be sent is tried again with the next change, and when the editor is left or opened.
 */
export class PageDraft {
  readonly state = signal<DraftState>({ state: 'kept' });
  /** True while the editor shows it, and says itself how it is kept. */
  isShown = false;
  readonly #id: string;
  readonly #path: string;
  /** The name under which this tab keeps it. */
  readonly #name: string;
  /** The account has something else; undefined: it has this. */
  #wanted: Draft | 'none' | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  readonly #ask = (event: BeforeUnloadEvent): void => event.preventDefault();

  /** `path`: of the file. */
  constructor(id: string, path: string) {
    this.#id = id;
    this.#path = path;
    this.#name = path === INDEX ? id : `${id}:${path}`;
  }

  get #params() {
    return { path: { id: this.#id }, query: this.#path === INDEX ? {} : { file: this.#path } };
  }

  /** True if this tab has what is not published, and the account perhaps not yet. */
  get isInTab(): boolean {
    return this.#wanted !== undefined || keptDraft(`html:${this.#name}`) !== undefined;
  }

  /** Keeps a draft in this tab at once, and in the account a moment after the last change. */
  keep(draft: Draft): void {
    keepDraft(`html:${this.#name}`, draft.html);
    keepDraft(`etag:${this.#name}`, draft.etag);
    this.#want(draft);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), DASHBOARD_LIMITS.editor.draftMs);
  }

  /** Deletes the draft here and in the account. */
  drop(): void {
    this.#forget();
    this.#want('none');
    void this.flush();
  }

  /** Sends at once what waits. It never rejects: `state` says how it went. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#wanted !== undefined) this.#sending ??= this.#send();
    return this.#sending ?? Promise.resolve();
  }

  /** Returns what is not published: as this tab has it where the account does not have it yet, otherwise that of the account. */
  async read(signal: AbortSignal): Promise<Draft | undefined> {
    await this.flush();
    if (this.#wanted === 'none') return undefined;
    if (this.#wanted) return this.#wanted;
    const html = keptDraft(`html:${this.#name}`);
    if (html !== undefined) {
      const draft = { html, etag: keptDraft(`etag:${this.#name}`) ?? '' };
      this.keep(draft);
      return draft;
    }
    try {
      const draft = await answer(api.GET('/deploy/{id}/draft', { params: this.#params, signal }));
      return { html: draft.html, etag: draft.etag ?? '' };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  #want(wanted: Draft | 'none' | undefined): void {
    this.#wanted = wanted;
    if (wanted === undefined || wanted === 'none') removeEventListener('beforeunload', this.#ask);
    else addEventListener('beforeunload', this.#ask);
    // The last failure is shown until something was stored.
    if (wanted === undefined) this.state.value = { state: 'kept' };
    else if (this.state.value.state === 'kept') this.state.value = { state: 'waiting' };
  }

  #forget(): void {
    forgetDraft(`html:${this.#name}`);
    forgetDraft(`etag:${this.#name}`);
  }

  /** Sends the last change, and what changes meanwhile unless its own moment is still to come. */
  async #send(): Promise<void> {
    let sent: Draft | 'none' | undefined;
    while (this.#wanted !== undefined && this.#wanted !== sent && this.#timer === undefined) {
      sent = this.#wanted;
      const error = await this.#store(sent);
      if (this.#wanted === sent) this.#end(sent, error);
    }
    this.#sending = undefined;
  }

  /** Returns why it could not be stored. */
  async #store(wanted: Draft | 'none'): Promise<Error | undefined> {
    try {
      if (wanted === 'none') {
        await deleteAt(`/deploy/${this.#id}/draft?${new URLSearchParams(this.#params.query)}`);
        return undefined;
      }
      const { html, etag } = wanted;
      await answer(api.PUT('/deploy/{id}/draft', { params: this.#params, body: { html, ...(etag && { etag }) } }));
      return undefined;
    } catch (error) {
      return toError(error);
    }
  }

  #end(sent: Draft | 'none', error: Error | undefined): void {
    if (error) {
      this.state.value = { state: 'failed', error };
      if (sent === 'none') say(fill(t.editor.draft.stillThere, { why: error.message }));
      else if (!this.isShown) say(fill(t.editor.draft.onlyInTab, { why: error.message }));
      return;
    }
    this.#forget();
    this.#want(undefined);
    // The list of pages was read before.
    if (!this.isShown) readAgain();
  }
}

const drafts = new Map<string, PageDraft>();

/** Returns the draft of a file of a page, the same in all views: a request may go on when its view is left. */
export function draftOf(id: string, path: string = INDEX): PageDraft {
  const key = `${id}:${path}`;
  const draft = drafts.get(key) ?? new PageDraft(id, path);
  drafts.set(key, draft);
  return draft;
}

/** Sends all drafts that wait, before the session ends. */
export const flushDrafts = (): Promise<unknown> => Promise.all([...drafts.values()].map((draft) => draft.flush()));
