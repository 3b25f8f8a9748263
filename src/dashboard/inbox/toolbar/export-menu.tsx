import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Overviewed } from '../../own-pages.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Select } from '../../ui/field.tsx';
import { Menu } from '../../ui/menu.tsx';
import { type Filter, isFiltered, queryOf } from '../filter.ts';
import { MenuLabel } from './menu-label.tsx';

/** The address of a file with the submissions of a page that a filter lets through. */
export function exportLink(pageId: string, format: 'csv' | 'xlsx', filter: ReturnType<typeof queryOf>): string {
  const options = { ...filter, labels: '1', ...(format === 'csv' && { bom: '1' }) };
  return `/submissions/${pageId}/export.${format}?${new URLSearchParams(options)}`;
}

/** Files with the submissions that the filter lets through: one for each page, whose fields are its columns. */
export function ExportMenu({ pages, filter }: { pages: readonly Overviewed[]; filter: Filter }): JSX.Element {
  const [chosen, setChosen] = useState('');
  const pageId = chosen || (pages[0]?.id ?? '');
  return (
    <Menu label={<MenuLabel icon="download" text={t.inbox.exporting.menu} />}>
      <p class="muted">{isFiltered(filter) ? t.inbox.exporting.matching : t.inbox.exporting.all}</p>
      {pages.length > 1 && (
        <Select
          label={t.inbox.exporting.page}
          value={pageId}
          options={pages.map(({ id, title, slug }) => ({ value: id, label: title ?? slug }))}
          onChange={setChosen}
        />
      )}
      <a class="button quiet" href={exportLink(pageId, 'csv', queryOf(filter))} download>
        {t.inbox.exporting.csv}
      </a>
      <a class="button quiet" href={exportLink(pageId, 'xlsx', queryOf(filter))} download>
        {t.inbox.exporting.excel}
      </a>
    </Menu>
  );
}
