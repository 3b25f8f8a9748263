import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../../data.ts';
import { SearchField } from '../../inbox/toolbar/search-field.tsx';
import { useOtherTabs } from '../../other-tabs.ts';
import { isReadOnly, me } from '../../session.ts';
import { t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Form, FormEnd } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { sizeOf } from '../../ui/size.ts';
import { Listed } from '../../ui/states.tsx';
import { counted, RoughTime, Time } from '../../ui/time.tsx';

type ListedOwner = Schemas['ListedOwner'];
type RowProps = { owner: ListedOwner; onChanged(): void };

const LABELS = { plan: 'Plan' };

const pathOf = ({ id }: ListedOwner) => ({ params: { path: { ownerId: id } } });

/** Changes what an owner may use. `plans`: all that there are. */
function ChangePlan({ owner, plans, onChanged }: RowProps & { plans: readonly string[] }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [plan, setPlan] = useState(owner.plan);
  const { change, run } = useChange({ labels: LABELS });
  const close = (): void => setOpen(false);
  async function save(): Promise<void> {
    if (
      !(await run(
        async () => void (await answer(api.PATCH('/admin/owners/{ownerId}', { ...pathOf(owner), body: { plan } }))),
      ))
    ) {
      return;
    }
    close();
    say(`${owner.email} has the plan ${plan}.`);
    onChanged();
  }
  return (
    <>
      <Button
        kind="quiet"
        of={`of ${owner.email}`}
        onClick={() => {
          setPlan(owner.plan);
          setOpen(true);
        }}
      >
        Change the plan
      </Button>
      {isOpen && (
        <Dialog title="Change the plan" onClose={close}>
          <Form needs="PATCH /admin/owners/{ownerId}" onSubmit={save}>
            <p>
              <bdi>{owner.email}</bdi> uses {counted(owner.deployments, 'page')} and {sizeOf(owner.storage_used)}. With
              a smaller plan nothing is deleted, and no more can be stored.
            </p>
            <Select
              label={LABELS.plan}
              value={plan}
              // A plan that PLAN_LIMITS no longer has stays that of its owners.
              options={[...new Set([owner.plan, ...plans])].map((value) => ({ value, label: value }))}
              onChange={setPlan}
              error={errorOf(change, 'plan')}
            />
            <FormEnd change={change} button="Save" onCancel={close} />
          </Form>
        </Dialog>
      )}
    </>
  );
}

const suspend = (owner: ListedOwner, suspended: boolean) =>
  answer(api.PATCH('/admin/owners/{ownerId}', { ...pathOf(owner), body: { suspended } }));

const Suspension = ({ owner, onChanged }: RowProps): JSX.Element =>
  owner.suspended ? (
    <ActionButton
      needs="PATCH /admin/owners/{ownerId}"
      kind="quiet"
      of={owner.email}
      run={() => suspend(owner, false)}
      done={`${owner.email} is no longer suspended.`}
      onDone={onChanged}
      isRepeatable
    >
      Resume
    </ActionButton>
  ) : (
    <ActionButton
      needs="PATCH /admin/owners/{ownerId}"
      kind="quiet"
      of={owner.email}
      ask={{
        title: 'Suspend this owner?',
        button: 'Suspend',
        text: (
          <>
            The pages of <bdi>{owner.email}</bdi> go offline, their forms refuse submissions, keys and browsers are
            refused, and nothing is delivered. Nothing is deleted: <strong>Resume</strong> brings all of it back.
          </>
        ),
      }}
      run={() => suspend(owner, true)}
      done={`${owner.email} is suspended.`}
      onDone={onChanged}
    >
      Suspend
    </ActionButton>
  );

const Deletion = ({ owner, onChanged }: RowProps): JSX.Element => (
  <ActionButton
    needs="DELETE /admin/owners/{ownerId}"
    kind="quiet"
    icon="trash"
    of={owner.email}
    ask={{
      title: 'Delete this owner with everything?',
      button: 'Delete everything',
      typed: owner.email,
      text: `${counted(owner.deployments, 'page')} and ${sizeOf(owner.storage_used)} are deleted, with all submissions, files, keys and the trash. Nobody can restore them. The entries of the audit stay.`,
    }}
    run={() => answer(api.DELETE('/admin/owners/{ownerId}', pathOf(owner)))}
    done={`${owner.email} is deleted.`}
    onDone={onChanged}
    isRemoving
  >
    Delete
  </ActionButton>
);

function OwnerRow({ owner, plans, onChanged }: RowProps & { plans: readonly string[] }): JSX.Element {
  const { email, plan, deployments, storage_used, last_used_at, suspended, created_at } = owner;
  const isMe = email === me.value?.email;
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong>
            <bdi>{email}</bdi>
          </strong>{' '}
          <span class="badge" dir="auto">
            {plan}
          </span>{' '}
          {suspended && <span class="badge bad">Suspended</span>} {isMe && <span class="badge good">You</span>}
        </p>
        <p class="muted">
          {counted(deployments, 'page')}, {sizeOf(storage_used)}, {last_used_at === null ? 'never used' : 'used '}
          {last_used_at !== null && <RoughTime at={last_used_at} />}, since <Time at={created_at} />
        </p>
      </div>
      {!isReadOnly.value && (
        <div class="buttons">
          <ChangePlan {...{ owner, plans, onChanged }} />
          {!isMe && <Suspension {...{ owner, onChanged }} />}
          {!isMe && <Deletion {...{ owner, onChanged }} />}
        </div>
      )}
    </li>
  );
}

/** All owners of the service. */
export function Owners(): JSX.Element {
  const [q, setQ] = useState('');
  const [plans, setPlans] = useState<readonly string[]>([]);
  const loaded = usePages(`admin-owners:${q}`, DASHBOARD_LIMITS.admin.listSize, async (query, signal) => {
    const call = api.GET('/admin/owners', { params: { query: { ...query, ...(q !== '' && { q }) } }, signal });
    const { owners, total } = await answer(call);
    setPlans((await call).response.headers.get('formhost-plans')?.split(',') ?? []);
    return { items: owners, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <section class="card stack" aria-label="Owners">
      <SearchField q={q} placeholder="Address" onSearch={setQ} />
      {loaded.data?.total === 0 && <p class="muted">No owner has such an address.</p>}
      <Listed loaded={loaded} label="Loading the owners" of={t.shared.counts.owners}>
        {(owner) => <OwnerRow key={owner.id} owner={owner} plans={plans} onChanged={loaded.reload} />}
      </Listed>
    </section>
  );
}
