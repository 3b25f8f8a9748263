import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { type Change, useChange, useData } from '../../data.ts';
import { HtmlFiles } from '../../html-files.ts';
import { may } from '../../permissions.ts';
import { type ChosenFile, putContent, putFile, readFile, replaceSite, restoreVersion, type Site } from '../../sites.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import { FileButton, SiteChooser } from '../../ui/site-chooser.tsx';
import { SiteFindings, useSiteCheck } from '../../ui/site-findings.tsx';
import { sizeOf } from '../../ui/size.ts';
import { NotSaved, Shown } from '../../ui/states.tsx';
import { unseen } from '../../ui/unseen.tsx';

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
          <span class="unseen"> {t.page.opensInNewTab}</span>
        </a>
        <p class="muted">{sizeOf(bytes)}</p>
      </div>
      {may('PUT /deploy/{id}/files/{path}') && (
        <div class="buttons">
          <FileButton kind="quiet" icon="replace" onFiles={onReplace}>
            <Rich text={t.page.files.replace} with={{ unseen, path }} />
          </FileButton>
          {path !== 'index.html' && (
            <ActionButton needs="DELETE /deploy/{id}/files/{path}" kind="quiet" icon="trash" run={onRemove} isRemoving>
              <Rich text={t.page.files.remove} with={{ unseen, path }} />
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
  const hasErrors = loaded.data?.problems.some(({ severity }) => severity === 'error');
  return (
    <ConfirmDialog
      title={t.page.replacing.title}
      button={hasErrors ? t.page.question.publish : t.page.replacing.button}
      text={
        'zip' in site ? (
          <Rich text={t.page.replacing.text} with={{ name: site.zip.name }} />
        ) : (
          counted(t.page.replacing.textOfFiles, site.others.length + 1)
        )
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
        text={t.page.files.replaceAll}
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
    say(fill(t.page.files.removed, { path }), async () => {
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
      title={t.page.files.heading}
      actions={
        may('PUT /deploy/{id}/files/{path}') && (
          <FileButton
            icon="plus"
            isMultiple
            isBusy={change.state === 'saving'}
            onFiles={(files) => put(files, counted(t.page.files.live, files.length))}
          >
            {t.page.files.add}
          </FileButton>
        )
      }
    >
      <NotSaved change={change} />
      <Shown loaded={loaded} label={t.page.files.loading}>
        {({ files }) => (
          <>
            {files.length === 1 && may('PUT /deploy/{id}/files/{path}') && <p>{t.page.files.single}</p>}
            <ul class="rows">
              {files.map((file) => (
                <Row
                  key={file.path}
                  page={page}
                  file={file}
                  onReplace={([chosen]) =>
                    chosen && put([{ ...chosen, path: file.path }], fill(t.page.files.replaced, { path: file.path }))
                  }
                  onRemove={() => remove(file)}
                />
              ))}
            </ul>
          </>
        )}
      </Shown>
      {may('PUT /deploy/{id}') && (
        <ReplaceAll onReplace={(site) => replaceSite(id, site).then(() => tell(t.page.files.allReplaced))} />
      )}
    </Section>
  );
}
