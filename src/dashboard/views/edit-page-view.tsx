import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Schemas } from '../../client/client.ts';
import { ApiError, answer, api } from '../api.ts';
import { useChange, useData } from '../data.ts';
import { countField } from '../editor/count-field.ts';
import { type Draft, draftOf } from '../editor/draft/page-draft.ts';
import { usePageDraft } from '../editor/draft/use-page-draft.ts';
import { EditSiteFile } from '../editor/edit-site-file.tsx';
import { ImageFile } from '../editor/image-file.tsx';
import { LazyEditor } from '../editor/lazy-editor.tsx';
import { isTextFile } from '../editor/site-file.ts';
import { pageLinks } from '../page-links.ts';
import { t } from '../texts/chosen-texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Select } from '../ui/field.tsx';
import { type Page, PageView } from '../ui/page-layout.tsx';
import { say } from '../ui/say.tsx';
import { Shown } from '../ui/states.tsx';

const INDEX = 'index.html';

/** The HTML that is live, and its ETag, by which a change of somebody else is noticed. */
type Live = { html: string; etag: string; files: readonly Schemas['SiteFile'][] };

async function readLive(id: string, signal: AbortSignal): Promise<Live> {
  const params = { path: { id } };
  const call = api.GET('/deploy/{id}/html', { params, signal });
  const [{ html }, { files }] = await Promise.all([
    answer(call),
    answer(api.GET('/deploy/{id}/files', { params, signal })),
  ]);
  const etag = (await call).response.headers.get('ETag') ?? '';
  // Proxies that compress answers make it weak, and PUT accepts strong ones only.
  return { html, etag: etag.replace(/^W\//, ''), files };
}

/** Edits the HTML that was live, or one's draft of it. The account keeps what is typed. */
function Edit({ page: { id, url }, live, found }: { page: Page; live: Live; found: Draft | undefined }): JSX.Element {
  const { route, query } = useLocation();
  const { draft, state, type, beginWith, drop } = usePageDraft(id, live, found);
  const { html, etag } = draft;
  const isChanged = html !== live.html;
  const { change, run } = useChange();
  const [isOutdated, setOutdated] = useState(false);

  /** Leaves without what was typed, which *Undo* brings back. */
  function cancel(): void {
    if (isChanged) {
      const restore = drop();
      say(t.editor.edit.discarded, async () => {
        restore();
        route(pageLinks(id).edit);
      });
    }
    route(pageLinks(id).page);
  }
  /** `wanted`: the ETag of the HTML that is replaced; `*` replaces any. */
  const publish = (wanted: string): unknown =>
    run(async () => {
      const params = { path: { id }, header: { 'If-Match': wanted } };
      try {
        await answer(api.PUT('/deploy/{id}', { params, body: { html } }));
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 412)) throw error;
        setOutdated(true);
        return;
      }
      say(t.editor.edit.newVersionLive);
      drop();
      route(pageLinks(id).page);
    });
  /** A file that was added is a new version, of the same HTML. */
  async function takeNewEtag(): Promise<void> {
    const now = await readLive(id, new AbortController().signal);
    if (now.html === live.html) beginWith(now.etag);
  }
  async function preview(): Promise<string> {
    const params = { path: { id }, query: { preview: '1' as const } };
    return (await answer(api.PUT('/deploy/{id}', { params, body: { html } }))).preview_url ?? '';
  }
  return (
    <>
      <LazyEditor
        html={html}
        onChange={type}
        onPublish={() => publish(etag)}
        onCancel={cancel}
        change={change}
        isOfSite={live.files.length > 1}
        isChanged={isChanged}
        kept={state}
        base={url}
        images={(use) => (
          <ImageFile
            id={id}
            onChosen={async (src) => {
              use(src);
              await takeNewEtag();
            }}
          />
        )}
        countField={(name) => countField(id, name)}
        onPreview={preview}
        {...(query.line && { start: { line: Number(query.line), column: Number(query.column) } })}
      />
      {isOutdated && (
        <ConfirmDialog
          title={t.editor.edit.outdated.title}
          text={t.editor.edit.outdated.text}
          button={t.editor.edit.outdated.button}
          change={change}
          onConfirm={() => publish('*')}
          onClose={() => setOutdated(false)}
        />
      )}
    </>
  );
}

/** Reads the draft each time that the first page is chosen: it was perhaps changed before another file was. */
function EditIndex({ page, live }: { page: Page; live: Live }): JSX.Element {
  const loaded = useData(`draft:${page.id}`, async (signal) => ({ found: await draftOf(page.id).read(signal) }));
  return (
    <Shown loaded={loaded} label={t.editor.edit.loadingDraft}>
      {({ found }) => <Edit {...{ page, live, found }} />}
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
