import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { sizeOf } from '../../ui/size.ts';
import { Shown } from '../../ui/states.tsx';
import { Changes } from './page-changes.tsx';

type SiteFile = Schemas['SiteFile'];

/** A file that differs between two versions. One of the two is there at least. */
type FileChange = { path: string; type: string; before: SiteFile | undefined; after: SiteFile | undefined };

/** Larger texts are not compared here. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;
const TEXT = /^text\/|^application\/(?:.*\+)?(?:json|javascript|xml)\b/;
const IMAGE = /^image\//;

async function readFiles(id: string, version: number, signal: AbortSignal): Promise<readonly SiteFile[]> {
  const params = { path: { id, version: String(version) } };
  return (await answer(api.GET('/deploy/{id}/versions/{version}/files', { params, signal }))).files;
}

async function readText(id: string, version: number, path: string, signal: AbortSignal): Promise<string> {
  const params = { path: { id, version: String(version), path } };
  return answer(api.GET('/deploy/{id}/versions/{version}/files/{path}', { params, signal, parseAs: 'text' }));
}

/** The files that differ, index.html first and then by path. */
function changesOf(before: readonly SiteFile[], after: readonly SiteFile[]): FileChange[] {
  const earlier = new Map(before.map((file) => [file.path, file]));
  const later = new Map(after.map((file) => [file.path, file]));
  const removed = before.filter(({ path }) => !later.has(path));
  return [...after, ...removed].flatMap(({ path, content_type: type }) => {
    const [old, now] = [earlier.get(path), later.get(path)];
    return old?.sha256 === now?.sha256 ? [] : [{ path, type, before: old, after: now }];
  });
}

const { outcomes: OUTCOMES } = t.page.changes;

const outcomeOf = ({ before, after }: FileChange): { text: string; class: string } => {
  if (!before) return { text: OUTCOMES.added, class: 'badge good' };
  return after ? { text: OUTCOMES.changed, class: 'badge' } : { text: OUTCOMES.removed, class: 'badge bad' };
};

type Versions = { id: string; version: number; since: number };

/** The lines of a text file that differ; read when it is opened. */
function TextChange({ id, version, since, change: { path, before, after } }: Versions & { change: FileChange }) {
  const loaded = useData(`change:${id}:${since}:${version}:${path}`, async (signal) => {
    const [old, now] = await Promise.all([
      before ? readText(id, since, path, signal) : '',
      after ? readText(id, version, path, signal) : '',
    ]);
    return { old, now };
  });
  return (
    <Shown loaded={loaded} label={fill(t.page.changes.comparingFile, { path })}>
      {({ old, now }) => <Changes before={old} after={now} />}
    </Shown>
  );
}

const addressOf = (id: string, version: number, path: string): string =>
  `/deploy/${id}/versions/${version}/files/${path.split('/').map(encodeURIComponent).join('/')}`;

/** An image as it was and as it is, side by side. */
const ImageChange = ({ id, version, since, change: { path, before, after } }: Versions & { change: FileChange }) => (
  <div class="image-change">
    {[
      { file: before, number: since, caption: t.page.changes.before },
      { file: after, number: version, caption: t.page.changes.after },
    ].map(
      ({ file, number, caption }) =>
        file && (
          <figure key={caption}>
            <img
              src={addressOf(id, number, path)}
              alt={fill(t.page.changes.image, { path, version: String(number) })}
              loading="lazy"
            />
            <figcaption class="muted">{fill(caption, { size: sizeOf(file.bytes) })}</figcaption>
          </figure>
        ),
    )}
  </div>
);

function Content({ change, ...versions }: Versions & { change: FileChange }): JSX.Element {
  const { type, before, after } = change;
  if (IMAGE.test(type)) return <ImageChange {...versions} change={change} />;
  const sizes = [before, after].flatMap((file) => (file ? [file.bytes] : []));
  if (!TEXT.test(type)) {
    const [old = '', now] = sizes.map(sizeOf);
    return <p class="muted">{now === undefined ? old : fill(t.page.changes.sizes, { before: old, after: now })}</p>;
  }
  if (Math.max(...sizes) > MAX_TEXT_BYTES) return <p class="muted">{t.page.changes.tooLarge}</p>;
  return <TextChange {...versions} change={change} />;
}

function Row({ isFirst, change, ...versions }: Versions & { change: FileChange; isFirst: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(isFirst || IMAGE.test(change.type));
  const outcome = outcomeOf(change);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <bdi>{change.path}</bdi> <span class={outcome.class}>{outcome.text}</span>
      </summary>
      {isOpen && <Content {...versions} change={change} />}
    </details>
  );
}

/** The files that differ between two versions of a page: images side by side, and the lines of texts. */
export function FileChanges({ id, version, since }: Versions): JSX.Element {
  const loaded = useData(`changes:${id}:${since}:${version}`, async (signal) =>
    changesOf(...(await Promise.all([readFiles(id, since, signal), readFiles(id, version, signal)]))),
  );
  return (
    <Shown loaded={loaded} label={t.page.changes.comparing}>
      {(changes) => (
        <>
          <p role="status">
            {changes.length === 0 ? t.page.changes.none : counted(t.page.changes.files, changes.length)}
          </p>
          {changes.map((change, index) => (
            <Row key={change.path} {...{ id, version, since, change }} isFirst={index === 0} />
          ))}
        </>
      )}
    </Shown>
  );
}
