import type { JSX } from 'preact';
import { pageLinks } from '../../page-links.ts';
import { restoreVersion } from '../../sites.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { say } from '../../ui/say.tsx';
import { Section } from '../../ui/section.tsx';
import { sizeOf } from '../../ui/size.ts';
import { Time } from '../../ui/time.tsx';
import { unseen } from '../../ui/unseen.tsx';
import type { Version } from './source-card.tsx';

/** Makes a version live again. `live`: the one that is live now. */
function Restore({
  id,
  version,
  live,
  onRestored,
}: {
  id: string;
  version: number;
  live: number | undefined;
  onRestored(): void;
}): JSX.Element {
  async function restore(wanted: number): Promise<void> {
    await restoreVersion(id, wanted);
    onRestored();
  }
  async function run(): Promise<void> {
    await restore(version);
    say(
      fill(t.page.versions.isLiveAgain, { version: String(version) }),
      live === undefined ? undefined : () => restore(live),
    );
  }
  return (
    <ActionButton needs="POST /deploy/{id}/versions/{version}/restore" icon="replace" run={run}>
      <Rich text={t.page.versions.restore} with={{ unseen, version: <>{version}</> }} />
    </ActionButton>
  );
}

/** A version, the way to its source, and to what changed in it since the one before. */
function Row({
  id,
  version: { version, created_at, bytes, live, preview },
  before,
  current,
  onRestored,
}: {
  id: string;
  version: Version;
  before: Version | undefined;
  /** The version that is live now. */
  current: number | undefined;
  onRestored(): void;
}): JSX.Element {
  const source = `${pageLinks(id).page}?version=${version}`;
  return (
    <li class="row">
      <div class="row-text">
        <strong>{fill(t.page.versions.version, { version: String(version) })}</strong>{' '}
        {live && <span class="badge good">{t.page.versions.live}</span>}
        {preview && <span class="badge">{t.page.versions.preview}</span>}
        <p class="muted">
          <Time at={created_at} />, {sizeOf(bytes)}
        </p>
      </div>
      <div class="buttons">
        <ButtonLink kind="quiet" href={source}>
          <Rich text={t.page.versions.source} with={{ unseen, version: <>{version}</> }} />
        </ButtonLink>
        {before && (
          <ButtonLink kind="quiet" href={`${source}&since=${before.version}`}>
            <Rich text={t.page.versions.changes} with={{ unseen, version: <>{version}</> }} />
          </ButtonLink>
        )}
        {!live && <Restore id={id} version={version} live={current} onRestored={onRestored} />}
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
  <Section title={t.page.versions.heading}>
    <ul class="rows">
      {versions.map((version, index) => (
        <Row
          key={version.version}
          {...{ id, version, onRestored }}
          before={versions[index + 1]}
          current={versions.find(({ live }) => live)?.version}
        />
      ))}
    </ul>
    {total > versions.length && <p class="muted">{counted(t.page.versions.lastShown, versions.length)}</p>}
    {total === 1 && <p class="muted">{t.page.versions.first}</p>}
  </Section>
);
