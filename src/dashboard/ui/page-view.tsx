import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { Schemas } from '../../client/client.ts';
import { ApiError, answer, api } from '../api.ts';
import { type Loaded, useData } from '../data.ts';
import { pageLinks } from '../links.ts';
import NotFound from '../views/not-found.tsx';
import { Icon } from './icon.tsx';
import { Shown } from './states.tsx';
import { View } from './view.tsx';

export type Page = Schemas['Deployment'];

const seen = new Map<string, Page>();

/** The page that the address names. */
function usePage(): Loaded<Page> & { id: string } {
  const { id = '' } = useRoute().params;
  const loaded = useData(
    `page:${id}`,
    (signal) => answer(api.GET('/deploy/{id}', { params: { path: { id } }, signal })),
    seen,
  );
  return { ...loaded, id };
}

function Tabs({ id }: { id: string }): JSX.Element {
  const { path } = useLocation();
  const links = pageLinks(id);
  const tabs = [
    { href: links.inbox, label: 'Inbox' },
    { href: links.charts, label: 'Charts' },
    { href: links.page, label: 'Page' },
    { href: links.notifications, label: 'Notifications' },
    { href: links.settings, label: 'Settings' },
  ];
  const nav = useRef<HTMLElement>(null);
  // On a phone they scroll: the one of this view is in sight.
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - nav.current.clientWidth / 2;
  }, [path]);
  return (
    <nav ref={nav} class="tabs" aria-label="This page">
      {tabs.map(({ href, label }) => (
        <a key={href} href={href} aria-current={path.startsWith(href) ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

/** A view of one page: what page it is, the other views of it, and the view itself once the page was found. */
export function PageView({
  title,
  actions,
  isNarrow = false,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  isNarrow?: boolean;
  children: (page: Page) => ComponentChildren;
}): JSX.Element {
  const { id, ...loaded } = usePage();
  const { data: page, error } = loaded;
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <View
      title={title}
      name={page?.slug}
      isNarrow={isNarrow}
      actions={actions}
      of={
        <p class="of">
          <a href="/dashboard">
            <Icon name="back" />
            Pages
          </a>
          {page && (
            <a class="page-url" href={page.url} target="_blank" rel="noopener">
              <bdi>{page.slug}</bdi>
              <Icon name="open" />
              <span class="unseen">(opens in a new tab)</span>
            </a>
          )}
        </p>
      }
    >
      <Tabs id={id} />
      {page ? (
        children(page)
      ) : (
        <Shown loaded={loaded} label="Loading the page">
          {children}
        </Shown>
      )}
    </View>
  );
}
