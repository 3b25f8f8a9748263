import { signal } from '@preact/signals';
import { ApiError } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { forgetDraft, keepDraft, keptDraft, toError } from '../../data.ts';
import { isNewPageName, keptNames } from '../../new-page-drafts.ts';
import { readAgain } from '../../other-tabs.ts';
import { INDEX } from '../../sites.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { say } from '../../ui/say.tsx';
import { type Draft, type DraftPlace, placeOfFile, placeOfNewPage, type StoredDraft } from './draft-place.ts';

/**
 * `kept`: the account has it. `waiting`: it will be sent, or is on its way. `conflict`: the account has another one, which somebody has
 * stored elsewhere since this tab has read it; nothing is sent until a person has chosen.
 */
export type DraftState =
  | { state: 'kept' | 'waiting' }
  | { state: 'failed'; error: Error }
  | { state: 'conflict'; other: StoredDraft };

/** How often a draft is stored anew that others change at the same moment. */
const MAX_TRIES = 5;

/**
 * What somebody types in a file of a page: this tab keeps it until the account has it. One request is sent at a time, and the last change
 * counts. What could not be sent is tried again with the next change, and when the editor is left or opened.
 */
export class PageDraft {
  readonly state = signal<DraftState>({ state: 'kept' });
  /** Shows another text in the editor; undefined while none is open, which says itself how the draft is kept. */
  show: ((draft: Draft) => void) | undefined;
  readonly #place: DraftPlace;
  /** The tag of the draft of the account that this tab knows; undefined: of none. */
  #tag: string | undefined;
  /** The account may have this one: the answer was lost. */
  #unsure: Draft | undefined;
  /** The account has something else; undefined: it has this. */
  #wanted: Draft | 'none' | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  readonly #ask = (event: BeforeUnloadEvent): void => event.preventDefault();

  constructor(place: DraftPlace) {
    this.#place = place;
    this.#tag = keptDraft(`tag:${place.name}`) || undefined;
    // The answer about it may have come after the page was left.
    this.#unsure = this.#inTab();
  }

  /** Why this tab alone has it, in a sentence; undefined where the account has it, or nothing is to be kept. */
  get reason(): string | undefined {
    const { value } = this.state;
    if (value.state === 'conflict') return t.editor.draft.newer.why;
    return value.state === 'failed' && this.#wanted !== 'none' ? value.error.message : undefined;
  }

  /** True if this tab has what is not published, and the account perhaps not yet. */
  get isInTab(): boolean {
    return this.#wanted !== undefined || this.#inTab() !== undefined;
  }

  /** Keeps a draft in this tab at once, and in the account a moment after the last change. */
  keep(draft: Draft): void {
    const { name } = this.#place;
    keepDraft(`html:${name}`, draft.html);
    keepDraft(`etag:${name}`, draft.etag);
    this.#want(draft);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), DASHBOARD_LIMITS.editor.draftMs);
  }

  /** Deletes the draft here and in the account, where another one that somebody has stored meanwhile stays. */
  drop(): void {
    this.#forget();
    this.#want('none');
    void this.flush();
  }

