import { useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError, answer, api } from '../api.ts';
import { type Change, useChange } from '../data.ts';
import { LABELS, type Settings, sentenceOf, type Typed } from '../setting-fields.ts';
import { counted, fill, t } from '../texts/chosen-texts.ts';
import { say } from '../ui/say.tsx';
import { type Edits, editsOf, keepEdits, rebased } from './kept-edits.ts';
import { changedNames, changesOf, countChanges, itemAt, NEW_RECIPIENT, toTyped, typeInto } from './typed.ts';

/** The settings of a page, and the tag by which the service knows whether they have changed since. */
export type ReadSettings = { settings: Settings; etag: string };

export async function readSettings(id: string, signal?: AbortSignal): Promise<ReadSettings> {
  const call = api.GET('/deploy/{id}/settings', { params: { path: { id } }, ...(signal && { signal }) });
  const settings = await answer(call);
  return { settings, etag: (await call).response.headers.get('ETag') ?? '' };
}

/** Each try meets a change that somebody has saved in the moment before. */
const MAX_TRIES = 5;

const freshEdits = ({ settings, etag }: ReadSettings): Edits => {
  const read = toTyped(settings);
  return { settings, read, etag, typed: read, theirs: {} };
};

/** Saves what is changed. Without a conflict with changes of others, both stay. */
async function saveEdits(id: string, form: string, fresh: Edits): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { typed, read, theirs, etag } = editsOf(form) ?? fresh;
    const conflicts = Object.keys(theirs).length;
    if (conflicts > 0) {
      throw new Error(counted(t.settings.conflict.toChoose, conflicts));
    }
    if (changedNames(typed, read).length === 0) return;
    const body = changesOf(typed, read);
    const params = { path: { id }, header: { 'If-Match': etag } };
    const isSaved = await answer(api.PATCH('/deploy/{id}', { params, body })).then(
      () => true,
      (error) => {
        if (error instanceof ApiError && error.status === 412) return false;
        throw error;
      },
    );
    const now = freshEdits(await readSettings(id));
    keepEdits(form, rebased(editsOf(form) ?? fresh, now, isSaved ? typed : read));
    if (isSaved) return;
  }
  throw new Error(t.settings.conflict.noEnd);
}

export type EditedSettings = Edits & {
  /** How many changes are not saved. */
  count: number;
  change: Change;
  /** The errors of fields whose values are those that were refused, by their names. */
  errors: Readonly<Record<string, string>>;
  /** `text`: the new one, or what makes it of the one that is there. */
  type(name: string, text: string | ((now: string) => string)): void;
  /** Ends a conflict with a change of somebody else. */
  choose(name: string, whose: 'mine' | 'theirs'): void;
  save(): Promise<boolean>;
  discard(): void;
};

/** The settings of a page in the form of a view, which has what is typed there until it is saved or discarded. */
export function useEditedSettings(view: string, id: string, found: ReadSettings): EditedSettings {
  const form = `${view}:${id}`;
  const fresh = freshEdits(found);
  const edits = editsOf(form) ?? fresh;
  const refused = useRef<Typed>({});
  const { change, run, clear } = useChange({
    isRepeatable: true,
    labels: LABELS,
    sentenceOf(name, fault) {
      const item = fault.index === undefined ? undefined : itemAt(refused.current, name, fault.index);
      const sentence = sentenceOf(name, fault);
      return item === undefined || sentence === undefined ? sentence : fill(t.settings.wrong.item, { item, sentence });
    },
  });
  // Others may have changed them while another view was looked at.
  useLayoutEffect(() => keepEdits(form, rebased(edits, fresh)), [form, found]);

  const put = (part: Partial<Edits>): void => keepEdits(form, { ...(editsOf(form) ?? fresh), ...part });
  const sentAs = (typed: Typed, name: string) => [
    typed[name],
    ...(name === 'recipients' ? [typed[NEW_RECIPIENT]] : []),
  ];
  const isAsRefused = (name: string): boolean =>
    sentAs(edits.typed, name).join('\n') === sentAs(refused.current, name).join('\n');
  const atFields = change.state === 'failed' ? Object.entries(change.atFields) : [];
  const errors = Object.fromEntries(atFields.filter(([name]) => isAsRefused(name)));
  const isCorrected = atFields.length > 0 && Object.keys(errors).length === 0;
  return {
    ...edits,
    count: countChanges(edits.typed, edits.read),
    change: change.state === 'failed' ? (isCorrected ? { state: 'none' } : { ...change, atFields: errors }) : change,
    errors,
    type(name, text) {
      const { typed } = editsOf(form) ?? fresh;
      put({ typed: typeInto(typed, name, typeof text === 'string' ? text : text(typed[name] ?? '')) });
    },
    choose(name, whose) {
      const { typed, theirs } = editsOf(form) ?? fresh;
      const { [name]: value = '', ...others } = theirs;
      put({ theirs: others, ...(whose === 'theirs' && { typed: { ...typed, [name]: value } }) });
      clear();
    },
    async save() {
      const isSaved = await run(() => {
        refused.current = (editsOf(form) ?? fresh).typed;
        return saveEdits(id, form, fresh);
      });
      if (isSaved) say(t.shared.saved);
      return isSaved;
    },
    discard() {
      const before = editsOf(form) ?? fresh;
      put({ typed: before.read, theirs: {} });
      clear();
      const count = before === fresh ? 0 : countChanges(before.typed, before.read);
      say(counted(t.settings.discarded, count), async () =>
        keepEdits(
          form,
          rebased({ ...(editsOf(form) ?? fresh), typed: before.typed, theirs: before.theirs }, editsOf(form) ?? fresh),
        ),
      );
    },
  };
}
