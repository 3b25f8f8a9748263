import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import type { Draft } from '../editor/draft/draft-place.ts';
import { draftOf } from '../editor/draft/page-draft.ts';
import { EditDraft } from '../editor/edit-draft.tsx';
import { EditSiteFile } from '../editor/edit-site-file.tsx';
import { ImageFile } from '../editor/image-file.tsx';
import { DraftsNotice } from '../editor/site/drafts-notice.tsx';
import { changedTexts, previewWith } from '../editor/site/preview-site.ts';
import { readSiteDrafts } from '../editor/site/read-site-drafts.ts';
import type { SiteDrafts } from '../editor/site/site-drafts.ts';
import { isTextFile, strongTag } from '../editor/site-file.ts';
import { pageLinks } from '../page-links.ts';
import { INDEX } from '../sites.ts';
import { t } from '../texts/chosen-texts.ts';
import { Select } from '../ui/field.tsx';
import { type Page, PageView } from '../ui/page-layout.tsx';
import { Shown } from '../ui/states.tsx';

/** The HTML that is live, and its ETag, by which a change of somebody else is noticed. */
type Live = { html: string; etag: string; files: readonly Schemas['SiteFile'][] };

async function readLive(id: string, signal: AbortSignal): Promise<Live> {
  const params = { path: { id } };
  const call = api.GET('/deploy/{id}/html', { params, signal });
  const [{ html }, { files }] = await Promise.all([
    answer(call),
    answer(api.GET('/deploy/{id}/files', { params, signal })),
  ]);
  return { html, etag: strongTag((await call).response), files };
}

/** Edits the HTML that was live, or one's draft of it. */
function Edit({
  page,
  live,
  found,
  drafts,
}: {
  page: Page;
  live: Live;
  found: Draft | undefined;
  drafts: SiteDrafts | undefined;
}): JSX.Element {
  const { id, url } = page;
  const { query } = useLocation();
  const [isOfSite, setOfSite] = useState(live.files.length > 1);
  return (
    <EditDraft
      {...{ page, live, found }}
      kept={draftOf(id)}
      put={(html, wanted) => {
        const params = { path: { id }, header: { 'If-Match': wanted } };
        return answer(api.PUT('/deploy/{id}', { params, body: { html } }));
      }}
      published={t.editor.edit.newVersionLive}
      href={pageLinks(id).edit}
      fileProps={({ draft: { html }, beginWith }) => ({
        isOfSite,
        base: url,
        drafts,
        draftsNotice: <DraftsNotice id={id} drafts={drafts} />,
        images: (use) => (
          <ImageFile
            id={id}
            onChosen={async (src) => {
              setOfSite(true);
              use(src);
              // A file that was added is a new version, of the same HTML.
              const now = await readLive(id, new AbortController().signal);
              if (now.html === live.html) beginWith(now.etag);
            }}
          />
        ),
        onPreview: () => previewWith(id, changedTexts(INDEX, html, drafts)),
        ...(query.line && { start: { line: Number(query.line), column: Number(query.column) } }),
      })}
    />
  );
}

/** Reads the draft each time that the first page is chosen: it was perhaps changed before another file was. */
function EditIndex({ page, live }: { page: Page; live: Live }): JSX.Element {
  const loaded = useData(`draft:${page.id}`, async (signal) => {
    const [found, drafts] = await Promise.all([
      draftOf(page.id).read(signal),
      readSiteDrafts(page, INDEX, signal).catch(() => undefined),
    ]);
    return { found, drafts };
  });
  return (
    <Shown loaded={loaded} label={t.editor.edit.loadingDraft}>
      {({ found, drafts }) => <Edit {...{ page, live, found, drafts }} />}
    </Shown>
  );
}

/** Leads to the editor of another file of a site. */
function FileChoice({ page: { id }, live, path }: { page: Page; live: Live; path: string }): JSX.Element | null {
  const { route } = useLocation();
  const options = live.files.filter(isTextFile).map((file) => ({ value: file.path, label: file.path }));
  if (options.length < 2) return null;
  return (
    <div class="file-choice">
      <Select
        label={t.editor.edit.file}
        value={path}
        options={options}
        onChange={(chosen) => {
          const edit = pageLinks(id).edit;
          route(chosen === INDEX ? edit : `${edit}?file=${encodeURIComponent(chosen)}`);
        }}
      />
    </div>
  );
}

function Loaded({ page }: { page: Page }): JSX.Element {
  const { query } = useLocation();
  const { file: path = INDEX } = query;
  const loaded = useData(`live:${page.id}`, (signal) => readLive(page.id, signal));
  return (
    <Shown loaded={loaded} label={t.editor.edit.loadingHtml}>
      {(live) => (
        <>
          <FileChoice {...{ page, live, path }} />
          {path === INDEX ? <EditIndex page={page} live={live} /> : <EditSiteFile key={path} page={page} path={path} />}
        </>
      )}
    </Shown>
  );
}

/**
 * Gives a page new HTML; its address, submissions and settings stay. `?line=&column=`: the place to begin at; `?file=`: another file of
 * a site.
 */
export default function EditPage(): JSX.Element {
  return (
    <PageView needs="PUT /deploy/{id}" title={t.editor.edit.title}>
      {(page) => <Loaded key={page.id} page={page} />}
    </PageView>
  );
}
