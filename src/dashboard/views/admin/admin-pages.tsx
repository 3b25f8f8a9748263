import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../../data.ts';
import { SearchField } from '../../inbox/toolbar/search-field.tsx';
import { useOtherTabs } from '../../other-tabs.ts';
import { isReadOnly } from '../../session.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormEnd } from '../../ui/form.tsx';
import { PageAddress } from '../../ui/page-address.tsx';
import { say } from '../../ui/say.tsx';
import { Listed } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

type AnyPage = Schemas['AnyPage'];
type RowProps = { page: AnyPage; onChanged(): void };

const LABELS = { reason: t.admin.pages.reason };

const nameOf = ({ title, slug }: AnyPage): string => title ?? slug;

/** Takes a page down, with a reason for its owner. */
function TakeDown({ page, onChanged }: RowProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const { change, run, clear } = useChange({ labels: LABELS });
  const close = (): void => setOpen(false);
  async function takeDown(): Promise<void> {
    const params = { path: { id: page.id } };
    const call = () => answer(api.POST('/admin/pages/{id}/take-down', { params, body: { reason } }));
    if (!(await run(async () => void (await call())))) return;
    close();
    say(fill(t.admin.pages.isDown, { name: nameOf(page) }));
    onChanged();
  }
  return (
    <>
      <Button
        kind="quiet"
        of={nameOf(page)}
        onClick={() => {
          clear();
          setReason('');
          setOpen(true);
        }}
      >
        {t.admin.pages.takeDown}
      </Button>
      {isOpen && (
        <Dialog title={t.admin.pages.takeDownTitle} onClose={close}>
          <Form needs="POST /admin/pages/{id}/take-down" onSubmit={takeDown}>
            <p>
              <Rich text={t.admin.pages.takeDownText} with={{ name: nameOf(page) }} />
            </p>
            <Field
              label={LABELS.reason}
              hint={t.admin.pages.reasonHint}
              value={reason}
              onChange={setReason}
              max={DASHBOARD_LIMITS.admin.reasonChars}
              autoComplete="off"
              error={errorOf(change, 'reason')}
            />
            <FormEnd change={change} kind="danger" button={t.admin.pages.takeDown} onCancel={close} />
          </Form>
        </Dialog>
      )}
    </>
  );
}

const Restore = ({ page, onChanged }: RowProps): JSX.Element => (
  <ActionButton
    needs="POST /admin/pages/{id}/restore"
    kind="quiet"
    of={nameOf(page)}
    run={() => answer(api.POST('/admin/pages/{id}/restore', { params: { path: { id: page.id } } }))}
    done={fill(t.admin.pages.isUp, { name: nameOf(page) })}
    onDone={onChanged}
  >
    {t.admin.pages.restore}
  </ActionButton>
);

const PageRow = ({ page, onChanged }: RowProps): JSX.Element => (
  <li class="row">
    <div class="row-text">
      <p>
        <strong dir="auto">{nameOf(page)}</strong>{' '}
        {page.taken_down && <span class="badge bad">{t.admin.pages.takenDown}</span>}
      </p>
      <PageAddress url={page.url} />
      <p class="muted">
        <Rich text={t.admin.pages.line} with={{ email: page.owner_email, time: <Time at={page.created_at} /> }} />
      </p>
    </div>
    {!isReadOnly.value &&
      (page.taken_down ? <Restore {...{ page, onChanged }} /> : <TakeDown {...{ page, onChanged }} />)}
  </li>
);

/** The live pages of all owners. */
export function AllPages(): JSX.Element {
  const [q, setQ] = useState('');
  const loaded = usePages(`admin-pages:${q}`, DASHBOARD_LIMITS.admin.listSize, async (query, signal) => {
    const call = api.GET('/admin/pages', { params: { query: { ...query, ...(q !== '' && { q }) } }, signal });
    const { pages, total } = await answer(call);
    return { items: pages, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <section class="card stack" aria-label={t.admin.parts.pages}>
      <SearchField q={q} placeholder={t.admin.pages.search} onSearch={setQ} />
      {loaded.data?.total === 0 && <p class="muted">{t.admin.pages.none}</p>}
      <Listed loaded={loaded} label={t.admin.pages.loading} of={t.shared.counts.pages}>
        {(page) => <PageRow key={page.id} page={page} onChanged={loaded.reload} />}
      </Listed>
    </section>
  );
}
