import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useChange, useData, useDraft } from '../data.ts';
import { pageLinks } from '../page-links.ts';
import { putContent } from '../sites.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import type { Page } from '../ui/page-layout.tsx';
import { say } from '../ui/say.tsx';
import { Shown } from '../ui/states.tsx';
import { countField } from './count-field.ts';
import { ImageFile } from './image-file.tsx';
import { LazyEditor } from './lazy-editor.tsx';
import { readText } from './site-file.ts';

type FileProps = { page: Page; path: string };

function Loaded({ page: { id, url }, path, text }: FileProps & { text: string }): JSX.Element {
  const { route } = useLocation();
  const [typed, setTyped, drop] = useDraft(`file:${id}:${path}`, text);
  const { change, run } = useChange();
  function leave(): void {
    drop();
    route(pageLinks(id).page);
  }
  const publish = (): unknown =>
    run(async () => {
      await putContent(id, path, new Blob([typed]));
      say(fill(t.editor.edit.fileLive, { path }));
      leave();
    });
  return (
    <LazyEditor
      path={path}
      html={typed}
      onChange={setTyped}
      onPublish={publish}
      onCancel={leave}
      change={change}
      isChanged={typed !== text}
      isOfSite
      base={new URL(path.split('/').map(encodeURIComponent).join('/'), url).href}
      // An address of a file is relative to the page that it is in.
      images={(use) => (
        <ImageFile id={id} onChosen={(src) => use(`${'../'.repeat(path.split('/').length - 1)}${src}`)} />
      )}
      countField={(name) => countField(id, name)}
    />
  );
}

/** Edits a file of a site besides its first page. The tab keeps what is typed. */
export function EditSiteFile({ page, path }: FileProps): JSX.Element {
  const loaded = useData(`text:${page.id}:${path}`, () => readText(page.id, path));
  return (
    <Shown loaded={loaded} label={t.editor.edit.loadingFile}>
      {(text) => <Loaded page={page} path={path} text={text} />}
    </Shown>
  );
}
