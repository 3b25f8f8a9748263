import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { CopyButton } from '../../ui/button.tsx';
import { CodeArea } from '../../ui/code-area.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/states.tsx';
import { counted } from '../../ui/time.tsx';
import { CodeLines } from './code-lines.tsx';
import { compare, type Line } from './lines.ts';

export type Version = Schemas['Version'];

/** As many changed lines as are shown: a page of 2 MiB may have two million. */
const MAX_LINES = 5_000;

/** A version, or its changes since another. */
export type Choice = { version: number; since: number | undefined };

async function readHtml(id: string, version: number, signal: AbortSignal): Promise<string> {
  const params = { path: { id, version: String(version) } };
  const { html } = await answer(api.GET('/deploy/{id}/versions/{version}/html', { params, signal }));
  return html;
}

function Source({ html }: { html: string }): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  return (
    <>
      <CodeArea area={area} html={html} readOnly aria-label="Source" />
      <CopyButton kind="plain" text={html}>
        Copy the source
      </CopyButton>
    </>
  );
}

function Changes({ before, after }: { before: string; after: string }): JSX.Element {
  const lines = useMemo(() => compare(before, after), [before, after]);
  if (!lines) return <p role="status">The versions differ in too many lines to show them.</p>;
  if (lines.length === 0) {
    return <p role="status">{before === after ? 'Both versions are the same.' : 'Only the ends of lines differ.'}</p>;
  }
  const count = (change: Line['change']): number => lines.filter((line) => line.change === change).length;
  return (
    <>
      <p role="status">
        {counted(count('added'), 'line')} added, {counted(count('removed'), 'line')} removed.
      </p>
      <CodeLines lines={lines.slice(0, MAX_LINES)} />
    </>
  );
}

/** The HTML of a version, or its changes since another one. */
export function SourceCard({ id, choice: { version, since } }: { id: string; choice: Choice }): JSX.Element {
  const card = useRef<HTMLDivElement>(null);
  // A link has led here.
  useEffect(() => {
    if (location.search !== '') card.current?.scrollIntoView({ block: 'start' });
  }, [version, since]);
  const loaded = useData(`html:${id}:${version}:${since}`, async (signal) => {
    const [html, before] = await Promise.all([
      readHtml(id, version, signal),
      since === undefined ? undefined : readHtml(id, since, signal),
    ]);
    return { html, before };
  });
  return (
    <div ref={card}>
      <Section
        title={since === undefined ? `Source of version ${version}` : `Changes from version ${since} to ${version}`}
      >
        <Shown loaded={loaded} label="Loading the source">
          {({ html, before }) =>
            before === undefined ? <Source html={html} /> : <Changes before={before} after={html} />
          }
        </Shown>
      </Section>
    </div>
  );
}
