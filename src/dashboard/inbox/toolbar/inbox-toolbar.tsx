import type { ComponentChildren, JSX } from 'preact';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { type Filter, isSearch, NO_FILTER } from '../filter.ts';
import type { Inbox } from '../inbox-state.ts';
import { showHelp } from '../shortcuts.tsx';
import { DatesMenu } from './dates-menu.tsx';
import { ExportMenu } from './export-menu.tsx';
import { Folders } from './folders.tsx';
import { SearchField } from './search-field.tsx';

const { q, from, to } = NO_FILTER;
const NO_SEARCH = { q, from, to };

/** How many were found, and how far a search has come. */
function Progress({ inbox: { list, filter }, onClear }: { inbox: Inbox; onClear(): void }): JSX.Element {
  const { isReading, rows, searched, total } = list.state.value;
  const { found, foundSoFar } = t.inbox.toolbar;
  const isShown = isSearch(filter) && (!isReading || searched > 0);
  return (
    <div class="inbox-found">
      <p class="hint" role="status">
        {isShown &&
          (searched < total ? counted(foundSoFar, rows.length, { searched, total }) : counted(found, rows.length))}
      </p>
      {isSearch(filter) && (
        <Button kind="quiet" icon="close" onClick={onClear}>
          {t.inbox.toolbar.clear}
        </Button>
      )}
    </div>
  );
}

type Props = {
  inbox: Inbox;
  onChange(filter: Filter): void;
  /** Further menus. */
  children: ComponentChildren;
};

/** The folders, the search and the menus in one row. The filter is in the address. */
export function Toolbar({ inbox, onChange, children }: Props): JSX.Element {
  const { page, overview, filter, list } = inbox;
  const { total } = list.state.value;
  return (
    <>
      <search class="inbox-bar">
        <Folders page={page} />
        <SearchField
          q={filter.q}
          placeholder={total === 0 ? t.inbox.toolbar.search : counted(t.inbox.toolbar.searchAll, total)}
          onSearch={(q) => onChange({ ...filter, q })}
        />
        <div class="inbox-menus">
          <DatesMenu filter={filter} onChange={onChange} />
          {children}
          {overview.length > 0 && <ExportMenu pages={overview} filter={filter} />}
          <span class="for-keys">
            <IconButton icon="keyboard" label={t.inbox.toolbar.shortcuts} onClick={() => showHelp()} />
          </span>
        </div>
      </search>
      <Progress inbox={inbox} onClear={() => onChange({ ...filter, ...NO_SEARCH })} />
    </>
  );
}
