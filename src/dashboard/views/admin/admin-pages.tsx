import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../../data.ts';
import { SearchField } from '../../inbox/toolbar/search-field.tsx';
import { useOtherTabs } from '../../other-tabs.ts';
import { isReadOnly } from '../../session.ts';
import { t } from '../../texts/chosen-texts.ts';
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

const LABELS = { reason: 'Reason' };

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
    say(`${nameOf(page)} is down.`);
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
        Take down
      </Button>
      {isOpen && (
        <Dialog title="Take this page down?" onClose={close}>
          <Form needs="POST /admin/pages/{id}/take-down" onSubmit={takeDown}>
            <p>
              Visitors of <bdi>{nameOf(page)}</bdi> see that it was taken down, and its form refuses submissions.
              Nothing is deleted.
            </p>
            <Field
              label={LABELS.reason}
              hint="The owner reads it. Visitors do not."
              value={reason}
              onChange={setReason}
              max={DASHBOARD_LIMITS.admin.reasonChars}
              autoComplete="off"
              error={errorOf(change, 'reason')}
            />
            <FormEnd change={change} kind="danger" button="Take down" onCancel={close} />
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
    done={`${nameOf(page)} is up again.`}
    onDone={onChanged}
  >
    Restore
  </ActionButton>
);

const PageRow = ({ page, onChanged }: RowProps): JSX.Element => (
  <li class="row">
    <div class="row-text">
      <p>
        <strong dir="auto">{nameOf(page)}</strong> {page.taken_down && <span class="badge bad">Taken down</span>}
      </p>
      <PageAddress url={page.url} />
      <p class="muted">
        <bdi>{page.owner_email}</bdi>, published <Time at={page.created_at} />
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
    <section class="card stack" aria-label="Pages">
      <SearchField q={q} placeholder="Slug, title, domain or address" onSearch={setQ} />
      {loaded.data?.total === 0 && <p class="muted">No live page is like that.</p>}
      <Listed loaded={loaded} label="Loading the pages" of={t.shared.counts.pages}>
        {(page) => <PageRow key={page.id} page={page} onChanged={loaded.reload} />}
      </Listed>
    </section>
  );
}
