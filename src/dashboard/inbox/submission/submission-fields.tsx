import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { pageLinks } from '../../page-links.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { Icon } from '../../ui/icon.tsx';
import { sizeOf } from '../../ui/size.ts';
import { type Labels, labelOf } from '../columns/column-labels.ts';
import { type Field, isShown, type SentFile, type Submission, textIn } from '../read-submissions.ts';
import { linkOf } from './value-links.ts';

/** Images that run nothing, unlike SVG. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

function File({ file: { filename, contentType, size, href } }: { file: SentFile }): JSX.Element {
  const [isBroken, setBroken] = useState(false);
  const isImage = IMAGE_TYPES.has(contentType) && size <= DASHBOARD_LIMITS.inbox.previewBytes && !isBroken;
  return (
    <a class="sent-file" href={href} download>
      {isImage ? <img src={href} alt="" loading="lazy" onError={() => setBroken(true)} /> : <Icon name="page" />}
      <bdi>{filename === '' ? t.inbox.detail.fileWithoutName : filename}</bdi>
      <span class="muted">{sizeOf(size)}</span>
    </a>
  );
}

function Text({ name, text }: { name: string; text: string }): JSX.Element {
  if (text === '') return <span class="muted">{t.inbox.detail.emptyField}</span>;
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

/** The fields that people filled in. */
export function Fields({ submission, labels }: { submission: Submission; labels: Labels }): JSX.Element {
  const shown = submission.fields.filter(isShown);
  if (shown.length === 0) return <p class="muted">{t.inbox.detail.noFields}</p>;
  return <List fields={shown} labels={labels} />;
}

/** A field that says how to handle the submission. A honeypot that nobody filled in says nothing. */
const isTechnical = (field: Field): boolean =>
  !isShown(field) && !(field.control?.endsWith('honeypot') && field.values.every((value) => textIn(value) === ''));

/** Fields that nobody filled in, and where the submission comes from. */
export function Technical({ submission, labels }: { submission: Submission; labels: Labels }): JSX.Element {
  const { id, pageId, ipAddress, pageVersion } = submission;
  const fields = submission.fields.filter(isTechnical);
  return (
    <>
      {fields.length > 0 && <List fields={fields} labels={labels} />}
      <p class="muted">
        <Rich text={t.inbox.detail.from} with={{ address: ipAddress }} />
        {pageVersion !== undefined && (
          <>
            {' · '}
            <a href={`${pageLinks(pageId).page}?version=${pageVersion}`}>
              {fill(t.inbox.detail.version, { version: String(pageVersion) })}
            </a>
          </>
        )}
        {' · '}
        <code>{id}</code>
      </p>
    </>
  );
}
