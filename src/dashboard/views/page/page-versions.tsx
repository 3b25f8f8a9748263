import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { pageLinks } from '../../page-links.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { sizeOf } from '../../ui/size.ts';
import { Time } from '../../ui/time.tsx';
import type { Version } from './page-source.tsx';

/** Makes a version live again. */
const Restore = ({ id, version, onRestored }: { id: string; version: number; onRestored(): void }): JSX.Element => {
  const params = { path: { id, version: String(version) } };
  return (
    <ActionButton
      icon="replace"
      of={`version ${version}`}
      ask={{
        title: `Restore version ${version}?`,
        button: 'Restore',
        text: 'Visitors see it at once, as the newest version. The one that is live now stays in the list.',
      }}
      run={() => answer(api.POST('/deploy/{id}/versions/{version}/restore', { params }))}
      done={`Version ${version} is live again.`}
      onDone={onRestored}
    >
      Restore
    </ActionButton>
  );
};

/** A version, the way to its source, and to what changed in it since the one before. */
function Row({
  id,
  version: { version, created_at, bytes, live },
  before,
  onRestored,
}: {
  id: string;
  version: Version;
  before: Version | undefined;
  onRestored(): void;
}): JSX.Element {
  const source = `${pageLinks(id).page}?version=${version}`;
  return (
    <li class="row">
      <div class="row-text">
        <strong>Version {version}</strong> {live && <span class="badge good">Live</span>}
        <p class="muted">
          <Time at={created_at} />, {sizeOf(bytes)}
        </p>
      </div>
      <div class="buttons">
        <ButtonLink kind="quiet" of={`of version ${version}`} href={source}>
          Source
        </ButtonLink>
        {before && (
          <ButtonLink kind="quiet" of={`in version ${version}`} href={`${source}&since=${before.version}`}>
            Changes
          </ButtonLink>
        )}
        {!live && <Restore id={id} version={version} onRestored={onRestored} />}
      </div>
    </li>
  );
}

/** The versions of a page, newest first. */
export const Versions = ({
  id,
  versions,
  total,
  onRestored,
}: {
  id: string;
  versions: readonly Version[];
  total: number;
  onRestored(): void;
}): JSX.Element => (
  <Section title="Versions">
    <ul class="rows">
      {versions.map((version, index) => (
        <Row key={version.version} id={id} version={version} before={versions[index + 1]} onRestored={onRestored} />
      ))}
    </ul>
    {total > versions.length && <p class="muted">The last {versions.length} are shown.</p>}
    {total === 1 && <p class="muted">Each change of the page makes another version, which can be restored.</p>}
  </Section>
);
