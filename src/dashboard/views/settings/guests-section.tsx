import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { isMailAddress } from '../../../lib/mail-address.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { me } from '../../session.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { NoMail } from '../../ui/no-mail.tsx';
import { Panel } from '../../ui/panel.tsx';
import { say } from '../../ui/say.tsx';
import { Listed, NotSaved } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

type Guest = Schemas['Guest'];
type Role = Guest['role'];

const texts = t.settings.guests;

const LABELS = { email: texts.address, role: texts.mayDo };
const ROLES = [
  { value: 'reader', label: texts.roles.reader },
  { value: 'editor', label: texts.roles.editor },
] as const satisfies readonly { value: Role; label: string }[];

type Props = { id: string; guest: Guest; onChanged(): void };

/** Gives a guest the other role. */
function ChangeRole({ id, guest: { id: guestId, email, role }, onChanged }: Props): JSX.Element {
  const other = role === 'reader' ? 'editor' : 'reader';
  return (
    <ActionButton
      needs="PATCH /deploy/{id}/guests/{guestId}"
      kind="quiet"
      icon={role === 'reader' ? 'edit' : 'page'}
      of={`(${email})`}
      run={() =>
        answer(api.PATCH('/deploy/{id}/guests/{guestId}', { params: { path: { id, guestId } }, body: { role: other } }))
      }
      done={fill(texts.now[other], { email })}
      onDone={onChanged}
    >
      {texts.make[other]}
    </ActionButton>
  );
}

const Remove = ({ id, guest: { id: guestId, email }, onChanged }: Props): JSX.Element => (
  <ActionButton
    needs="DELETE /deploy/{id}/guests/{guestId}"
    kind="quiet"
    icon="trash"
    of={email}
    ask={{
      title: texts.askRemove,
      button: t.settings.remove,
      text: <Rich text={texts.sees} with={{ email }} />,
    }}
    run={() => answer(api.DELETE('/deploy/{id}/guests/{guestId}', { params: { path: { id, guestId } } }))}
    done={fill(texts.removed, { email })}
    onDone={onChanged}
    isRemoving
  >
    {t.settings.remove}
  </ActionButton>
);

/** A guest, what the role allows, and whether the invitation was accepted. */
function GuestRow(props: Props): JSX.Element {
  const { email, role, invited_at: invitedAt, accepted_at: acceptedAt } = props.guest;
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong>
            <bdi>{email}</bdi>
          </strong>{' '}
          <span class={acceptedAt === null ? 'badge' : 'badge good'}>
            {acceptedAt === null ? texts.invited : texts.accepted}
          </span>
        </p>
        <p class="muted">
          {texts.does[role]} ·{' '}
          <Rich
            text={acceptedAt === null ? texts.invitedAt : texts.since}
            with={{ time: <Time at={acceptedAt ?? invitedAt} /> }}
          />
        </p>
      </div>
      <div class="buttons">
        <ChangeRole {...props} />
        <Remove {...props} />
      </div>
    </li>
  );
}

function Invite({ id, onInvited }: { id: string; onInvited(): void }): JSX.Element {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('reader');
  const [isChecked, setChecked] = useState(false);
  const { change, run } = useChange({ labels: LABELS });
  const typed = email.trim();
  const wrong = isChecked && !isMailAddress(typed) ? texts.wrongAddress : undefined;
  async function invite(): Promise<void> {
    setChecked(true);
    if (!isMailAddress(typed)) return;
    const params = { path: { id } };
    const body = { email: typed, role };
    if (!(await run(async () => void (await answer(api.POST('/deploy/{id}/guests', { params, body })))))) return;
    say(fill(texts.onItsWay, { email: typed }));
    setEmail('');
    setChecked(false);
    onInvited();
  }
  return (
    <>
      <Form needs="POST /deploy/{id}/guests" class="inline" onSubmit={invite}>
        <Field
          label={LABELS.email}
          type="email"
          value={email}
          onChange={setEmail}
          autoComplete="off"
          error={wrong ?? errorOf(change, 'email')}
        />
        <Select
          label={LABELS.role}
          value={role}
          options={ROLES}
          onChange={(value) => setRole(value)}
          error={errorOf(change, 'role')}
        />
        <Button icon="mail" isBusy={change.state === 'saving'}>
          {texts.invite}
        </Button>
      </Form>
      <NotSaved change={change} />
    </>
  );
}

function stateOf(data: { items: readonly Guest[]; total: number } | undefined): string {
  if (!data) return '';
  if (data.total === 0) return texts.nobody;
  const invited = data.items.filter(({ accepted_at: at }) => at === null).length;
  const guests = counted(t.shared.counts.guests, data.total);
  return invited === 0 ? guests : counted(texts.notSignedIn, invited, { guests });
}

/** The people whom the owner lets read or edit a page, each with a sign-in of their own. */
export function Guests({ id, isOpen, onToggle }: { id: string; isOpen: boolean; onToggle(): void }): JSX.Element {
  const loaded = usePages(`guests:${id}`, DASHBOARD_LIMITS.people.listSize, async (query, signal) => {
    const { guests, total } = await answer(api.GET('/deploy/{id}/guests', { params: { path: { id }, query }, signal }));
    return { items: guests, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <Panel id="guests" title={texts.title} state={stateOf(loaded.data)} isOpen={isOpen} onToggle={onToggle}>
      <p class="muted">{texts.about}</p>
      <Listed loaded={loaded} label={texts.loading} of={t.shared.counts.guests}>
        {(guest) => <GuestRow key={guest.id} id={id} guest={guest} onChanged={loaded.reload} />}
      </Listed>
      <NoMail />
      {me.value?.mail && <Invite id={id} onInvited={loaded.reload} />}
    </Panel>
  );
}
