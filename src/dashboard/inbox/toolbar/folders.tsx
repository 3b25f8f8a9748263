import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { VIEW_PATHS } from '../../../lib/dashboard-paths.ts';
import { pageLinks } from '../../page-links.ts';
import { may } from '../../permissions.ts';
import { numbers, t } from '../../texts/chosen-texts.ts';
import { Menu } from '../../ui/menu.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { filterOf, NO_FILTER, searchOf } from '../filter.ts';
import { MenuLabel } from './menu-label.tsx';

/** The operations without which the folders of a page can't be seen. */
export const READS_SPAM = 'GET /deploy/{id}/spam';
export const READS_TRASH = 'GET /submissions/{deployId}/trash';

const { unread, starred, status } = NO_FILTER;
const NO_MARKS = { unread, starred, status };

type Folder = { label: string; href: string; isCurrent: boolean; count?: number };

/** The folders of a page, or of all pages: `rest` are those that are seldom opened. A search goes on from one to another where each can search. */
function useFolders(page: Page | undefined): { main: readonly Folder[]; rest: readonly Folder[] } {
  const { query } = useLocation();
  const { view = '' } = query;
  const filter = filterOf(query);
  const base = page ? pageLinks(page.id).inbox : VIEW_PATHS.allInboxes;
  const marked = (label: string, marks: Partial<typeof NO_MARKS>): Folder => {
    const wanted = { ...filter, ...NO_MARKS, ...marks };
    return { label, href: base + searchOf(wanted), isCurrent: view === '' && searchOf(wanted) === searchOf(filter) };
  };
  const kept = (label: string, name: string): Folder => ({
    label,
    href: `${base}?view=${name}`,
    isCurrent: view === name,
  });
  return {
    main: [
      marked(t.inbox.folders.inbox, {}),
      marked(t.inbox.folders.unread, { unread: true }),
      marked(t.inbox.folders.starred, { starred: true }),
      ...(page && may(READS_SPAM) ? [{ ...kept(t.inbox.folders.spam, 'spam'), count: page.spam }] : []),
    ],
    rest: [
      marked(t.inbox.folders.toDo, { status: 'open' }),
      marked(t.inbox.folders.done, { status: 'done' }),
      ...(page && may(READS_TRASH) ? [kept(t.inbox.folders.trash, 'trash')] : []),
    ],
  };
}

const FolderLink = ({ label, href, isCurrent, count = 0 }: Folder): JSX.Element => (
  <a class="button quiet" href={href} aria-current={isCurrent ? 'page' : undefined}>
    {label} {count > 0 && <span class="count">{numbers.format(count)}</span>}
  </a>
);

const toLinks = (folders: readonly Folder[]) => folders.map((folder) => <FolderLink key={folder.label} {...folder} />);

/** The folders side by side, the last ones in a menu; all of them in a menu where there is no room. */
export function Folders({ page }: { page: Page | undefined }): JSX.Element {
  const { main, rest } = useFolders(page);
  const current = [...main, ...rest].find(({ isCurrent }) => isCurrent);
  return (
    <>
      <nav class="folders" aria-label={t.inbox.folders.label}>
        {toLinks(main)}
        {toLinks(rest.filter(({ isCurrent }) => isCurrent))}
        <Menu label={<MenuLabel icon="more" text={t.inbox.folders.more} />} kind="quiet">
          {toLinks(rest)}
        </Menu>
      </nav>
      <div class="folder-menu">
        <Menu label={<MenuLabel icon="unfold" text={current?.label ?? t.inbox.folders.inbox} />}>
          {toLinks([...main, ...rest])}
        </Menu>
      </div>
    </>
  );
}
