import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError, answer, api } from '../api.ts';
import { type Change, errorAt, useChange, useData } from '../data.ts';
import { type Labels, readLabels } from '../inbox/labels.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Field, Select, TextArea } from '../ui/field.tsx';
import { NoMail } from '../ui/no-mail.tsx';
import { type Page, PageView } from '../ui/page-view.tsx';
import { SavingForm } from '../ui/saving-form.tsx';
import { Shown } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';
import { CaptchaSnippet } from './settings/captcha-snippet.tsx';
import {
  AFTER_SENDING,
  changesOf,
  FIELDS,
  type Option,
  QUESTIONS,
  type SettingField,
  type Settings,
  type Typed,
  toTyped,
  typeInto,
  WHO_MAY_SEND,
} from './settings/fields.ts';

function Control({
  field: { control, label, hint },
  value,
  formFields,
  error,
  onChange,
}: {
  field: SettingField;
  value: string;
  formFields: readonly Option[];
  error: string | undefined;
  onChange(text: string): void;
}): JSX.Element {
  const shared = { label, hint, error };
  if (control === 'lines') return <TextArea {...shared} value={value} onChange={onChange} rows={3} />;
  if (control === 'texts') return <TextArea {...shared} value={value} onChange={onChange} rows={4} />;
  if (control === 'time') return <Field {...shared} type="datetime-local" value={value} onChange={onChange} />;
  if (control === 'form-field') return <Select {...shared} value={value} options={formFields} onChange={onChange} />;
  if (control === 'number') {
    // A field of the type number would have no text where it is none.
    return <Field {...shared} inputMode="numeric" autoComplete="off" value={value} onChange={onChange} />;
  }
  if (typeof control === 'string') {
    return <Field {...shared} type={control} autoComplete="off" value={value} onChange={onChange} />;
  }
  return <Select {...shared} value={value} options={control} onChange={onChange} />;
}

/** A change whose error has the labels of settings in place of their names in the API. */
function withLabels(change: Change): Change {
  if (change.state !== 'failed') return change;
  const names = Object.entries(FIELDS);
  const message = names.reduce((text, [name, { label }]) => text.replaceAll(name, label), change.message);
  return { ...change, message };
}

/** What was typed and not saved, by page: it is there again after a look at another view. */
const unsaved = new Map<string, { saved: Typed; typed: Typed }>();

/** The fields of the form, by their labels, and what was chosen before. */
const optionsOf = (labels: Labels, chosen: string): Option[] => [
  { value: '', label: 'No mail' },
  ...Array.from(labels, ([value, label]) => ({ value, label })),
  ...(chosen === '' || labels.has(chosen) ? [] : [{ value: chosen, label: chosen }]),
];

/** Sends the mail that visitors get to the owner. */
const Preview = ({ id, isChanged }: { id: string; isChanged: boolean }): JSX.Element => (
  <div class="stack">
    <NoMail />
    {isChanged ? (
      <p class="hint">Save to send yourself a preview of the mail.</p>
    ) : (
      <ActionButton
        icon="mail"
        run={() => answer(api.POST('/deploy/{id}/confirmation/preview', { params: { path: { id } } }))}
        done="The preview is on its way to you."
      >
        Send me a preview
      </ActionButton>
    )}
  </div>
);

function SettingsForm({ id, settings, labels }: { id: string; settings: Settings; labels: Labels }): JSX.Element {
  const [saved, setSaved] = useState(() => unsaved.get(id)?.saved ?? toTyped(settings));
  const [typed, setTyped] = useState(() => unsaved.get(id)?.typed ?? saved);
  const { change, run } = useChange({ isRepeatable: true });
  const isChanged = Object.keys(changesOf(typed, saved)).length > 0;
  useEffect(() => {
    if (!isChanged) {
      unsaved.delete(id);
      return undefined;
    }
    unsaved.set(id, { saved, typed });
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [id, isChanged, saved, typed]);

  const save = (): unknown =>
    run(async () => {
      const body = changesOf(typed, saved);
      await answer(api.PATCH('/deploy/{id}', { params: { path: { id } }, body }));
      const secret = 'spam.captcha.secret';
      setSaved({ ...typed, [secret]: '' });
      setTyped((now) => (now[secret] === typed[secret] ? { ...now, [secret]: '' } : now));
    });

  const labelled = withLabels(change);
  const { 'spam.captcha.provider': provider = '', 'spam.captcha.site_key': siteKey = '' } = typed;
  return (
    <SavingForm class="sections" change={labelled} isChanged={isChanged} onSave={save}>
      {QUESTIONS.map(({ question, fields }) => (
        <fieldset key={question} class="card">
          <legend>{question}</legend>
          {Object.entries(fields).map(
            ([name, field]) =>
              field.isShown?.(typed) !== false && (
                <Control
                  key={name}
                  field={field}
                  value={typed[name] ?? ''}
                  formFields={optionsOf(labels, typed[name] ?? '')}
                  error={errorAt(labelled, field.label)}
                  onChange={(text) => setTyped((before) => typeInto(before, name, text))}
                />
              ),
          )}
          {fields === AFTER_SENDING && typed['confirmation.field'] !== '' && <Preview id={id} isChanged={isChanged} />}
          {fields === WHO_MAY_SEND && provider !== '' && (
            <CaptchaSnippet provider={provider} siteKey={siteKey} id={id} />
          )}
        </fieldset>
      ))}
    </SavingForm>
  );
}

/** Deletes the page with all that it has received. */
function DeleteEverything({ page }: { page: Page }): JSX.Element {
  const { route } = useLocation();
  const params = { path: { id: page.id } };
  async function remove(): Promise<void> {
    try {
      await answer(api.DELETE('/deploy/{id}', { params }));
    } catch (error) {
      // The try before has put it into the trash, and did not come further.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
    await answer(api.DELETE('/trash/{id}', { params }));
  }
  return (
    <section class="card danger-zone" aria-labelledby="delete">
      <h2 id="delete">Delete all data</h2>
      <p>
        The page, its {counted(page.submission_count, 'submission')}, their files, its webhooks and its versions. It
        cannot be undone.
      </p>
      <ActionButton
        kind="danger"
        icon="trash"
        ask={{
          title: 'Delete all data?',
          button: 'Delete everything',
          typed: page.slug,
          typedLabel: `Type ${page.slug} to delete everything`,
          text: 'Nobody can restore it afterwards. To be able to, delete the page in the list of your pages instead.',
        }}
        run={remove}
        done={`${page.slug} and all of its data are gone.`}
        onDone={() => route('/dashboard')}
      >
        Delete all data
      </ActionButton>
    </section>
  );
}

function Loaded({ page }: { page: Page }): JSX.Element {
  const { id } = page;
  const loaded = useData(`settings:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal })),
  );
  const labels = useData(`labels:${id}`, (signal) => readLabels(id, signal)).data ?? new Map();
  return (
    <Shown loaded={loaded} label="Loading the settings">
      {(settings) => (
        <>
          <SettingsForm id={id} settings={settings} labels={labels} />
          <DeleteEverything page={page} />
        </>
      )}
    </Shown>
  );
}

/** The settings of a page. */
const SettingsView = (): JSX.Element => (
  <PageView title="Settings" isNarrow>
    {(page) => <Loaded key={page.id} page={page} />}
  </PageView>
);

export default SettingsView;
