import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { isMailAddress } from '../../../lib/mail-address.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { me } from '../../session.ts';
import { t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { NoMail } from '../../ui/no-mail.tsx';
import { Panel } from '../../ui/panel.tsx';
import { say } from '../../ui/say.tsx';
import { Listed, NotSaved } from '../../ui/states.tsx';
import { counted, Time } from '../../ui/time.tsx';

type Guest = Schemas['Guest'];
type Role = Guest['role'];

const LABELS = { email: 'Address', role: 'What they may do' };
const ROLES = [
  { value: 'reader', label: 'Read submissions' },
  { value: 'editor', label: 'Also edit the page' },
] as const satisfies readonly { value: Role; label: string }[];

/** Each role in a sentence about a guest who has it. */
const NOW = { reader: 'now reads submissions only.', editor: 'may now edit the page too.' } as const;

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
      done={`${email} ${NOW[other]}`}
      onDone={onChanged}
    >
      {role === 'reader' ? 'Let edit too' : 'Let read only'}
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
      title: 'Remove this guest?',
      button: 'Remove',
      text: (
        <>
          <bdi>{email}</bdi> sees nothing of this page any more, from now on.
        </>
      ),
    }}
    run={() => answer(api.DELETE('/deploy/{id}/guests/{guestId}', { params: { path: { id, guestId } } }))}
    done={`${email} is no longer a guest.`}
    onDone={onChanged}
    isRemoving
  >
    Remove
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
            {acceptedAt === null ? 'Invited' : 'Accepted'}
          </span>
        </p>
        <p class="muted">
          {role === 'reader' ? 'Reads submissions' : 'Reads submissions and edits the page'} ·{' '}
          {acceptedAt === null ? 'invited ' : 'since '}
          <Time at={acceptedAt ?? invitedAt} />
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
  const wrong = isChecked && !isMailAddress(typed) ? 'Enter an address such as ada@example.org.' : undefined;
  async function invite(): Promise<void> {
    setChecked(true);
    if (!isMailAddress(typed)) return;
    const params = { path: { id } };
    const body = { email: typed, role };
    if (!(await run(async () => void (await answer(api.POST('/deploy/{id}/guests', { params, body })))))) return;
    say(`A mail with a link is on its way to ${typed}.`);
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
          Invite
        </Button>
      </Form>
      <NotSaved change={change} />
    </>
  );
}

function stateOf(data: { items: readonly Guest[]; total: number } | undefined): string {
  if (!data) return '';
  if (data.total === 0) return 'Nobody but you';
  const invited = data.items.filter(({ accepted_at: at }) => at === null).length;
  return `${counted(data.total, 'guest')}${invited > 0 ? `, ${invited} not signed in yet` : ''}`;
}

/** The people whom the owner lets read or edit a page, each with a sign-in of their own. */
export function Guests({ id, isOpen, onToggle }: { id: string; isOpen: boolean; onToggle(): void }): JSX.Element {
  const loaded = usePages(`guests:${id}`, DASHBOARD_LIMITS.people.listSize, async (query, signal) => {
    const { guests, total } = await answer(api.GET('/deploy/{id}/guests', { params: { path: { id }, query }, signal }));
    return { items: guests, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <Panel id="guests" title="Guests" state={stateOf(loaded.data)} isOpen={isOpen} onToggle={onToggle}>
      <p class="muted">
        Invite people to this page alone. They sign in with their own address, and need no account. Nobody but you
        invites, deletes the page, or sees its webhooks and secrets.
      </p>
      <Listed loaded={loaded} label="Loading the guests" of={t.shared.counts.guests}>
        {(guest) => <GuestRow key={guest.id} id={id} guest={guest} onChanged={loaded.reload} />}
      </Listed>
      <NoMail />
      {me.value?.mail && <Invite id={id} onInvited={loaded.reload} />}
    </Panel>
  );
}
