import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { usePages } from '../data.ts';
import { StartingPoints } from '../editor/starting-points.tsx';
import { type Overviewed, readOverview } from '../own-pages.ts';
import { pageLinks } from '../page-links.ts';
import { mayChange } from '../session.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { PageAddress } from '../ui/page-layout.tsx';
import { say } from '../ui/say.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import { ListFoot, Shown } from '../ui/states.tsx';
import { counted, numbers, Time } from '../ui/time.tsx';
import { View } from '../ui/view.tsx';

/** Pages that are read at a time. */
const PAGE_SIZE = 50;

const seen = new Map<string, { items: readonly Overviewed[]; total: number }>();

/** The most important facts about a page. */
const Badges = ({ page }: { page: Overviewed }): JSX.Element => (
  <>
    {page.taken_down && <span class="badge bad">Taken down</span>}
    {page.failing_webhooks > 0 && (
      <a class="badge bad" href={pageLinks(page.id).notifications}>
        {counted(page.failing_webhooks, 'webhook')} failing
      </a>
    )}
    {page.email_notifications && <span class="badge">Mail on</span>}
    {page.spam > 0 && <span class="badge">{counted(page.spam, 'spam', 'spam')}</span>}
  </>
);

function PageCard({ page, onChange }: { page: Overviewed; onChange(): void }): JSX.Element {
  const title = page.title ?? page.slug;
  return (
    <li class="card page-card">
      <div>
        <h2>
          <a class="subtle" href={pageLinks(page.id).inbox}>
            <bdi>{title}</bdi>
          </a>
        </h2>
        <PageAddress url={page.url} />
        <p class="badges">
          <Badges page={page} />
        </p>
        {page.honeypots > 0 && (
          <p class="hint">
            {counted(page.honeypots, 'filled-in honeypot')} in the last 7 days. The field _hp, which people don’t see,
            had a value: whoever sent it was taken for a robot, and nothing was stored.
          </p>
        )}
      </div>
      <div>
        <p class="page-card-count">
          <a class="subtle" href={pageLinks(page.id).inbox}>
            {counted(page.submission_count, 'submission')}
          </a>
          {page.unread > 0 && <strong class="unread">{numbers.format(page.unread)} unread</strong>}
        </p>
        <p class="muted">
          {page.last_submission_at ? (
            <>
              Last: <Time at={page.last_submission_at} />
            </>
          ) : (
            'Nothing was sent yet'
          )}
        </p>
      </div>
      {page.submission_count > 0 && <Sparkline id={page.id} />}
      <div class="page-card-actions">
        <div class="buttons actions">
          <CopyButton text={page.url} of={`of ${title}`}>
            Copy link
          </CopyButton>
          <ButtonLink kind="quiet" icon="edit" href={pageLinks(page.id).edit} of={title}>
            Edit
          </ButtonLink>
          <DeletePage page={page} onChange={onChange} />
        </div>
      </div>
    </li>
  );
}

/** Moves a page to the trash at once: it can be undone. */
function DeletePage({ page: { id, slug, title }, onChange }: { page: Overviewed; onChange(): void }): JSX.Element {
  const params = { path: { id } };
  async function restore(): Promise<void> {
    await answer(api.POST('/trash/{id}/restore', { params, body: {} }));
    say(`${slug} is live again.`);
    onChange();
  }
  return (
    <ActionButton
      kind="quiet"
      icon="trash"
      of={title ?? slug}
      run={() => answer(api.DELETE('/deploy/{id}', { params }))}
      onDone={() => {
        say(`${slug} is in the trash.`, restore);
        onChange();
      }}
      isRemoving
    >
      Delete
    </ActionButton>
  );
}

/** The ways to the first page. */
const FirstPage = (): JSX.Element => (
  <>
    <div>
      <h2>You have no pages yet</h2>
      <p>Start from a finished page: its texts can be changed before it goes live.</p>
    </div>
    <StartingPoints />
    <p class="buttons">
      <ButtonLink icon="upload" href="/dashboard/new">
        Paste or drop HTML
      </ButtonLink>
    </p>
  </>
);

/** All pages of the owner. */
export default function Pages(): JSX.Element {
  const loaded = usePages('overview', PAGE_SIZE, readOverview, seen);
  return (
    <View
      title="Pages"
      actions={
        mayChange.value && (
          <ButtonLink kind="main" icon="plus" href="/dashboard/new">
            New page
          </ButtonLink>
        )
      }
    >
      <Shown loaded={loaded} label="Loading your pages">
        {({ items, total }) =>
          total === 0 ? (
            <FirstPage />
          ) : (
            <>
              <ul class="stack">
                {items.map((page) => (
                  <PageCard key={page.id} page={page} onChange={loaded.reload} />
                ))}
              </ul>
              <ListFoot loaded={loaded} of="page" />
            </>
          )
        }
      </Shown>
    </View>
  );
}
