import type { JSX } from 'preact';
import { useLocation, useRoute } from 'preact-iso';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { MAX_LIMIT } from '../dashboard-limits.ts';
import { useData } from '../data.ts';
import { pageLinks } from '../page-links.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Findings } from '../ui/findings.tsx';
import { FormSnippet } from '../ui/form-snippet.tsx';
import { type Page, PageView } from '../ui/page-layout.tsx';
import { Section } from '../ui/section.tsx';
import { Shown } from '../ui/states.tsx';
import { Files } from './page/page-files.tsx';
import { Preview } from './page/page-preview.tsx';
import { SourceCard } from './page/page-source.tsx';
import { Versions } from './page/page-versions.tsx';

type VersionList = Schemas['Versions'];

/** The check of the live page; its lines are in the editor. */
function Check({ id }: { id: string }): JSX.Element {
  const { route } = useLocation();
  const loaded = useData(`check:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/check', { params: { path: { id } }, signal })),
  );
  return (
    <Section title="Check">
      <Shown loaded={loaded} label="Checking the page">
        {(checked) => (
          <Findings
            checked={checked}
            onShow={({ line, column }) => route(`${pageLinks(id).edit}?line=${line}&column=${column}`)}
          />
        )}
      </Shown>
    </Section>
  );
}

function Parts({ page, list, reload }: { page: Page; list: VersionList; reload(): void }): JSX.Element {
  const { id } = page;
  const { query } = useLocation();
  const live = list.versions.find((version) => version.live)?.version;
  const version = Number(query.version) || live;
  return (
    <>
      {/* A new version is a new frame. */}
      <Preview key={live} page={page} />
      <Check key={`check:${live}`} id={id} />
      <Files page={page} live={live} onChanged={reload} />
      <Versions id={id} versions={list.versions} total={list.total} onRestored={reload} />
      {version !== undefined && <SourceCard id={id} version={version} since={Number(query.since) || undefined} />}
      <Section title="Use this form elsewhere">
        <FormSnippet id={id} />
      </Section>
    </>
  );
}

function Loaded({ page }: { page: Page }): JSX.Element {
  const { id } = page;
  const loaded = useData(`versions:${id}`, (signal) => {
    const params = { path: { id }, query: { limit: MAX_LIMIT } };
    return answer(api.GET('/deploy/{id}/versions', { params, signal }));
  });
  return (
    <Shown loaded={loaded} label="Loading the versions">
      {(list) => <Parts page={page} list={list} reload={loaded.reload} />}
    </Shown>
  );
}

/** The page that visitors see, and its earlier versions. */
export default function PageOfPage(): JSX.Element {
  const { id = '' } = useRoute().params;
  return (
    <PageView
      title="Page"
      actions={
        <ButtonLink kind="main" href={pageLinks(id).edit} icon="edit">
          Edit
        </ButtonLink>
      }
    >
      {(page) => <Loaded key={page.id} page={page} />}
    </PageView>
  );
}
