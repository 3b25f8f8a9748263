import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import { errorOf, useChange } from '../../data.ts';
import { mailLog } from '../../logs.ts';
import { me } from '../../session.ts';
import { FIELDS, LABELS, type Settings } from '../../setting-fields.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import { SavingForm } from '../../ui/form.tsx';
import { NoAddress, NoMail } from '../../ui/no-mail.tsx';
import { Section } from '../../ui/section.tsx';
import { TestAndLog } from './delivery-log.tsx';

type Mail = Pick<Settings, 'email_notifications' | 'notify_every' | 'notify_owner' | 'recipients'>;

const FREQUENCIES: readonly { value: Mail['notify_every']; label: string }[] = [
  { value: 'submission', label: 'A mail for each submission' },
  { value: 'hour', label: 'One mail an hour that lists what came' },
  { value: 'day', label: 'One mail a day that lists what came' },
];

/** The fields that differ from the saved ones, as the API takes them. */
function changesOf({ recipients, ...mail }: Mail, saved: Mail) {
  const emails = recipients.map(({ email }) => email);
  const hasOthers = emails.join('\n') !== saved.recipients.map(({ email }) => email).join('\n');
  return {
    ...(mail.email_notifications !== saved.email_notifications && { email_notifications: mail.email_notifications }),
    ...(mail.notify_every !== saved.notify_every && { notify_every: mail.notify_every }),
    ...(mail.notify_owner !== saved.notify_owner && { notify_owner: mail.notify_owner }),
    ...(hasOthers && { recipients: emails }),
  };
}

/** The recipients of mail, the owner first; each can be removed. */
function Recipients({
  mail: { notify_owner: hasOwner, recipients },
  saved,
  onChange,
}: {
  mail: Mail;
  saved: Mail;
  onChange(part: Partial<Mail>): void;
}): JSX.Element {
  const note = recipients.some(({ confirmed }) => confirmed)
    ? 'You get no mail: the others do.'
    : 'Nobody else has confirmed: you get the mail until somebody has.';
  return (
    <div>
      <h3>{FIELDS.recipients.label}</h3>
      <ul class="rows">
        <li class="row">
          <span class="row-text">
            <bdi>{me.value?.email}</bdi> <span class="badge">You</span>
            {!hasOwner && <p class="muted">{note}</p>}
          </span>
          <Button
            kind="quiet"
            icon={hasOwner ? 'close' : 'plus'}
            of="your address"
            onClick={() => onChange({ notify_owner: !hasOwner })}
          >
            {hasOwner ? 'Remove' : 'Add'}
          </Button>
        </li>
        {recipients.map(({ email, confirmed }) => (
          <li key={email} class="row">
            <span class="row-text">
              <bdi>{email}</bdi>{' '}
              {saved.recipients.some((each) => each.email === email) && (
                <span class={confirmed ? 'badge good' : 'badge'}>{confirmed ? 'Confirmed' : 'Not confirmed yet'}</span>
              )}
            </span>
            <Button
              kind="quiet"
              icon="close"
              of={email}
              onClick={() => onChange({ recipients: recipients.filter((each) => each.email !== email) })}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Renders the form that decides if mail is sent, how often, and to whom. */
function MailForm({ id, settings }: { id: string; settings: Settings }): JSX.Element {
  const [saved, setSaved] = useState<Mail>(settings);
  const [mail, setMail] = useState<Mail>(settings);
  const [address, setAddress] = useState('');
  const { change, run } = useChange({ isRepeatable: true, labels: LABELS });
  const edit = (part: Partial<Mail>): void => setMail((before) => ({ ...before, ...part }));
  const params = { path: { id } };

  const email = address.trim().toLowerCase();
  const isNew = email !== '' && mail.recipients.every((each) => each.email !== email);
  const recipients = isNew ? [...mail.recipients, { email, confirmed: false }] : mail.recipients;
  const changes = changesOf({ ...mail, recipients }, saved);

  async function save(): Promise<void> {
    await run(async () => {
      await answer(api.PATCH('/deploy/{id}', { params, body: changes }));
      const now = await answer(api.GET('/deploy/{id}/settings', { params }));
      setSaved(now);
      edit({ recipients: now.recipients });
      setAddress('');
    });
  }

  return (
    <SavingForm change={change} isChanged={Object.keys(changes).length > 0} onSave={save}>
      <Checkbox
        label={FIELDS.email_notifications.label}
        isOn={mail.email_notifications}
        onChange={(isOn) => edit({ email_notifications: isOn })}
      />
      <Select
        label={FIELDS.notify_every.label}
        value={mail.notify_every}
        options={FREQUENCIES}
        onChange={(value: Mail['notify_every']) => edit({ notify_every: value })}
      />
      <Recipients mail={mail} saved={saved} onChange={edit} />
      <Field
        label="Add a recipient"
        hint={FIELDS.recipients.hint}
        type="email"
        inputMode="email"
        autoComplete="off"
        value={address}
        onChange={setAddress}
        error={errorOf(change, 'recipients')}
      />
    </SavingForm>
  );
}

/** All about mail: what is sent to whom, a test, and what was sent. */
export const MailSection = ({ id, settings }: { id: string; settings: Settings }): JSX.Element => (
  <Section title="Mail" hint="People learn of submissions, and can answer them, by mail." isSplit>
    <NoMail />
    {me.value?.mail && <NoAddress />}
    <MailForm id={id} settings={settings} />
    <TestAndLog
      deployId={id}
      log={mailLog(id)}
      test="Send a test mail"
      of="the recipients"
      run={() => answer(api.POST('/deploy/{id}/mails/test', { params: { path: { id } } }))}
    />
  </Section>
);
