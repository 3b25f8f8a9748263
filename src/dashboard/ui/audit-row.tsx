import type { ComponentChildren, JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { numbers, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Time } from './time.tsx';

export type AuditEntry = Schemas['AuditEntry'] & { id: string };

const ACTIONS: Readonly<Record<AuditEntry['action'], string>> = t.account.audit.actions;

const WAYS = t.account.audit.ways satisfies Readonly<Record<AuditEntry['via'], string>>;

/** Returns the entries of a page of the audit with ids, which they have none of. */
export const withIds = (entries: readonly Schemas['AuditEntry'][], page: number): AuditEntry[] =>
  entries.map((entry, index) => ({ ...entry, id: `${page}.${index}` }));

/** A change: what was done, by whom, how and when. `children`: what it was done to. */
export const AuditRow = ({
  entry: { at, actor, via, action, count, ip_address: ip },
  children,
}: {
  entry: AuditEntry;
  children: ComponentChildren;
}): JSX.Element => {
  const who = <Rich text={WAYS[via]} with={{ actor: actor === 'operator' ? t.account.audit.operator : actor }} />;
  const shown = { who, time: <Time at={at} /> };
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong>{ACTIONS[action]}</strong>
          {count !== null && ` (${numbers.format(count)})`} {children}
        </p>
        <p class="muted">
          {ip === null ? (
            <Rich text={t.account.audit.line} with={shown} />
          ) : (
            <Rich text={t.account.audit.lineWithAddress} with={{ ...shown, ip }} />
          )}
        </p>
      </div>
    </li>
  );
};
