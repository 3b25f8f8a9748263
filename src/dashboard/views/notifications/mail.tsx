import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { errorAt, useChange, useDraft } from '../../data.ts';
import { mailLog } from '../../logs.ts';
import { me } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import { NoMail } from '../../ui/no-mail.tsx';
import { SavingForm } from '../../ui/saving-form.tsx';
import { DeliveryLog } from './delivery-log.tsx';

type Settings = Schemas['Settings'];
type Mail = Pick<Settings, 'email_notifications' | 'notify_every' | 'notify_owner' | 'recipients'>;

const FREQUENCIES: readonly { value: Mail['notify_every']; label: string }[] = [
  { value: 'submission', label: 'A mail for each submission' },
  { value: 'hour', label: 'One mail an hour that lists what came' },
  { value: 'day', label: 'One mail a day that lists what came' },
];

const hasSame = (first: readonly { email: string }[], second: readonly { email: string }[]): boolean =>
  first.map(({ email }) => email).join('\n') === second.map(({ email }) => email).join('\n');

/** Who gets mail; each can be removed. */
function Recipients({
  saved,
  recipients,
  setRecipients,
  hasOwner,
  setHasOwner,
}: {
  saved: Mail;
  recipients: Mail['recipients'];
  setRecipients(recipients: Mail['recipients']): void;
  hasOwner: boolean;
  setHasOwner(hasOwner: boolean): void;
}): JSX.Element {
  const ownerNote = recipients.some(({ confirmed }) => confirmed)
    ? 'You get no mail: the others do.'
    : 'Nobody else has confirmed: you get the mail until somebody has.';
  return (
    <div>
      <h3>Recipients</h3>
      <ul class="rows">
        <li class="row">
          <span class="row-text">
            <bdi>{me.value?.email}</bdi> <span class="badge">You</span>
            {!hasOwner && <p class="muted">{ownerNote}</p>}
          </span>
          <Button
            kind="quiet"
            icon={hasOwner ? 'close' : 'plus'}
            of="your address"
            onClick={() => setHasOwner(!hasOwner)}
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
              onClick={() => setRecipients(recipients.filter((each) => each.email !== email))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Whether there is mail, how often, and to whom. */
function MailForm({ id, settings }: { id: string; settings: Settings }): JSX.Element {
  const [saved, setSaved] = useState<Mail>(settings);
  const [isOn, setOn] = useState(settings.email_notifications);
  const [every, setEvery] = useState(settings.notify_every);
  const [hasOwner, setHasOwner] = useState(settings.notify_owner);
  const [recipients, setRecipients] = useState(settings.recipients);
  const [address, setAddress, dropAddress] = useDraft(`recipient:${id}`);
  const { change, run } = useChange({ isRepeatable: true });
  const params = { path: { id } };

  const typed = address.trim().toLowerCase();
  const all =
    typed === '' || recipients.some(({ email }) => email === typed)
      ? recipients
      : [...recipients, { email: typed, confirmed: false }];
  const changes = {
    ...(isOn !== saved.email_notifications && { email_notifications: isOn }),
    ...(every !== saved.notify_every && { notify_every: every }),
    ...(hasOwner !== saved.notify_owner && { notify_owner: hasOwner }),
    ...(!hasSame(all, saved.recipients) && { recipients: all.map(({ email }) => email) }),
  };
  const isChanged = Object.keys(changes).length > 0;

  async function save(): Promise<void> {
    await run(async () => {
      await answer(api.PATCH('/deploy/{id}', { params, body: changes }));
      const now = await answer(api.GET('/deploy/{id}/settings', { params }));
      setSaved(now);
      setRecipients(now.recipients);
      dropAddress();
    });
  }

  return (
    <SavingForm change={change} isChanged={isChanged} onSave={save}>
      <Checkbox label="Send mail about submissions" isOn={isOn} onChange={setOn} />
      <Select
        label="How often"
        value={every}
        options={FREQUENCIES}
        onChange={(value: Mail['notify_every']) => setEvery(value)}
      />
      <Recipients
        saved={saved}
        recipients={recipients}
        setRecipients={setRecipients}
        hasOwner={hasOwner}
        setHasOwner={setHasOwner}
      />
      <Field
        label="Add a recipient"
        hint="Up to five. An address other than yours gets a mail with a link first, and nothing more until it is opened."
        type="email"
        inputMode="email"
        autoComplete="off"
        value={address}
        onChange={setAddress}
        error={errorAt(change, 'recipients')}
      />
    </SavingForm>
  );
}

/** All about mail: what is sent to whom, a test, and what was sent. */
export function MailCard({ id, settings }: { id: string; settings: Settings }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [tests, setTests] = useState(0);
  return (
    <section class="card mail stack" aria-labelledby="mail">
      <h2 id="mail">Mail</h2>
      <NoMail />
      <MailForm id={id} settings={settings} />
      <div class="buttons">
        <ActionButton
          icon="mail"
          run={() => answer(api.POST('/deploy/{id}/mails/test', { params: { path: { id } } }))}
          done="The test is on its way: the log shows what became of it."
          onDone={() => {
            setTests(tests + 1);
            setOpen(true);
          }}
        >
          Send a test mail
        </ActionButton>
      </div>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          Log<span class="unseen"> of mails</span>
        </summary>
        {isOpen && <DeliveryLog key={tests} deployId={id} log={mailLog(id)} />}
      </details>
    </section>
  );
}
