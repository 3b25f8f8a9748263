import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError } from '../api.ts';
import { useChange } from '../data.ts';
import { pageLinks } from '../page-links.ts';
import { t } from '../texts/chosen-texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import type { Page } from '../ui/page-layout.tsx';
import { say } from '../ui/say.tsx';
import { countField } from './count-field.ts';
import type { Draft } from './draft/draft-place.ts';
import { DraftQuestion } from './draft/draft-question.tsx';
import type { PageDraft } from './draft/page-draft.ts';
import { type Drafted, usePageDraft } from './draft/use-page-draft.ts';
import type { EditorProps } from './editor.tsx';
import { LazyEditor } from './lazy-editor.tsx';

/** What depends on the file that is edited. */
type FileProps = Pick<
  EditorProps,
  'path' | 'isOfSite' | 'base' | 'drafts' | 'draftsNotice' | 'images' | 'onPreview' | 'start'
>;

type Props = {
  page: Page;
  /** Where the account keeps it. */
  kept: PageDraft;
  live: Draft;
  /** The draft when the editor was opened. */
  found: Draft | undefined;
  /** Publishes the text in place of what has this ETag; `*` replaces anything. */
  put(html: string, wanted: string): Promise<unknown>;
  /** The message afterwards. */
  published: string;
  /** The address of this editor. */
  href: string;
  fileProps(drafted: Drafted): FileProps;
};

/** Edits a file that is live, or one's draft of it. The account keeps what is typed. */
export function EditDraft({ page: { id }, kept, live, found, put, published, href, fileProps }: Props): JSX.Element {
  const { route } = useLocation();
  const drafted = usePageDraft(kept, live, found);
  const { draft, state, type, drop, dropPublished } = drafted;
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
        route(href);
      });
    }
    route(pageLinks(id).page);
  }
  const publish = (wanted: string): unknown =>
    run(async () => {
      try {
        await put(html, wanted);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 412)) throw error;
        setOutdated(true);
        return;
      }
      say(published);
      // The editor stays with what was typed meanwhile.
      if (dropPublished(html)) route(pageLinks(id).page);
    });
  return (
    <>
      <LazyEditor
        html={html}
        onChange={type}
        onPublish={() => publish(etag)}
        onCancel={cancel}
        change={change}
        isChanged={isChanged}
        kept={state}
        countField={(name) => countField(id, name)}
        {...fileProps(drafted)}
      />
      <DraftQuestion drafted={drafted} />
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
