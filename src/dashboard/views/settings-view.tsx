import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError, answer, api } from '../api.ts';
import { errorOf, useChange, useData } from '../data.ts';
import { type Labels, useLabels } from '../inbox/column-labels.ts';
import { type FormField, LABELS, type Option, type Settings, type Typed } from '../setting-fields.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Field, Select, TextArea } from '../ui/field.tsx';
import { SavingForm } from '../ui/form.tsx';
import { NoMail } from '../ui/no-mail.tsx';
import { type Page, PageView } from '../ui/page-layout.tsx';
import { Section } from '../ui/section.tsx';
import { Shown } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';
import { Address } from './settings/address-section.tsx';
import { CaptchaSnippet } from './settings/captcha-snippet.tsx';
import { changesOf, SECTIONS, toTyped, typeInto } from './settings/typed.ts';

function Control({
  field: { control, label, hint },
  value,
  formFields,
  error,
  onChange,
}: {
  field: FormField;
  value: string;
  formFields: readonly Option[];
  error: string | undefined;
  onChange(text: string): void;
}): JSX.Element {
  const shared = { label, hint, error };
  if (control === 'lines' || control === 'texts') {
    return <TextArea {...shared} value={value} onChange={onChange} rows={4} />;
  }
  if (control === 'form-field' || typeof control !== 'string') {
    return (
      <Select {...shared} value={value} options={control === 'form-field' ? formFields : control} onChange={onChange} />
    );
  }
  const typing = { ...shared, value, onChange, autoComplete: 'off' };
  // A field of the type number would have no text where it is none.
  if (control === 'number') return <Field {...typing} inputMode="numeric" />;
  return <Field {...typing} type={control === 'time' ? 'datetime-local' : control} />;
}

/** The fields of the form, by their labels, and what was chosen before. */
const optionsOf = (labels: Labels, chosen: string): Option[] => [
  { value: '', label: 'No mail' },
  ...Array.from(labels, ([value, { label }]) => ({ value, label })),
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

/** Typed values that are not saved, by page: they are there again after a look at another view. */
const unsaved = new Map<string, { saved: Typed; typed: Typed }>();

/** Keeps what is typed and not saved, and asks before the window closes with it. */
function useUnsaved(id: string, settings: Settings) {
  const [saved, setSaved] = useState(() => unsaved.get(id)?.saved ?? toTyped(settings));
  const [typed, setTyped] = useState(() => unsaved.get(id)?.typed ?? saved);
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
  return { saved, setSaved, typed, setTyped, isChanged };
}

function SettingsForm({ id, settings, labels }: { id: string; settings: Settings; labels: Labels }): JSX.Element {
  const { saved, setSaved, typed, setTyped, isChanged } = useUnsaved(id, settings);
  const { change, run } = useChange({ isRepeatable: true, labels: LABELS });

  function save(): Promise<boolean> {
    return run(async () => {
      await answer(api.PATCH('/deploy/{id}', { params: { path: { id } }, body: changesOf(typed, saved) }));
      const secret = 'spam.captcha.secret';
      setSaved({ ...typed, [secret]: '' });
      setTyped((now) => (now[secret] === typed[secret] ? { ...now, [secret]: '' } : now));
    });
  }

  const { 'spam.captcha.provider': provider = '', 'spam.captcha.site_key': siteKey = '' } = typed;
  return (
    <SavingForm change={change} isChanged={isChanged} onSave={save}>
      {SECTIONS.map(({ question, fields }) => (
        <Section key={question} title={question} isSplit>
          {Array.from(
            fields,
            ([name, field]) =>
              field.isShown?.(typed) !== false && (
                <Control
                  key={name}
                  field={field}
                  value={typed[name] ?? ''}
                  formFields={optionsOf(labels, typed[name] ?? '')}
                  error={errorOf(change, name)}
                  onChange={(text) => setTyped((before) => typeInto(before, name, text))}
                />
              ),
          )}
          {fields.has('confirmation.field') && typed['confirmation.field'] !== '' && (
            <Preview id={id} isChanged={isChanged} />
          )}
          {fields.has('spam.captcha.provider') && provider !== '' && (
            <CaptchaSnippet provider={provider} siteKey={siteKey} id={id} />
          )}
        </Section>
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
    <Section
      title="Delete all data"
      hint={`The page, its ${counted(page.submission_count, 'submission')}, their files, its webhooks and its versions.`}
      isSplit
    >
      <ActionButton
        kind="danger"
        icon="trash"
        ask={{
          title: 'Delete all data?',
          button: 'Delete everything',
          typed: page.slug,
          text: 'Nobody can restore it afterwards. To be able to, delete the page in the list of your pages instead.',
        }}
        run={remove}
        done={`${page.slug} and all of its data are gone.`}
        onDone={() => route('/dashboard')}
      >
        Delete all data
      </ActionButton>
    </Section>
  );
}

function Loaded({ page }: { page: Page }): JSX.Element {
  const { id } = page;
  const loaded = useData(`settings:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/settings', { params: { path: { id } }, signal })),
  );
  const labels = useLabels(id);
  return (
    <Shown loaded={loaded} label="Loading the settings">
      {(settings) => (
        <>
          <Address page={page} />
          <SettingsForm id={id} settings={settings} labels={labels} />
          <DeleteEverything page={page} />
        </>
      )}
    </Shown>
  );
}

/** The settings of a page. */
const SettingsView = (): JSX.Element => (
  <PageView title="Settings">{(page) => <Loaded key={page.id} page={page} />}</PageView>
);

export default SettingsView;
