import type { JSX } from 'preact';
import { useLocation, useRoute } from 'preact-iso';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { MAX_LIMIT } from '../dashboard-limits.ts';
import { type Loaded as LoadedData, useData } from '../data.ts';
import { useOtherTabs } from '../other-tabs.ts';
import { ownFields } from '../own-fields.ts';
import { pageLinks } from '../page-links.ts';
import { may } from '../permissions.ts';
import { t } from '../texts/chosen-texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Findings } from '../ui/findings.tsx';
import { type Page, PageView, READS_PAGE } from '../ui/page-layout.tsx';
import { Section } from '../ui/section.tsx';
import { Share } from '../ui/share.tsx';
import { Shown } from '../ui/states.tsx';
import { checkLive, type LiveCheck } from './page/live-check.ts';
import { PageAddressForm } from './page/page-address-form.tsx';
import { Files } from './page/page-files.tsx';
import { PageNameForm } from './page/page-name-form.tsx';
import { Preview } from './page/page-preview.tsx';
import { Versions } from './page/page-versions.tsx';
import { SourceCard } from './page/source-card.tsx';
import { ToolsHint } from './page/tools-hint.tsx';
import './page-view.css';

type VersionList = Schemas['Versions'];

/** The check of the live page; its lines are in the editor. */
function Check({ id, loaded }: { id: string; loaded: LoadedData<LiveCheck> }): JSX.Element {
  const { route } = useLocation();
  return (
    <Section title={t.page.view.check}>
      <Shown loaded={loaded} label={t.page.view.checking}>
        {(checked) => (
          <>
            <Findings
              checked={checked}
              {...(may('PUT /deploy/{id}') && {
                onShow: ({ line, column }) => route(`${pageLinks(id).edit}?line=${line}&column=${column}`),
              })}
            />
            {checked.lacksTools && may('PATCH /deploy/{id}') && <ToolsHint id={id} onChanged={loaded.reload} />}
          </>
        )}
      </Shown>
    </Section>
  );
}

function Parts({
  page,
  list,
  reload,
  onRenamed,
}: {
  page: Page;
  list: VersionList;
  reload(): void;
  onRenamed(): void;
}): JSX.Element {
  const { id } = page;
  const { query } = useLocation();
  const live = list.versions.find((version) => version.live)?.version;
  const version = Number(query.version) || live;
  const checked = useData(`check:${id}:${live}`, (signal) => checkLive(id, signal));
  return (
    <>
      {/* A new version is a new frame. */}
      <Preview key={live} page={page} />
      {may('PUT /deploy/{id}') && (
        <Section title={t.page.view.found} isSplit>
          <PageNameForm key={page.title} page={page} onChanged={onRenamed} />
          {may('PATCH /deploy/{id}', 'slug') && <PageAddressForm key={page.slug} page={page} onChanged={onRenamed} />}
        </Section>
      )}
      <Check id={id} loaded={checked} />
      <Files page={page} live={live} onChanged={reload} />
      <Versions id={id} versions={list.versions} total={list.total} onRestored={reload} />
      {version !== undefined && <SourceCard id={id} version={version} since={Number(query.since) || undefined} />}
      <Share page={page} fields={checked.data && ownFields(checked.data)} />
    </>
  );
}

function Loaded({ page, reload }: { page: Page; reload(): void }): JSX.Element {
  const { id } = page;
  const loaded = useData(`versions:${id}`, (signal) => {
    const params = { path: { id }, query: { limit: MAX_LIMIT } };
    return answer(api.GET('/deploy/{id}/versions', { params, signal }));
  });
  useOtherTabs(loaded.reload);
  return (
    <Shown loaded={loaded} label={t.page.view.loadingVersions}>
      {(list) => (
        <Parts
          page={page}
          list={list}
          reload={loaded.reload}
          onRenamed={() => {
            reload();
            loaded.reload();
          }}
        />
      )}
    </Shown>
  );
}

/** The page that visitors see, and its earlier versions. */
export default function PageOfPage(): JSX.Element {
  const { id = '' } = useRoute().params;
  return (
    <PageView
      needs={READS_PAGE}
      title={t.page.view.title}
      actions={
        may('PUT /deploy/{id}') && (
          <>
            <ButtonLink href={pageLinks(id).live}>{t.page.view.nextSteps}</ButtonLink>
            <ButtonLink kind="main" href={pageLinks(id).edit} icon="edit">
              {t.page.view.edit}
            </ButtonLink>
          </>
        )
      }
    >
      {(page, reload) => <Loaded key={page.id} page={page} reload={reload} />}
    </PageView>
  );
}