  /** Deletes a draft as `drop` does. Returns how to bring it back, which throws where this tab has a newer one by then. */
  discard(draft: Draft): () => void {
    const tag = this.#tag;
    this.drop();
    return () => {
      const isGone = this.#wanted === undefined && (this.#tag === undefined || this.#tag === tag);
      if (!isGone && this.#wanted !== 'none') throw new Error(t.editor.draft.isNewer);
      this.keep(draft);
      this.show?.(draft);
    };
  }

  /** Goes on with the draft of this tab or with that of the account, where both differ. Returns the latter. */
  choose(choice: 'mine' | 'other'): StoredDraft | undefined {
    const { value } = this.state;
    if (value.state !== 'conflict') return undefined;
    const { other } = value;
    this.#tag = other.tag;
    if (choice === 'other') {
      this.#forget();
      this.#want(undefined);
    } else {
      this.state.value = { state: 'waiting' };
      this.#keepTag();
      void this.flush();
    }
    return other;
  }

  /** Goes on with what this tab has kept since before it was loaded anew. */
  resume(): Draft | undefined {
    const draft = this.#inTab();
    if (this.#wanted === undefined && draft) this.#want(draft);
    return draft;
  }

  /** Sends at once what waits. It never rejects: `state` says how it went. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isDue()) this.#sending ??= this.#send();
    return this.#sending ?? Promise.resolve();
  }

  /** Returns what is not published: as this tab has it where the account does not have it yet, otherwise that of the account. */
  async read(signal: AbortSignal): Promise<Draft | undefined> {
    await this.flush();
    if (this.#wanted === 'none') return undefined;
    if (this.#wanted) return this.#wanted;
    const draft = this.resume();
    if (draft) {
      void this.flush();
      return draft;
    }
    const found = await this.#place.read(signal);
    this.#tag = found?.tag;
    return found && { html: found.html, etag: found.etag };
  }

  #isDue(): boolean {
    return this.#wanted !== undefined && this.state.value.state !== 'conflict' && this.#timer === undefined;
  }

  #want(wanted: Draft | 'none' | undefined): void {
    this.#wanted = wanted;
    if (wanted === undefined || wanted === 'none') removeEventListener('beforeunload', this.#ask);
    else addEventListener('beforeunload', this.#ask);
    this.#keepTag();
    const { state } = this.state.value;
    // The last failure is shown until something was stored.
    if (wanted === undefined) this.state.value = { state: 'kept' };
    else if (state === 'kept' || (state === 'conflict' && wanted === 'none')) this.state.value = { state: 'waiting' };
  }

  /** Keeps the tag as long as a draft that is in this tab alone. */
  #keepTag(): void {
    const isWaiting = this.#wanted !== undefined && this.#wanted !== 'none';
    if (isWaiting) keepDraft(`tag:${this.#place.name}`, this.#tag ?? '');
    else forgetDraft(`tag:${this.#place.name}`);
  }

  /** Returns what this tab keeps. */
  #inTab(): Draft | undefined {
    const html = keptDraft(`html:${this.#place.name}`);
    return html === undefined ? undefined : { html, etag: keptDraft(`etag:${this.#place.name}`) ?? '' };
  }

  #forget(): void {
    forgetDraft(`html:${this.#place.name}`);
    forgetDraft(`etag:${this.#place.name}`);
  }

  /** Sends the last change, and what changes meanwhile unless its own moment is still to come. */
  async #send(): Promise<void> {
    let sent: Draft | 'none' | undefined;
    while (this.#wanted !== undefined && this.#wanted !== sent && this.#isDue()) {
      sent = this.#wanted;
      const outcome = await this.#store(sent);
      this.#keepTag();
      if (outcome && 'tag' in outcome && sent !== 'none') this.#meet(outcome);
      else if (this.#wanted === sent) this.#end(sent, outcome instanceof Error ? outcome : undefined);
    }
    this.#sending = undefined;
  }

  /** Returns why it could not be stored, or the draft that the account has in its place. */
  async #store(wanted: Draft | 'none'): Promise<Error | StoredDraft | undefined> {
    try {
      for (let tries = 1; ; tries += 1) {
        const refusal = this.#unsure ? undefined : await this.#try(wanted);
        if (!this.#unsure && !refusal) return undefined;
        const other = await this.#lookAgain(wanted);
        if (other ?? (tries === MAX_TRIES && refusal)) return other ?? refusal;
      }
    } catch (error) {
      if (wanted !== 'none' && !(error instanceof ApiError)) this.#unsure = wanted;
      return toError(error);
    }
  }

  /** Returns the refusal where the account has another draft than this tab knows of. */
  async #try(wanted: Draft | 'none'): Promise<ApiError | undefined> {
    try {
      if (wanted !== 'none') this.#tag = await this.#place.store(wanted, this.#tag);
      else if (this.#tag !== undefined) await this.#place.remove(this.#tag);
      if (wanted === 'none') this.#tag = undefined;
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) return error;
      throw error;
    }
  }

  /** Reads the draft of the account. Returns it unless this tab knows it, has sent it, or wants it. */
  async #lookAgain(wanted: Draft | 'none'): Promise<StoredDraft | undefined> {
    const unsure = this.#unsure;
    const found = await this.#place.read();
    this.#unsure = undefined;
    const isOwn = [wanted, unsure].some((own) => typeof own === 'object' && own.html === found?.html);
    if (found && found.tag !== this.#tag && !isOwn) return found;
    this.#tag = found?.tag;
    return undefined;
  }

  /** Waits for a person to choose, unless what was sent is not wanted any more. */
  #meet(other: StoredDraft): void {
    if (this.#wanted === undefined || this.#wanted === 'none') return;
    this.state.value = { state: 'conflict', other };
    this.#sayWhere();
  }

  /** Says that this tab alone has it, unless the editor does. */
  #sayWhere(): void {
    if (!this.show) say(fill(t.editor.draft.onlyInTab, { why: this.reason ?? '' }));
  }

  #end(sent: Draft | 'none', error: Error | undefined): void {
    if (error) {
      this.state.value = { state: 'failed', error };
      if (sent === 'none') say(fill(t.editor.draft.stillThere, { why: error.message }));
      else this.#sayWhere();
      return;
    }
    this.#forget();
    this.#want(undefined);
    // The list of pages was read before.
    if (!this.show) readAgain();
  }
}

const drafts = new Map<string, PageDraft>();

function draftAt(place: DraftPlace): PageDraft {
  const draft = drafts.get(place.name) ?? new PageDraft(place);
  drafts.set(place.name, draft);
  return draft;
}

/** Returns the draft of a file of a page, the same in all views: a request may go on when its view is left. */
export const draftOf = (id: string, path: string = INDEX): PageDraft => draftAt(placeOfFile(id, path));

/** Returns the draft of a page that was never published, by its name. */
export const newPageDraft = (name: string): PageDraft => draftAt(placeOfNewPage(name));

/** Returns the draft that this tab keeps under a name. */
function draftNamed(name: string): PageDraft {
  if (isNewPageName(name)) return newPageDraft(name);
  const [id = '', ...path] = name.split(':');
  return draftOf(id, path.length === 0 ? INDEX : path.join(':'));
}

/** Sends all drafts that wait, before the session ends. Throws where this tab alone has one: it would be lost. */
export async function flushDrafts(): Promise<void> {
  for (const name of keptNames()) draftNamed(name).resume();
  const all = [...drafts.values()];
  await Promise.all(all.map((draft) => draft.flush()));
  const [why] = all.flatMap((draft) => draft.reason ?? []);
  if (why !== undefined) throw new Error(fill(t.editor.draft.onlyInTab, { why }));
}
