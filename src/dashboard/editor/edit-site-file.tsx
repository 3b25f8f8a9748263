import type { JSX } from 'preact';
import { useData } from '../data.ts';
import { isHtml } from '../html-files.ts';
import { pageLinks } from '../page-links.ts';
import { INDEX, putContent } from '../sites.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import type { Page } from '../ui/page-layout.tsx';
import { Shown } from '../ui/states.tsx';
import { draftOf } from './draft/page-draft.ts';
import { EditDraft } from './edit-draft.tsx';
import { ImageFile } from './image-file.tsx';
import { DraftsNotice } from './site/drafts-notice.tsx';
import { changedTexts, previewWith } from './site/preview-site.ts';
import { readSiteDrafts } from './site/read-site-drafts.ts';
import { readText } from './site-file.ts';

const addressOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Edits a file of a site besides its first page. */
export function EditSiteFile({ page, path }: { page: Page; path: string }): JSX.Element {
  const { id, url } = page;
  const kept = draftOf(id, path);
  const loaded = useData(`text:${id}:${path}`, async (signal) => {
    const [live, found, drafts] = await Promise.all([
      readText(id, path, signal),
      kept.read(signal),
      // Only the frame has them: the editor works without.
      readSiteDrafts(page, path, signal).catch(() => undefined),
    ]);
    return { live, found, drafts };
  });
  return (
    <Shown loaded={loaded} label={t.editor.edit.loadingFile}>
      {({ live, found, drafts }) => (
        <EditDraft
          {...{ page, kept, live, found }}
          put={(text, wanted) => putContent(id, path, new Blob([text]), wanted)}
          published={fill(t.editor.edit.fileLive, { path })}
          href={`${pageLinks(id).edit}?file=${encodeURIComponent(path)}`}
          fileProps={({ draft: { html } }) => ({
            path,
            isOfSite: true,
            base: new URL(addressOf(path), url).href,
            drafts,
            draftsNotice: isHtml(path) && <DraftsNotice id={id} drafts={drafts} />,
            async onPreview() {
              const texts = new Map(changedTexts(path, html, drafts));
              const index = await draftOf(id).read(new AbortController().signal);
              if (index) texts.set(INDEX, index.html);
              const preview = await previewWith(id, texts);
              return isHtml(path) ? new URL(addressOf(path), preview).href : preview;
            },
            // An address of a file is relative to the page that it is in.
            images: (use) => (
              <ImageFile id={id} onChosen={(src) => use(`${'../'.repeat(path.split('/').length - 1)}${src}`)} />
            ),
          })}
        />
      )}
    </Shown>
  );
}
