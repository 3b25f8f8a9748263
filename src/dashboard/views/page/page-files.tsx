import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { useChange, useData } from '../../data.ts';
import { HtmlFiles } from '../../html-files.ts';
import { type ChosenFile, putFile, replaceSite, type Site } from '../../sites.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import { FileButton, SiteChooser } from '../../ui/site-chooser.tsx';
import { sizeOf } from '../../ui/size.ts';
import { NotSaved, Shown } from '../../ui/states.tsx';
import { counted } from '../../ui/time.tsx';

type SiteFile = Schemas['SiteFile'];

const addressOf = ({ url }: Page, path: string): string =>
  new URL(path.split('/').map(encodeURIComponent).join('/'), url).href;

function Row({
  page,
  file: { path, bytes },
  onReplace,
  onRemoved,
}: {
  page: Page;
  file: SiteFile;
  onReplace(files: readonly ChosenFile[]): unknown;
  onRemoved(): void;
}): JSX.Element {
  return (
    <li class="row">
      <div class="row-text">
        <a href={addressOf(page, path)} target="_blank" rel="noopener">
          <bdi>{path}</bdi>
          <span class="unseen"> (opens in a new tab)</span>
        </a>
        <p class="muted">{sizeOf(bytes)}</p>
      </div>
      <div class="buttons">
        <FileButton kind="quiet" icon="replace" of={path} onFiles={onReplace}>
          Replace
        </FileButton>
        {path !== 'index.html' && (
          <ActionButton
            kind="quiet"
            icon="trash"
            of={path}
            ask={{
              title: `Remove ${path}?`,
              button: 'Remove',
              text: 'Visitors miss it at once. The version that has it stays in the list.',
            }}
            run={() => answer(api.DELETE('/deploy/{id}/files/{path}', { params: { path: { id: page.id, path } } }))}
            done={`${path} is removed.`}
            onDone={onRemoved}
            isRemoving
          >
            Remove
          </ActionButton>
        )}
      </div>
    </li>
  );
}

function ReplaceAll({ id, onReplaced }: { id: string; onReplaced(): void }): JSX.Element {
  const { change, run, clear } = useChange();
  const [site, setSite] = useState<Site>();
  async function replace(chosen: Site): Promise<void> {
    if (!(await run(async () => void (await replaceSite(id, chosen))))) return;
    setSite(undefined);
    say('All files are replaced.');
    onReplaced();
  }
  return (
    <>
      <SiteChooser
        text="Replace all files: drop a folder or a zip here, or choose it."
        onSite={(chosen) => {
          clear();
          setSite(chosen);
        }}
      />
      {site && (
        <ConfirmDialog
          title="Replace all files?"
          button="Replace"
          text="Visitors see the new files at once. The version that is live now stays in the list."
          change={change}
          onConfirm={() => replace(site)}
          onClose={() => setSite(undefined)}
        />
      )}
    </>
  );
}

/** The files of a page. `live`: the version that has them. */
export function Files({
  page,
  live,
  onChanged,
}: {
  page: Page;
  live: number | undefined;
  onChanged(): void;
}): JSX.Element {
  const { id } = page;
  const { change, run } = useChange();
  const loaded = useData(`files:${id}:${live}`, (signal) =>
    answer(api.GET('/deploy/{id}/files', { params: { path: { id } }, signal })),
  );
  const put = (files: readonly ChosenFile[], done: string): unknown =>
    run(async () => {
      try {
        const pages = new HtmlFiles();
        for (const file of files) await putFile(id, file, pages);
        say(`${done} ${pages.notice}`.trim());
      } finally {
        // Some may be live when another is refused.
        onChanged();
      }
    });
  return (
    <Section
      title="Files"
      actions={
        <FileButton
          icon="plus"
          isMultiple
          isBusy={change.state === 'saving'}
          onFiles={(files) => put(files, `Live: ${counted(files.length, 'file')}.`)}
        >
          Add files
        </FileButton>
      }
    >
      <NotSaved change={change} />
      <Shown loaded={loaded} label="Loading the files">
        {({ files }) => (
          <>
            {files.length === 1 && <p>This page is a single file. Add its styles and pictures, or other pages.</p>}
            <ul class="rows">
              {files.map((file) => (
                <Row
                  key={file.path}
                  page={page}
                  file={file}
                  onReplace={([chosen]) => chosen && put([{ ...chosen, path: file.path }], `${file.path} is replaced.`)}
                  onRemoved={onChanged}
                />
              ))}
            </ul>
          </>
        )}
      </Shown>
      <ReplaceAll id={id} onReplaced={onChanged} />
    </Section>
  );
}
