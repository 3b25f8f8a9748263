import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Schemas } from '../../client/client.ts';
import { LANGUAGES, type Language } from '../../lib/languages.ts';
import { ApiError, answer, api } from '../api.ts';
import { useChange, useData } from '../data.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { CopyButton } from '../ui/button.tsx';
import { Checkbox, Field, Select, TextArea } from '../ui/field.tsx';
import { type Page, PageView } from '../ui/page-view.tsx';
import { SavingForm } from '../ui/saving-form.tsx';
import { Shown } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';

type Settings = Schemas['Settings'];
type Provider = NonNullable<Settings['spam']['captcha']>['provider'];

const names = new Intl.DisplayNames(undefined, { type: 'language' });
const LANGUAGE_OPTIONS: readonly { value: Language | ''; label: string }[] = [
  { value: '', label: 'As the page, or as the browser wants' },
  ...LANGUAGES.map((value) => ({ value, label: names.of(value) ?? value })),
];

const PROVIDERS: readonly { value: Provider | ''; label: string }[] = [
  { value: '', label: 'None' },
  { value: 'altcha', label: 'ALTCHA (of this service, no third party)' },
  { value: 'turnstile', label: 'Cloudflare Turnstile' },
  { value: 'hcaptcha', label: 'hCaptcha' },
  { value: 'recaptcha', label: 'Google reCAPTCHA' },
];

/** What to put into the form, by provider. */
function captchaSnippet(provider: Provider, siteKey: string, id: string): string {
  const key = siteKey === '' ? 'YOUR_SITE_KEY' : siteKey.replaceAll(/[^\w.-]/g, '');
  switch (provider) {
    case 'altcha':
      return `<script src="${location.origin}/altcha.js" type="module" async></script>
<altcha-widget challenge="${location.origin}/altcha/challenge?deployment=${id}" auto="onsubmit"></altcha-widget>
<noscript><p>Please switch JavaScript on: this form uses it to tell people from robots.</p></noscript>`;
    case 'turnstile':
      return `<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script>
<div class="cf-turnstile" data-sitekey="${key}"></div>`;
    case 'hcaptcha':
      return `<script src="https://js.hcaptcha.com/1/api.js" async defer></script>
<div class="h-captcha" data-sitekey="${key}"></div>`;
    case 'recaptcha':
      return `<script src="https://www.google.com/recaptcha/api.js" async defer></script>
<div class="g-recaptcha" data-sitekey="${key}"></div>`;
  }
}

/** The settings as they are typed. */
type Typed = {
  redirectUrl: string;
  origins: string;
  language: Language | '';
  retentionDays: string;
  hasMail: boolean;
  blocklist: string;
  provider: Provider | '';
  siteKey: string;
  secret: string;
};

const toTyped = (settings: Settings): Typed => ({
  redirectUrl: settings.redirect_url ?? '',
  origins: settings.allowed_origins.join('\n'),
  language: settings.language ?? '',
  retentionDays: settings.retention_days === null ? '' : String(settings.retention_days),
  hasMail: settings.email_notifications,
  blocklist: settings.spam.blocklist.join('\n'),
  provider: settings.spam.captcha?.provider ?? '',
  siteKey: settings.spam.captcha?.site_key ?? '',
  secret: '',
});

/** Whether it is a number of days, or none. A field of the type number would have no text where it is neither. */
const isDays = (text: string): boolean => /^\d*$/.test(text.trim());

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** What of it has changed, as the API takes it: what others change meanwhile stays. */
function changesOf(typed: Typed, before: Typed): Parameters<typeof save>[1] {
  const differs = (...fields: (keyof Typed)[]): boolean => fields.some((field) => typed[field] !== before[field]);
  const captcha =
    typed.provider === ''
      ? null
      : {
          provider: typed.provider,
          ...(typed.provider !== 'altcha' && typed.siteKey.trim() !== '' && { site_key: typed.siteKey.trim() }),
          ...(typed.provider !== 'altcha' && typed.secret.trim() !== '' && { secret: typed.secret.trim() }),
        };
  return {
    ...(differs('redirectUrl') && { redirect_url: typed.redirectUrl.trim() === '' ? null : typed.redirectUrl.trim() }),
    ...(differs('origins') && { allowed_origins: linesOf(typed.origins) }),
    ...(differs('language') && { language: typed.language === '' ? null : typed.language }),
    ...(differs('retentionDays') && {
      retention_days: typed.retentionDays.trim() === '' ? null : Number(typed.retentionDays),
    }),
    ...(differs('hasMail') && { email_notifications: typed.hasMail }),
    ...(differs('blocklist', 'provider', 'siteKey', 'secret') && {
      spam: { blocklist: linesOf(typed.blocklist), captcha },
    }),
  };
}

