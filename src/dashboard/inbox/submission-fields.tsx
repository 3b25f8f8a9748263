import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';
import { pageLinks } from '../page-links.ts';
import { Icon } from '../ui/icon.tsx';
import { sizeOf } from '../ui/size.ts';
import { counted } from '../ui/time.tsx';
import { type Labels, labelOf } from './column-labels.ts';
import { type Field, isShown, type SentFile, type Submission } from './read-submissions.ts';
import { linkOf } from './value-links.ts';

/** Images that run nothing, unlike SVG. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

function File({ file: { filename, contentType, size, href } }: { file: SentFile }): JSX.Element {
  const [isBroken, setBroken] = useState(false);
  const isImage = IMAGE_TYPES.has(contentType) && size <= DASHBOARD_LIMITS.inbox.previewBytes && !isBroken;
  return (
    <a class="sent-file" href={href} download>
      {isImage ? <img src={href} alt="" loading="lazy" onError={() => setBroken(true)} /> : <Icon name="page" />}
      <bdi>{filename === '' ? 'File without a name' : filename}</bdi>
      <span class="muted">{sizeOf(size)}</span>
    </a>
  );
}

function Text({ name, text }: { name: string; text: string }): JSX.Element {
  if (text === '') return <span class="muted">Empty</span>;
  const href = linkOf(name, text);
  return href === undefined ? (
    <p class="text" dir="auto">
      {text}
    </p>
  ) : (
    <a class="text" dir="auto" href={href} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}

const List = ({ fields, labels }: { fields: readonly Field[]; labels: Labels }): JSX.Element => (
  <dl class="fields stack">
    {fields.map(({ name, values }, index) => (
      <div key={index}>
        <dt class="muted">
          <bdi title={name}>{labelOf(labels, name)}</bdi>
        </dt>
        <dd>
          <ul class="values">
            {values.map((value, at) => (
              <li key={at}>{typeof value === 'string' ? <Text name={name} text={value} /> : <File file={value} />}</li>
            ))}
          </ul>
        </dd>
      </div>
    ))}
  </dl>
);

/** All fields of a submission; those that nobody filled in are folded. */
export function Fields({ submission, labels }: { submission: Submission; labels: Labels }): JSX.Element {
  const shown = submission.fields.filter(isShown);
  const folded = submission.fields.filter((field) => !isShown(field));
  return (
    <>
      {shown.length === 0 && <p class="muted">It was sent without fields.</p>}
      <List fields={shown} labels={labels} />
      {folded.length > 0 && (
        <details>
          <summary>{counted(folded.length, 'technical field')}</summary>
          <List fields={folded} labels={labels} />
        </details>
      )}
    </>
  );
}

/** Where a submission comes from. */
export const Origin = ({
  submission: { id, pageId, ipAddress, pageVersion },
}: {
  submission: Submission;
}): JSX.Element => (
  <p class="muted">
    From <bdi>{ipAddress}</bdi>
    {pageVersion !== undefined && (
      <>
        {' · '}
        <a href={`${pageLinks(pageId).page}?version=${pageVersion}`}>Version {pageVersion}</a>
      </>
    )}
    {' · '}
    <code>{id}</code>
  </p>
);
