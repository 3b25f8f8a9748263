import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { type Change, useChange, useData } from '../../data.ts';
import { HtmlFiles } from '../../html-files.ts';
import { may } from '../../permissions.ts';
import { type ChosenFile, putContent, putFile, readFile, replaceSite, restoreVersion, type Site } from '../../sites.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import { FileButton, SiteChooser } from '../../ui/site-chooser.tsx';
import { SiteFindings, useSiteCheck } from '../../ui/site-findings.tsx';
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
  onRemove,
}: {
  page: Page;
  file: SiteFile;
  onReplace(files: readonly ChosenFile[]): unknown;
  onRemove(): Promise<unknown>;
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
      {may('PUT /deploy/{id}/files/{path}') && (
        <div class="buttons">
          <FileButton kind="quiet" icon="replace" of={path} onFiles={onReplace}>
            Replace
          </FileButton>
          {path !== 'index.html' && (
            <ActionButton
              needs="DELETE /deploy/{id}/files/{path}"
              kind="quiet"
              icon="trash"
              of={path}
              run={onRemove}
              isRemoving
            >
              Remove
            </ActionButton>
          )}
        </div>
      )}
    </li>
  );
}

/** Says how many files a site has, and what the check finds in them, before they replace all others. */
function ReplaceDialog({
  site,
  change,
  onConfirm,
  onClose,
}: {
  site: Site;
  change: Change;
  onConfirm(): unknown;
  onClose(): void;
}): JSX.Element {
  const loaded = useSiteCheck(site);
  const what = 'zip' in site ? site.zip.name : counted(site.others.length + 1, 'file');
  const hasErrors = loaded.data?.problems.some(({ severity }) => severity === 'error');
  return (
    <ConfirmDialog
      title="Replace all files?"
      button={hasErrors ? 'Publish anyway' : 'Replace'}
      text={
        <>
          Visitors see <bdi>{what}</bdi> at once. The version that is live now stays in the list.
        </>
      }
      change={change}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {change.state !== 'failed' && <SiteFindings loaded={loaded} />}
    </ConfirmDialog>
  );
}

function ReplaceAll({ onReplace }: { onReplace(site: Site): Promise<unknown> }): JSX.Element {
  const { change, run, clear } = useChange();
  const [site, setSite] = useState<Site>();
  async function replace(chosen: Site): Promise<void> {
    if (await run(async () => void (await onReplace(chosen)))) setSite(undefined);
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
        <ReplaceDialog site={site} change={change} onConfirm={() => replace(site)} onClose={() => setSite(undefined)} />
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
  /** Says what was done, and offers to make the version before live again. */
  function tell(text: string): void {
    onChanged();
    say(
      text,
      live === undefined
        ? undefined
        : async () => {
            await restoreVersion(id, live);
            onChanged();
          },
    );
  }
  /** A file comes back by itself: other changes since then stay. */
  async function remove({ path }: SiteFile): Promise<void> {
    const content = await readFile(id, path);
    await answer(api.DELETE('/deploy/{id}/files/{path}', { params: { path: { id, path } } }));
    onChanged();
    say(`${path} is removed.`, async () => {
      await putContent(id, path, content);
      onChanged();
    });
  }
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
        may('PUT /deploy/{id}/files/{path}') && (
          <FileButton
            icon="plus"
            isMultiple
            isBusy={change.state === 'saving'}
            onFiles={(files) => put(files, `Live: ${counted(files.length, 'file')}.`)}
          >
            Add files
          </FileButton>
        )
      }
    >
      <NotSaved change={change} />
      <Shown loaded={loaded} label="Loading the files">
        {({ files }) => (
          <>
            {files.length === 1 && may('PUT /deploy/{id}/files/{path}') && (
              <p>This page is a single file. Add its styles and pictures, or other pages.</p>
            )}
            <ul class="rows">
              {files.map((file) => (
                <Row
                  key={file.path}
                  page={page}
                  file={file}
                  onReplace={([chosen]) => chosen && put([{ ...chosen, path: file.path }], `${file.path} is replaced.`)}
                  onRemove={() => remove(file)}
                />
              ))}
            </ul>
          </>
        )}
      </Shown>
      {may('PUT /deploy/{id}') && (
        <ReplaceAll onReplace={(site) => replaceSite(id, site).then(() => tell('All files are replaced.'))} />
      )}
    </Section>
  );
}
