import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { ApiError, answer, api } from '../api.ts';
import { MAX_LIMIT } from '../dashboard-limits.ts';
import { errorOf, useChange, usePages } from '../data.ts';
import { useOtherTabs } from '../other-tabs.ts';
import { counted, fill, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { ActionButton } from '../ui/action-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, FormEnd } from '../ui/form.tsx';
import { say } from '../ui/say.tsx';
import { SlugField, slugOf } from '../ui/slug-field.tsx';
import { Empty, ListFoot, Shown } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { focusHeading, View } from '../ui/view.tsx';

type Deleted = Schemas['DeletedDeployment'];

const LABELS = { slug: t.inbox.trash.newAddress };

/** Restores a page, under another address when its own is taken meanwhile. */
function Restore({ page, onDone }: { page: Deleted; onDone(): void }): JSX.Element {
  const { change, run } = useChange({ labels: LABELS });
  const [isTaken, setTaken] = useState(false);
  const [slug, setSlug] = useState(`${page.slug}-again`);
  async function restore(body: { slug?: string }): Promise<void> {
    try {
      await answer(api.POST('/trash/{id}/restore', { params: { path: { id: page.id } }, body }));
      say(fill(t.inbox.trash.restored, { page: page.title ?? page.slug }), async () => {
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
        {t.inbox.trash.restore}
      </ActionButton>
      {isTaken && (
        <Dialog title={t.inbox.trash.taken} onClose={() => setTaken(false)}>
          <Form needs="POST /trash/{id}/restore" onSubmit={() => run(() => restore({ slug: slugOf(slug) }))}>
            <p>
              <Rich text={t.inbox.trash.takenText} with={{ address: page.slug }} />
            </p>
            <SlugField label={LABELS.slug} value={slug} onChange={setSlug} error={errorOf(change, 'slug')} />
            <FormEnd change={change} button={t.inbox.trash.restoreIt} onCancel={() => setTaken(false)} />
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
      title: t.inbox.trash.purgeTitle,
      button: t.inbox.trash.purge,
      typed: page.title ?? page.slug,
      text: counted(t.inbox.trash.purgeText, page.submission_count),
    }}
    run={() => answer(api.DELETE('/trash/{id}', { params: { path: { id: page.id } } }))}
    done={fill(t.inbox.trash.purged, { page: page.title ?? page.slug })}
    onDone={onDone}
    isRemoving
  >
    {t.inbox.trash.purge}
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
    <View title={t.inbox.trash.title}>
      <Shown loaded={loaded} label={t.inbox.trash.loading}>
        {({ items, total }) =>
          total === 0 ? (
            <Empty icon="trash" title={t.inbox.trash.empty}>
              <p>{t.inbox.trash.emptyHint}</p>
            </Empty>
          ) : (
            <>
              <ul class="rows card">
                {items.map((page) => (
                  <li key={page.id} class="row">
                    <div class="row-text">
                      <strong dir="auto">{page.title ?? page.slug}</strong>
                      <p class="muted">
                        <Rich
                          text={t.inbox.trash.facts}
                          with={{
                            submissions: <>{counted(t.shared.counts.submissions, page.submission_count)}</>,
                            deletedAt: <Time at={page.deleted_at} />,
                          }}
                        />
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
