import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { CodeArea } from '../../ui/code-area.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/states.tsx';
import { FileChanges } from './file-changes.tsx';

export type Version = Schemas['Version'];

async function readHtml(id: string, version: number, signal: AbortSignal): Promise<string> {
  const params = { path: { id, version: String(version) } };
  const { html } = await answer(api.GET('/deploy/{id}/versions/{version}/html', { params, signal }));
  return html;
}

function Source({ id, version }: { id: string; version: number }): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const loaded = useData(`html:${id}:${version}`, (signal) => readHtml(id, version, signal));
  return (
    <Shown loaded={loaded} label={t.page.source.loading}>
      {(html) => (
        <>
          <CodeArea area={area} html={html} readOnly aria-label={t.page.source.label} />
          <CopyButton kind="plain" text={html}>
            {t.page.source.copy}
          </CopyButton>
        </>
      )}
    </Shown>
  );
}

/** The HTML of a version, or the files that changed since another one. */
export function SourceCard({
  id,
  version,
  since,
}: {
  id: string;
  version: number;
  since: number | undefined;
}): JSX.Element {
  const card = useRef<HTMLDivElement>(null);
  // A link has led here.
  useEffect(() => {
    if (location.search !== '') card.current?.scrollIntoView({ block: 'start' });
  }, [version, since]);
  return (
    <div ref={card}>
      <Section
        title={
          since === undefined
            ? fill(t.page.source.heading, { version: String(version) })
            : fill(t.page.source.changesHeading, { since: String(since), version: String(version) })
        }
      >
        {since === undefined ? (
          <Source id={id} version={version} />
        ) : (
          <FileChanges id={id} version={version} since={since} />
        )}
      </Section>
    </div>
  );
}
