import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { useData, usePages } from '../data.ts';
import { StartingPoints } from '../editor/starting-points.tsx';
import { useOtherTabs } from '../other-tabs.ts';
import { type Overviewed, readAllPages, readOverview } from '../own-pages.ts';
import { may } from '../permissions.ts';
import { isReadOnly } from '../session.ts';
import { counted, fill, t } from '../texts/chosen-texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty, ListFoot, Shown } from '../ui/states.tsx';
import { View } from '../ui/view.tsx';
import { NewPageRows } from './pages/new-page-rows.tsx';
import { PageRow } from './pages/page-row.tsx';

/** Pages that are read at a time. */
const PAGE_SIZE = 50;

const seen = new Map<string, { items: readonly Overviewed[]; total: number }>();

/** A text as it is compared: its letters without accents and capitals. */
const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The ways to the first page. */
const FirstPage = (): JSX.Element => (
  <>
    <div>
      <h2>{t.pages.none.own}</h2>
      <p>{t.pages.none.start}</p>
    </div>
    <StartingPoints />
    <p class="buttons">
      <ButtonLink icon="upload" href={VIEW_PATHS.newPage}>
        {t.pages.none.paste}
      </ButtonLink>
    </p>
  </>
);

const NoPages = (): JSX.Element =>
  may('POST /deploy') ? (
    <FirstPage />
  ) : (
    <Empty icon="page" title={t.pages.none.title}>
      <p>{isReadOnly.value ? t.pages.none.readOnly : t.pages.none.guest}</p>
    </Empty>
  );

type RowsProps = { pages: readonly Overviewed[]; onChange(): void };

const List = ({ pages, onChange }: RowsProps): JSX.Element => (
  <ul class="page-rows">
    {pages.map((page) => (
      <PageRow key={page.id} page={page} onChange={onChange} />
    ))}
  </ul>
);

/** One's own pages, and below them those that others share. */
function Rows({ pages, onChange }: RowsProps): JSX.Element {
  const own = pages.filter(({ role }) => role === undefined);
  const shared = pages.filter(({ role }) => role !== undefined);
  return (
    <>
      {own.length > 0 && <List pages={own} onChange={onChange} />}
      {shared.length > 0 && (
        <section class="stack" aria-labelledby="shared">
          <h2 id="shared">{t.pages.sharedWithYou}</h2>
          <List pages={shared} onChange={onChange} />
        </section>
      )}
    </>
  );
}

/** The pages whose title or address has all words of a search. */
function Found({ search, onChange }: { search: string; onChange(): void }): JSX.Element {
  const loaded = useData('all-pages', readAllPages);
  useOtherTabs(loaded.reload);
  const words = plain(search).split(/\s+/).filter(Boolean);
  const isFound = ({ title, slug, url }: Overviewed): boolean => {
    const text = plain(`${title ?? ''} ${slug} ${url}`);
    return words.every((word) => text.includes(word));
  };
  return (
    <Shown loaded={loaded} label={t.pages.search.searching}>
      {(pages) => {
        const found = pages.filter(isFound);
        const reload = (): void => {
          loaded.reload();
          onChange();
        };
        return found.length === 0 ? (
          <Empty icon="search" title={t.pages.search.nothing}>
            <p>{fill(t.pages.search.nothingHas, { search })}</p>
            <p>
              <ButtonLink href={VIEW_PATHS.pages}>{t.pages.search.showAll}</ButtonLink>
            </p>
          </Empty>
        ) : (
          <>
            <Rows pages={found} onChange={reload} />
            <p class="muted" role="status">
              {counted(t.pages.search.found, found.length)}
            </p>
          </>
        );
      }}
    </Shown>
  );
}

/** All pages of the owner. */
export default function Pages(): JSX.Element {
  const { query, route } = useLocation();
  const search = query.q ?? '';
  const loaded = usePages('overview', PAGE_SIZE, readOverview, seen);
  useOtherTabs(loaded.reload);
  const find = (text: string): void =>
    route(text === '' ? VIEW_PATHS.pages : `${VIEW_PATHS.pages}?q=${encodeURIComponent(text)}`, true);
  return (
    <View
      title={t.pages.title}
      actions={
        may('POST /deploy') && (
          <ButtonLink kind="main" icon="plus" href={VIEW_PATHS.newPage}>
            {t.pages.newPage}
          </ButtonLink>
        )
      }
    >
      {may('POST /deploy') && search.trim() === '' && <NewPageRows />}
      <Shown loaded={loaded} label={t.pages.loading}>
        {({ items, total }) =>
          total === 0 ? (
            <NoPages />
          ) : (
            <>
              <search class="page-search">
                <input
                  type="search"
                  aria-label={t.pages.search.label}
                  placeholder={t.pages.search.placeholder}
                  value={search}
                  onInput={({ currentTarget }) => find(currentTarget.value)}
                />
              </search>
              {search.trim() === '' ? (
                <>
                  <Rows pages={items} onChange={loaded.reload} />
                  <ListFoot loaded={loaded} of={t.shared.counts.pages} />
                </>
              ) : (
                <Found search={search} onChange={loaded.reload} />
              )}
            </>
          )
        }
      </Shown>
    </View>
  );
}
