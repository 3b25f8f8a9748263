import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError, answer, api } from '../api.ts';
import { useChange, useData, useDraft } from '../data.ts';
import { Editor } from '../editor/editor.tsx';
import { pageLinks } from '../page-links.ts';
import { mayChange } from '../session.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { type Page, PageView } from '../ui/page-layout.tsx';
import { ReadOnly } from '../ui/read-only.tsx';
import { say } from '../ui/say.tsx';
import { Shown } from '../ui/states.tsx';

/** The HTML that is live, and its ETag, by which a change of somebody else is noticed. */
type Live = { html: string; etag: string; isOfSite: boolean };

async function readLive(id: string, signal: AbortSignal): Promise<Live> {
  const params = { path: { id } };
  const call = api.GET('/deploy/{id}/html', { params, signal });
  const [{ html }, { files }] = await Promise.all([
    answer(call),
    answer(api.GET('/deploy/{id}/files', { params, signal })),
  ]);
  const etag = (await call).response.headers.get('ETag') ?? '';
  // Proxies that compress answers make it weak, and PUT accepts strong ones only.
  return { html, etag: etag.replace(/^W\//, ''), isOfSite: files.length > 1 };
}

/** Edits the HTML that was live. The tab keeps what is typed, and the ETag of what it began with. */
function Edit({ page: { id }, live }: { page: Page; live: Live }): JSX.Element {
  const { route, query } = useLocation();
  const [html, setHtml, dropHtml] = useDraft(`html:${id}`, live.html);
  const [etag, setEtag, dropEtag] = useDraft(`etag:${id}`, live.etag);
  const { change, run } = useChange();
  const [isOutdated, setOutdated] = useState(false);

  function type(text: string): void {
    setHtml(text);
    setEtag(etag);
  }
  function leave(): void {
    dropHtml();
    dropEtag();
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
      say('The new version is live.');
      leave();
    });
  async function preview(): Promise<string> {
    const params = { path: { id }, query: { preview: '1' as const } };
    return (await answer(api.PUT('/deploy/{id}', { params, body: { html } }))).preview_url ?? '';
  }
  return (
    <>
      <Editor
        html={html}
        onChange={type}
        onPublish={() => publish(etag)}
        onCancel={leave}
        change={change}
        isOfSite={live.isOfSite}
        onPreview={preview}
        {...(query.line && { start: { line: Number(query.line), column: Number(query.column) } })}
      />
      {isOutdated && (
        <ConfirmDialog
          title="Somebody else has changed this page"
          text="Another version was published since you began. If you publish yours, theirs stays in the list of versions. To begin with theirs, cancel here and in the editor."
          button="Publish mine"
          change={change}
          onConfirm={() => publish('*')}
          onClose={() => setOutdated(false)}
        />
      )}
    </>
  );
}

function Loaded({ page }: { page: Page }): JSX.Element {
  const loaded = useData(`live:${page.id}`, (signal) => readLive(page.id, signal));
  return (
    <Shown loaded={loaded} label="Loading the HTML">
      {(live) => <Edit page={page} live={live} />}
    </Shown>
  );
}

/** Gives a page new HTML; its address, submissions and settings stay. `?line=&column=`: the place to begin at. */
export default function EditPage(): JSX.Element {
  return (
    <PageView title="Edit">
      {(page) => (mayChange.value ? <Loaded key={page.id} page={page} /> : <ReadOnly />)}
    </PageView>
  );
}
