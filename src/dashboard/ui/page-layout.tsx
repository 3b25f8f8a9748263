import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { ApiError, answer, api } from '../api.ts';
import { inViewWords } from '../dashboard-words.ts';
import { useData } from '../data.ts';
import { useOtherTabs } from '../other-tabs.ts';
import { noteUnread, type Overviewed } from '../own-pages.ts';
import { pageLinks } from '../page-links.ts';
import { may, type Needs } from '../permissions.ts';
import { takeRole } from '../session.ts';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import NotFound from '../views/not-found-view.tsx';
import { Links } from './links.tsx';
import { Notice } from './notice.tsx';
import { PageAddress } from './page-address.tsx';
import { PageState } from './page-state.tsx';
import { ReadOnly } from './read-only.tsx';
import { Shown } from './states.tsx';
import { View } from './view.tsx';

export type Page = Overviewed;

/** The operations without which there is nothing to see in a view of a page. */
export const READS_PAGE = 'GET /deploy/{id}/versions';
export const READS_SETTINGS = 'GET /deploy/{id}/settings';

export const READS_WEBHOOKS = 'GET /webhooks/{deployId}';

const seen = new Map<string, Page>();

/** Says that the operator has taken a page down, why, and whom to ask. */
function TakenDown({ page: { id, take_down_reason: reason } }: { page: Page }): JSX.Element | null {
  const { data: notice } = useData(`notice:${id}`, async (signal) => {
    const { response } = await api.GET('/deploy/{id}', { params: { path: { id } }, signal });
    return inViewWords(response.headers.get('formhost-notice') ?? '');
  });
  return notice ? (
    <Notice isProblem>
      {reason === null ? (
        <Rich text={t.bar.onePage.takenDown} with={{ notice: <>{notice}</> }} />
      ) : (
        <Rich text={t.bar.onePage.takenDownBecause} with={{ notice: <>{notice}</>, reason }} />
      )}
    </Notice>
  ) : null;
}

/** A view of one page: what page it is, the other views of it, and the view itself once the page was found. */
export function PageView({
  needs,
  title,
  actions,
  children,
}: {
  /** What the view calls: people who may not do so don't see it. */
  needs: Needs;
  title: string;
  actions?: ComponentChildren;
  /** `reload`: reads the page again, whose numbers have changed. */
  children: (page: Page, reload: () => void) => ComponentChildren;
}): JSX.Element {
  const { id = '' } = useRoute().params;
  const loaded = useData(
    `page:${id}`,
    async (signal) => {
      const read = await answer(api.GET('/overview/{id}', { params: { path: { id } }, signal }));
      noteUnread([read]);
      return read;
    },
    seen,
  );
  useOtherTabs(loaded.reload);
  const { data: page, error } = loaded;
  const role = page?.role;
  // Views leave out what a guest may not do, before anybody sees them.
  useLayoutEffect(() => takeRole(role), [role]);
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  const links = pageLinks(id);
  return (
    <View
      title={title}
      page={{
        name: page ? (page.title ?? page.slug) : '',
        address: page && (
          <>
            <PageAddress url={page.url} />
            <PageState page={page} />
          </>
        ),
      }}
      actions={actions}
    >
      <Links
        label={t.bar.onePage.links}
        links={[
          { href: links.inbox, label: t.bar.onePage.inbox },
          { href: links.charts, label: t.bar.onePage.charts },
          ...(may(READS_PAGE) ? [{ href: links.page, label: t.bar.onePage.page }] : []),
          ...(may(READS_SETTINGS)
            ? [
                { href: links.notifications, label: t.bar.onePage.notifications },
                { href: links.settings, label: t.bar.onePage.settings },
              ]
            : []),
        ]}
      />
      {page?.taken_down && <TakenDown page={page} />}
      {page && may(needs) ? (
        children(page, loaded.reload)
      ) : page ? (
        <ReadOnly />
      ) : (
        <Shown loaded={loaded} label={t.bar.onePage.loading}>
          {() => undefined}
        </Shown>
      )}
    </View>
  );
}
