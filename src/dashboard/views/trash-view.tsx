import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { ApiError, answer, api } from '../api.ts';
import { MAX_LIMIT } from '../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../data.ts';
import { useOtherTabs } from '../other-tabs.ts';
import { t } from '../texts/chosen-texts.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormEnd } from '../ui/form.tsx';
import { say } from '../ui/say.tsx';
import { SlugField, slugOf } from '../ui/slug-field.tsx';
import { Empty, ListFoot, Shown } from '../ui/states.tsx';
import { counted, Time } from '../ui/time.tsx';
import { focusHeading, View } from '../ui/view.tsx';

type Deleted = Schemas['DeletedDeployment'];

const LABELS = { slug: 'New address' };

/** Restores a page, under another address when its own is taken meanwhile. */
function Restore({ page, onDone }: { page: Deleted; onDone(): void }): JSX.Element {
  const { change, run } = useChange({ labels: LABELS });
  const [isTaken, setTaken] = useState(false);
  const [slug, setSlug] = useState(`${page.slug}-again`);
  async function restore(body: { slug?: string }): Promise<void> {
    try {
      await answer(api.POST('/trash/{id}/restore', { params: { path: { id: page.id } }, body }));
      say(`${page.title ?? page.slug} is live again.`, async () => {
        await answer(api.DELETE('/deploy/{id}', { params: { path: { id: page.id } } }));
        onDone();
      });
    } catch (error) {
      if (isTaken || !(error instanceof ApiError && error.status === 409)) throw error;
      setTaken(true);
      return;
    }
    onDone();
    focusHeading();
  }
  return (
    <>
      <ActionButton
        needs="POST /trash/{id}/restore"
        icon="replace"
        of={page.title ?? page.slug}
        run={() => restore({})}
      >
        Restore
      </ActionButton>
      {isTaken && (
        <Dialog title="This address is taken" onClose={() => setTaken(false)}>
          <Form needs="POST /trash/{id}/restore" onSubmit={() => run(() => restore({ slug: slugOf(slug) }))}>
            <p>
              Another page has the address <bdi>{page.slug}</bdi> now. Choose one to restore this page with.
            </p>
            <SlugField label={LABELS.slug} value={slug} onChange={setSlug} error={errorOf(change, 'slug')} />
            <FormEnd change={change} button="Restore it" onCancel={() => setTaken(false)} />
          </Form>
        </Dialog>
      )}
    </>
  );
}

const Purge = ({ page, onDone }: { page: Deleted; onDone(): void }): JSX.Element => (
  <ActionButton
    needs="DELETE /trash/{id}"
    kind="quiet"
    icon="trash"
    of={page.title ?? page.slug}
    ask={{
      title: 'Delete for good?',
      button: 'Delete for good',
      typed: page.title ?? page.slug,
      text: `The page, its ${counted(page.submission_count, 'submission')} and their files are deleted. Nobody can restore them afterwards.`,
    }}
    run={() => answer(api.DELETE('/trash/{id}', { params: { path: { id: page.id } } }))}
    done={`${page.title ?? page.slug} is gone for good.`}
    onDone={onDone}
    isRemoving
  >
    Delete for good
  </ActionButton>
);

/** The owner's deleted pages. */
export default function Trash(): JSX.Element {
  const loaded = usePages('trash', MAX_LIMIT, async (query, signal) => {
    const { deployments, total } = await answer(api.GET('/trash', { params: { query }, signal }));
    return { items: deployments, total };
  });
  useOtherTabs(loaded.reload);
  return (
    <View title="Trash">
      <Shown loaded={loaded} label="Loading the trash">
        {({ items, total }) =>
          total === 0 ? (
            <Empty icon="trash" title="The trash is empty">
              <p>
                Pages that you delete stay here for 30 days, if the operator has chosen no other time. You can restore
                them until then.
              </p>
            </Empty>
          ) : (
            <>
              <ul class="rows card">
                {items.map((page) => (
                  <li key={page.id} class="row">
                    <div class="row-text">
                      <strong dir="auto">{page.title ?? page.slug}</strong>
                      <p class="muted">
                        {counted(page.submission_count, 'submission')}, deleted <Time at={page.deleted_at} />
                      </p>
                    </div>
                    <div class="buttons">
                      <Restore page={page} onDone={loaded.reload} />
                      <Purge page={page} onDone={loaded.reload} />
                    </div>
                  </li>
                ))}
              </ul>
              {total > MAX_LIMIT && <ListFoot loaded={loaded} of={t.shared.counts.pages} />}
            </>
          )
        }
      </Shown>
    </View>
  );
}
