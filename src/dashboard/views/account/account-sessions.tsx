import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { ApiError, answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useData } from '../../data.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { signOut } from '../../session.ts';
import { counted, formFor, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/states.tsx';
import { RoughTime, Time } from '../../ui/time.tsx';
import { unseen } from '../../ui/unseen.tsx';

type Session = Schemas['Session'];

/** Parts of a User-Agent and their names; the first that is found counts, because browsers name others as well. */
const BROWSERS = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
const SYSTEMS = { Android: 'Android', iPhone: 'iPhone', iPad: 'iPad', Windows: 'Windows', Mac: 'Mac', Linux: 'Linux' };

/** The browser and the system in a User-Agent: `Firefox, Linux`. */
function browserOf(userAgent: string | null): string {
  const find = (names: Readonly<Record<string, string>>): string[] =>
    Object.entries(names)
      .filter(([part]) => userAgent?.includes(part))
      .map(([, name]) => name)
      .slice(0, 1);
  return [...find(BROWSERS), ...find(SYSTEMS)].join(', ') || t.account.sessions.someBrowser;
}

function SessionRow({ session, onEnded }: { session: Session; onEnded(): void }): JSX.Element {
  const { id, user_agent: userAgent, created_at, last_used_at, current: isCurrent } = session;
  const params = { path: { sessionId: id } };
  return (
    <li class="row">
      <div class="row-text">
        <p title={userAgent ?? undefined}>
          {browserOf(userAgent)} {isCurrent && <span class="badge good">{t.account.sessions.thisBrowser}</span>}
        </p>
        <p class="muted">
          <Rich
            text={t.account.sessions.line}
            with={{ used: <RoughTime at={last_used_at} />, signedIn: <Time at={created_at} /> }}
          />
        </p>
      </div>
      <ActionButton
        needs={isCurrent ? 'nothing' : 'DELETE /sessions/{sessionId}'}
        kind="quiet"
        run={() => (isCurrent ? signOut('this') : answer(api.DELETE('/sessions/{sessionId}', { params })))}
        done={t.account.sessions.ended}
        onDone={onEnded}
        isRemoving
      >
        <Rich text={t.account.sessions.end} with={{ browser: <>{browserOf(userAgent)}</>, unseen }} />
      </ActionButton>
    </li>
  );
}

/** Reads all sessions: that of this browser first, then the ones that were used last. */
async function readSessions(signal?: AbortSignal): Promise<readonly Session[]> {
  const { listSize: limit, readSessions: most } = DASHBOARD_LIMITS.account;
  const all: Session[] = [];
  for (let page = 1; (page - 1) * limit < most; page += 1) {
    const call = api.GET('/sessions', { params: { query: { page, limit } }, ...(signal && { signal }) });
    const { sessions, total } = await answer(call);
    all.push(...sessions);
    if (page * limit >= total) break;
  }
  return all.toSorted(
    (one, other) =>
      Number(other.current) - Number(one.current) || Date.parse(other.last_used_at) - Date.parse(one.last_used_at),
  );
}

/** Ends the sessions of all other browsers, also of those that have signed in since the list was read. */
async function endOthers(): Promise<void> {
  const others = (await readSessions()).filter(({ current }) => !current);
  for (const { id: sessionId } of others) {
    try {
      await answer(api.DELETE('/sessions/{sessionId}', { params: { path: { sessionId } } }));
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
}

/** Signs other browsers out, or all of them. */
const EndSessions = ({ others, onDone }: { others: number; onDone(): void }): JSX.Element => (
  <div class="buttons">
    {others > 0 && (
      <ActionButton
        needs="DELETE /sessions/{sessionId}"
        ask={{
          title: t.account.sessions.endOthersTitle,
          button: t.account.sessions.endOthers,
          text: counted(t.account.sessions.endOthersText, others),
        }}
        run={endOthers}
        done={t.account.sessions.othersEnded}
        onDone={onDone}
        isRemoving
      >
        {t.account.sessions.endOthers}
      </ActionButton>
    )}
    <ActionButton
      needs="DELETE /sessions"
      kind="quiet"
      ask={{
        title: t.account.sessions.endAllTitle,
        button: t.account.sessions.endAllButton,
        text: t.account.sessions.endAllText,
      }}
      run={() => signOut('all')}
    >
      {t.account.sessions.endAll}
    </ActionButton>
  </div>
);

/** The browsers that are signed in: the session of each can be ended. */
export function Sessions(): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const loaded = useData('sessions', readSessions);
  useOtherTabs(loaded.reload);
  const { shownSessions: few } = DASHBOARD_LIMITS.account;
  return (
    <Section title={t.account.sessions.title} hint={t.account.sessions.hint} isSplit>
      <Shown loaded={loaded} label={t.account.sessions.loading}>
        {(sessions) => (
          <>
            <ul class="rows">
              {sessions.slice(0, isWhole ? sessions.length : few).map((session) => (
                <SessionRow key={session.id} session={session} onEnded={loaded.reload} />
              ))}
            </ul>
            {!isWhole && sessions.length > few && (
              <Button kind="quiet" icon="unfold" onClick={() => setWhole(true)}>
                <Rich
                  text={formFor(t.account.sessions.showAll, sessions.length)}
                  with={{ count: sessions.length, unseen }}
                />
              </Button>
            )}
            <EndSessions others={sessions.filter(({ current }) => !current).length} onDone={loaded.reload} />
          </>
        )}
      </Shown>
    </Section>
  );
}
