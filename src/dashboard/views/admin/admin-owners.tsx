import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../../data.ts';
import { SearchField } from '../../inbox/toolbar/search-field.tsx';
import { useOtherTabs } from '../../other-tabs.ts';
import { isReadOnly, me } from '../../session.ts';
import { counted, fill, formFor, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Form, FormEnd } from '../../ui/form.tsx';
import { say } from '../../ui/say.tsx';
import { sizeOf } from '../../ui/size.ts';
import { Listed } from '../../ui/states.tsx';
import { RoughTime, Time } from '../../ui/time.tsx';
import { unseen } from '../../ui/unseen.tsx';

type ListedOwner = Schemas['ListedOwner'];
type RowProps = { owner: ListedOwner; onChanged(): void };

const LABELS = { plan: t.admin.owners.plan };

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
    say(fill(t.admin.owners.planChanged, { email: owner.email, plan }));
    onChanged();
  }
  return (
    <>
      <Button
        kind="quiet"
        onClick={() => {
          setPlan(owner.plan);
          setOpen(true);
        }}
      >
        <Rich text={t.admin.owners.changePlanOf} with={{ email: owner.email, unseen }} />
      </Button>
      {isOpen && (
        <Dialog title={t.admin.owners.changePlan} onClose={close}>
          <Form needs="PATCH /admin/owners/{ownerId}" onSubmit={save}>
            <p>
              <Rich
                text={formFor(t.admin.owners.planText, owner.deployments)}
                with={{ email: owner.email, count: owner.deployments, size: <>{sizeOf(owner.storage_used)}</> }}
              />
            </p>
            <Select
              label={LABELS.plan}
              value={plan}
              // A plan that PLAN_LIMITS no longer has stays that of its owners.
              options={[...new Set([owner.plan, ...plans])].map((value) => ({ value, label: value }))}
              onChange={setPlan}
              error={errorOf(change, 'plan')}
            />
            <FormEnd change={change} button={t.shared.save} onCancel={close} />
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
      done={fill(t.admin.owners.resumed, { email: owner.email })}
      onDone={onChanged}
      isRepeatable
    >
      {t.admin.owners.resume}
    </ActionButton>
  ) : (
    <ActionButton
      needs="PATCH /admin/owners/{ownerId}"
      kind="quiet"
      of={owner.email}
      ask={{
        title: t.admin.owners.suspendTitle,
        button: t.admin.owners.suspend,
        text: <Rich text={t.admin.owners.suspendText} with={{ email: owner.email }} />,
      }}
      run={() => suspend(owner, true)}
      done={fill(t.admin.owners.isSuspended, { email: owner.email })}
      onDone={onChanged}
    >
      {t.admin.owners.suspend}
    </ActionButton>
  );

const Deletion = ({ owner, onChanged }: RowProps): JSX.Element => (
  <ActionButton
    needs="DELETE /admin/owners/{ownerId}"
    kind="quiet"
    icon="trash"
    of={owner.email}
    ask={{
      title: t.admin.owners.deleteTitle,
      button: t.admin.owners.deleteButton,
      typed: owner.email,
      text: counted(t.admin.owners.deleteText, owner.deployments, { size: sizeOf(owner.storage_used) }),
    }}
    run={() => answer(api.DELETE('/admin/owners/{ownerId}', pathOf(owner)))}
    done={fill(t.admin.owners.deleted, { email: owner.email })}
    onDone={onChanged}
    isRemoving
  >
    {t.admin.owners.delete}
  </ActionButton>
);

function OwnerRow({ owner, plans, onChanged }: RowProps & { plans: readonly string[] }): JSX.Element {
  const { email, plan, deployments, storage_used, last_used_at, suspended, created_at } = owner;
  const isMe = email === me.value?.email;
  const facts = {
    pages: <>{counted(t.shared.counts.pages, deployments)}</>,
    size: <>{sizeOf(storage_used)}</>,
    since: <Time at={created_at} />,
  };
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
          {suspended && <span class="badge bad">{t.admin.owners.suspended}</span>}{' '}
          {isMe && <span class="badge good">{t.admin.owners.you}</span>}
        </p>
        <p class="muted">
          {last_used_at === null ? (
            <Rich text={t.admin.owners.lineNeverUsed} with={facts} />
          ) : (
            <Rich text={t.admin.owners.line} with={{ ...facts, used: <RoughTime at={last_used_at} /> }} />
          )}
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
    <section class="card stack" aria-label={t.admin.parts.owners}>
      <SearchField q={q} placeholder={t.admin.owners.search} onSearch={setQ} />
      {loaded.data?.total === 0 && <p class="muted">{t.admin.owners.none}</p>}
      <Listed loaded={loaded} label={t.admin.owners.loading} of={t.shared.counts.owners}>
        {(owner) => <OwnerRow key={owner.id} owner={owner} plans={plans} onChanged={loaded.reload} />}
      </Listed>
    </section>
  );
}
