import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError, answer, api } from '../api.ts';
import { type Change, useChange, useData } from '../data.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Field, Select, TextArea } from '../ui/field.tsx';
import { type Page, PageView } from '../ui/page-view.tsx';
import { SavingForm } from '../ui/saving-form.tsx';
import { Shown } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';
import { CaptchaSnippet } from './settings/captcha-snippet.tsx';
import {
  changesOf,
  FIELDS,
  QUESTIONS,
  type SettingField,
  type Settings,
  type Typed,
  toTyped,
} from './settings/fields.ts';

function Control({
  field: { control, label, hint },
  value,
  error,
  onChange,
}: {
  field: SettingField;
  value: string;
  error: string | undefined;
  onChange(text: string): void;
}): JSX.Element {
  const shared = { label, hint, error };
  if (control === 'lines') return <TextArea {...shared} value={value} onChange={onChange} rows={3} />;
  if (control === 'number') {
    // A field of the type number would have no text where it is none.
    return <Field {...shared} inputMode="numeric" autoComplete="off" value={value} onChange={onChange} />;
  }
  if (typeof control === 'string') {
    return <Field {...shared} type={control} autoComplete="off" value={value} onChange={onChange} />;
  }
  return <Select {...shared} value={value} options={control} onChange={onChange} />;
}

/** An error of the API, with the label of the setting whose name it begins with; `name`: of that setting. */
function locate(change: Change): { name?: string; change: Change } {
  if (change.state !== 'failed') return { change };
  const [name = ''] = change.message.split(' ');
  const label = FIELDS[name]?.label;
  return label === undefined
    ? { change }
    : { name, change: { ...change, message: change.message.replace(name, label) } };
}

/** What was typed and not saved, by page: it is there again after a look at another view. */
const unsaved = new Map<string, { saved: Typed; typed: Typed }>();

function SettingsForm({ id, settings }: { id: string; settings: Settings }): JSX.Element {
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

  const problem = locate(change);
  const { 'spam.captcha.provider': provider = '', 'spam.captcha.site_key': siteKey = '' } = typed;
  return (
    <SavingForm class="sections" change={problem.change} isChanged={isChanged} onSave={save}>
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
                  error={
                    problem.name === name && problem.change.state === 'failed' ? problem.change.message : undefined
                  }
                  onChange={(text) => setTyped((before) => ({ ...before, [name]: text }))}
                />
              ),
          )}
          {question === 'Who may send' && provider !== '' && (
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
  return (
    <Shown loaded={loaded} label="Loading the settings">
      {(settings) => (
        <>
          <SettingsForm id={id} settings={settings} />
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