const save = (
  id: string,
  changes: Partial<
    Pick<Settings, 'redirect_url' | 'allowed_origins' | 'language' | 'retention_days' | 'email_notifications' | 'spam'>
  >,
) => answer(api.PATCH('/deploy/{id}', { params: { path: { id } }, body: changes }));

/** What was typed and not saved, by page: it is there again after a look at another view. */
const unsaved = new Map<string, { saved: Typed; typed: Typed }>();

function SettingsForm({ id, settings }: { id: string; settings: Settings }): JSX.Element {
  const [saved, setSaved] = useState(() => unsaved.get(id)?.saved ?? toTyped(settings));
  const [typed, setTyped] = useState(() => unsaved.get(id)?.typed ?? saved);
  const [isSent, setSent] = useState(false);
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
  const set =
    <Name extends keyof Typed>(name: Name) =>
    (value: Typed[Name]): void =>
      setTyped((before) => ({ ...before, [name]: value }));

  const saveTyped = (): unknown => {
    setSent(true);
    if (!isDays(typed.retentionDays)) return;
    const sent = { ...typed };
    return run(async () => {
      await save(id, changesOf(sent, saved));
      setSaved({ ...sent, secret: '' });
      setTyped((now) => (now.secret === sent.secret ? { ...now, secret: '' } : now));
    });
  };

  return (
    <SavingForm class="sections" change={change} isChanged={isChanged} onSave={saveTyped}>
      <fieldset class="card">
        <legend>After a submission</legend>
        <Field
          label="Redirect URL"
          hint="Where visitors are sent after they have sent the form. Left empty: to a page that thanks them."
          type="url"
          value={typed.redirectUrl}
          onChange={set('redirectUrl')}
        />
        <Select
          label="Language"
          hint="Of the pages that thank visitors, or say what is wrong."
          value={typed.language}
          options={LANGUAGE_OPTIONS}
          onChange={set('language')}
        />
        <Checkbox
          label="Send me a mail for each submission"
          hint="More is in Notifications."
          isOn={typed.hasMail}
          onChange={set('hasMail')}
        />
      </fieldset>
      <fieldset class="card">
        <legend>Who may send, and for how long it is kept</legend>
        <TextArea
          label="Allowed sites"
          hint="One a line, such as https://example.org. Left empty: forms of any site may send."
          value={typed.origins}
          onChange={set('origins')}
          rows={3}
        />
        <Field
          label="Delete submissions after days"
          hint="From 1 to 3,650, files and spam too. Left empty: never."
          inputMode="numeric"
          autoComplete="off"
          value={typed.retentionDays}
          onChange={set('retentionDays')}
          error={isSent && !isDays(typed.retentionDays) ? 'Enter a number of days, such as 365.' : undefined}
        />
      </fieldset>
      <fieldset class="card">
        <legend>Spam</legend>
        <TextArea
          label="Blocked words"
          hint="One a line. A submission that has one of them as a whole word is kept apart as spam; casino* also finds casinos."
          value={typed.blocklist}
          onChange={set('blocklist')}
          rows={3}
        />
        <Select label="Captcha" value={typed.provider} options={PROVIDERS} onChange={set('provider')} />
        {typed.provider !== '' && typed.provider !== 'altcha' && (
          <>
            <Field label="Site key" value={typed.siteKey} onChange={set('siteKey')} autoComplete="off" />
            <Field
              label="Secret"
              hint={`It is never shown again. ${saved.provider === typed.provider ? 'Left empty: it stays as it is.' : ''}`}
              type="password"
              value={typed.secret}
              onChange={set('secret')}
              autoComplete="off"
            />
          </>
        )}
        {typed.provider !== '' && (
          <>
            <p class="hint">
              {typed.provider === 'altcha'
                ? 'The forms of this page get the widget by themselves. Put this into a form on another site:'
                : 'Put this into the form:'}
            </p>
            <pre>
              <code>{captchaSnippet(typed.provider, typed.siteKey, id)}</code>
            </pre>
            <CopyButton kind="plain" text={captchaSnippet(typed.provider, typed.siteKey, id)}>
              Copy
            </CopyButton>
          </>
        )}
      </fieldset>
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
