import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { DASHBOARD_LIMITS } from '../../limits.ts';
import { CopyButton } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Shown } from '../../ui/states.tsx';
import { counted } from '../../ui/time.tsx';
import { CodeLines, type Target } from './code-lines.tsx';
import { compare, sourceRows } from './lines.ts';

export type Version = Schemas['Version'];

/** What is shown: a version, or what changed in it since another. */
export type Choice = { version: number; since: number | undefined };

const kept = new Map<string, string>();

async function readHtml(id: string, version: number, signal: AbortSignal): Promise<string> {
  const key = `${id}:${version}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const params = { path: { id, version: String(version) } };
  const { html } = await answer(api.GET('/deploy/{id}/versions/{version}/html', { params, signal }));
  kept.set(key, html);
  for (const oldest of kept.keys()) if (kept.size > DASHBOARD_LIMITS.pages.keptTexts) kept.delete(oldest);
  return html;
}

function Source({ html, target }: { html: string; target: Target | undefined }): JSX.Element {
  const rows = useMemo(() => sourceRows(html), [html]);
  return (
    <>
      <CodeLines label="Lines of the source" rows={rows} target={target} />
      {rows.length >= DASHBOARD_LIMITS.pages.shownLines && (
        <p class="muted">
          Only the first {counted(DASHBOARD_LIMITS.pages.shownLines, 'line')} are shown. Copy has all of it.
        </p>
      )}
      <CopyButton kind="plain" text={html}>
        Copy the source
      </CopyButton>
    </>
  );
}

function Changes({ before, after }: { before: string; after: string }): JSX.Element {
  const { rows, added, removed } = useMemo(() => compare(before, after), [before, after]);
  if (added + removed === 0) {
    return <p role="status">{before === after ? 'Both versions are the same.' : 'Only the ends of lines differ.'}</p>;
  }
  return (
    <>
      <p role="status">
        {counted(added, 'line')} added, {counted(removed, 'line')} removed.
      </p>
      <CodeLines label="Lines that changed" rows={rows} />
    </>
  );
}

const nameOf = ({ version, live }: Version): string => `Version ${version}${live ? ' (live)' : ''}`;

/** The HTML of a version, or its changes since another one. */
export function SourceCard({
  id,
  versions,
  choice,
  target,
  onChoose,
}: {
  id: string;
  versions: readonly Version[];
  choice: Choice;
  target: Target | undefined;
  onChoose(choice: Choice): void;
}): JSX.Element {
  const { version, since } = choice;
  const loaded = useData(`html:${id}:${version}:${since}`, async (signal) => {
    const [html, before] = await Promise.all([
      readHtml(id, version, signal),
      since === undefined ? undefined : readHtml(id, since, signal),
    ]);
    return { html, before };
  });
  return (
    <section class="card source" aria-labelledby="source">
      <h2 id="source">{since === undefined ? 'Source' : `Changes from version ${since} to ${version}`}</h2>
      <div class="source-choice">
        <Select
          label="Version"
          value={String(version)}
          options={versions.map((each) => ({ value: String(each.version), label: nameOf(each) }))}
          onChange={(chosen) =>
            onChoose({ version: Number(chosen), since: chosen === String(since) ? undefined : since })
          }
        />
        <Select
          label="Changes since"
          value={since === undefined ? '' : String(since)}
          options={[
            { value: '', label: 'Show the whole source' },
            ...versions
              .filter((each) => each.version !== version)
              .map((each) => ({ value: String(each.version), label: nameOf(each) })),
          ]}
          onChange={(chosen) => onChoose({ version, since: chosen === '' ? undefined : Number(chosen) })}
        />
      </div>
      <Shown loaded={loaded} label="Loading the source">
        {({ html, before }) =>
          before === undefined ? <Source html={html} target={target} /> : <Changes before={before} after={html} />
        }
      </Shown>
    </section>
  );
}
