import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { type Delivery, mailLog } from '../../logs.ts';
import { may } from '../../permissions.ts';
import { me, roleOnPage } from '../../session.ts';
import { FIELDS } from '../../setting-fields.ts';
import type { EditedSettings } from '../../settings/edited-settings.ts';
import { SettingControl } from '../../settings/setting-control.tsx';
import { NEW_RECIPIENT, recipientsIn } from '../../settings/typed.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Icon } from '../../ui/icon.tsx';
import { NoAddress, NoMail } from '../../ui/no-mail.tsx';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import { focusHeading } from '../../ui/view.tsx';
import { TestAndLog } from './delivery-log.tsx';
import { OFF, ON, type ReceiverState, StateBadge, stateBy, UNUSED } from './receiver-states.tsx';

const texts = t.notifications.mail;

type Props = { edited: EditedSettings; mails: readonly Delivery[] };

/** A person who gets mail, or does not. */
const Recipient = ({
  name,
  isYou = false,
  state,
  note,
  button,
}: {
  /** An address, or who has it. */
  name: string;
  isYou?: boolean;
  state: ReceiverState;
  note?: string | undefined;
  button: JSX.Element;
}): JSX.Element => (
  <li class="row receiver">
    <Icon name="mail" />
    <div class="row-text">
      <p>
        <bdi>{name}</bdi> {isYou && <span class="badge">{texts.you}</span>}
      </p>
      <p class="receiver-state">
        <StateBadge state={state} />
        {note}
      </p>
    </div>
    {may('PATCH /deploy/{id}') && button}
  </li>
);

const CHANGED: ReceiverState = { kind: 'warn', label: t.notifications.states.changed };
const NOT_CONFIRMED: ReceiverState = { kind: 'warn', label: t.notifications.states.notConfirmed };

/** Returns the state of a recipient by the mails to the address. */
function stateOf(email: string, { edited: { read, settings }, mails }: Props): ReceiverState {
  if (read.email_notifications !== 'true') return OFF;
  const listed = settings.recipients.find((one) => one.email === email);
  if (listed?.confirmed === false) return NOT_CONFIRMED;
  const state = stateBy(mails.filter(({ recipient }) => recipient === email));
  return listed && state === UNUSED ? { kind: 'good', label: t.notifications.states.confirmed } : state;
}

function Owner(props: Props): JSX.Element {
  const { typed, read, settings, type } = props.edited;
  // Guests are not told the address of the owner.
  const isYou = roleOnPage.value === undefined;
  const email = me.value?.email ?? '';
  const hasOwner = typed.notify_owner === 'true';
  const hasOthers = settings.recipients.some(({ confirmed }) => confirmed);
  const note = hasOthers ? texts.othersGet : texts.nobodyElse;
  const isOn = read.email_notifications === 'true' && (read.notify_owner === 'true' || !hasOthers);
  const state = isYou ? stateOf(email, props) : isOn ? ON : OFF;
  return (
    <Recipient
      name={isYou ? email : texts.owner}
      isYou={isYou}
      state={typed.notify_owner === read.notify_owner ? state : CHANGED}
      note={hasOwner || !isYou ? undefined : note}
      button={
        <Button
          kind="quiet"
          icon={hasOwner ? 'close' : 'plus'}
          of={isYou ? texts.yourAddress : texts.ownersAddress}
          onClick={() => type('notify_owner', String(!hasOwner))}
        >
          {hasOwner ? t.settings.remove : texts.add}
        </Button>
      }
    />
  );
}

/** The recipients of mail, the owner first, and the field that adds another one. */
function Recipients(props: Props): JSX.Element {
  const { edited } = props;
  const { typed, read, errors } = edited;
  const list = typed.recipients?.split('\n').filter((email) => email !== '') ?? [];
  const saved = read.recipients?.split('\n') ?? [];
  const put = (emails: readonly string[]): void => edited.type('recipients', emails.join('\n'));
  function add(): void {
    put(recipientsIn(typed));
    edited.type(NEW_RECIPIENT, '');
  }
  function remove(email: string): void {
    put(list.filter((each) => each !== email));
    say(fill(texts.removedOnceSaved, { email }), async () =>
      edited.type('recipients', (now) => (now.split('\n').includes(email) ? now : `${now}\n${email}`.trim())),
    );
    focusHeading();
  }
  return (
    <>
      <h3>{FIELDS.recipients.label}</h3>
      <ul class="rows">
        <Owner {...props} />
        {list.map((email) => (
          <Recipient
            key={email}
            name={email}
            state={saved.includes(email) ? stateOf(email, props) : CHANGED}
            button={
              <Button kind="quiet" icon="close" of={email} onClick={() => remove(email)}>
                {t.settings.remove}
              </Button>
            }
          />
        ))}
      </ul>
      {may('PATCH /deploy/{id}') && (
        <div class="add-recipient">
          <Field
            label={texts.addRecipient}
            hint={FIELDS.recipients.hint}
            type="email"
            inputMode="email"
            autoComplete="off"
            value={typed[NEW_RECIPIENT] ?? ''}
            onChange={(text) => edited.type(NEW_RECIPIENT, text)}
            error={errors.recipients}
          />
          <Button icon="plus" of={texts.theRecipient} onClick={add}>
            {texts.add}
          </Button>
        </div>
      )}
    </>
  );
}

/** All about mail: what is sent to whom, a test, and what was sent. */
export const MailSection = ({ id, form, ...props }: Props & { id: string; form: string }): JSX.Element => (
  <Section title={texts.title} hint={texts.about}>
    <NoMail />
    {me.value?.mail && <NoAddress />}
    <Form needs="nothing" id={form} onSubmit={props.edited.save}>
      <SettingControl name="email_notifications" edited={props.edited} />
      <SettingControl name="notify_every" edited={props.edited} />
      <Recipients {...props} />
    </Form>
    <TestAndLog
      needs="POST /deploy/{id}/mails/test"
      deployId={id}
      log={mailLog(id)}
      test={texts.sendTest}
      run={() => answer(api.POST('/deploy/{id}/mails/test', { params: { path: { id } } }))}
    />
  </Section>
);
