import type { ComponentChildren, JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { Time } from './time.tsx';

export type AuditEntry = Schemas['AuditEntry'] & { id: string };

/** The actions in plain words. */
const ACTIONS: Readonly<Record<AuditEntry['action'], string>> = {
  'sign-in': 'Signed in',
  'session.end': 'Ended a session',
  'key.create': 'Created a key',
  'key.revoke': 'Revoked a key',
  'grant.create': 'Allowed a program',
  'grant.revoke': 'Ended a program',
  'account.change': 'Changed the account',
  'page.publish': 'Published a page',
  'page.preview': 'Made a preview of a page',
  'page.claim': 'Claimed a page',
  'page.delete': 'Deleted a page',
  'page.undelete': 'Restored a deleted page',
  'page.purge': 'Deleted a page for good',
  'settings.change': 'Changed the settings of a page',
  'domain.add': 'Added a domain',
  'domain.remove': 'Removed a domain',
  'guest.add': 'Invited a guest',
  'guest.change': 'Changed what a guest may do',
  'guest.remove': 'Removed a guest',
  'share.create': 'Shared an inbox by a link',
  'share.delete': 'Ended a shared link',
  'webhook.create': 'Added a webhook',
  'webhook.change': 'Changed a webhook',
  'webhook.delete': 'Removed a webhook',
  'feed.create': 'Made an address for a spreadsheet',
  'feed.change': 'Changed the address for a spreadsheet',
  'feed.delete': 'Ended an address for a spreadsheet',
  'submission.delete': 'Deleted submissions',
  'submission.restore': 'Restored submissions',
  'submission.erase': 'Erased submissions',
  'submission.export': 'Exported submissions',
  'submission.import': 'Imported submissions',
  'page.take-down': 'Took a page down',
  'page.restore': 'Put a page up again',
  'owner.suspend': 'Suspended an owner',
  'owner.resume': 'Ended the suspension of an owner',
  'owner.delete': 'Deleted an owner',
  'owner.plan': 'Changed the plan of an owner',
};

const WAYS: Readonly<Record<AuditEntry['via'], string>> = {
  key: 'with a key',
  session: 'in a browser',
  grant: 'through a program',
  command: 'by a command',
};

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
}): JSX.Element => (
  <li class="row">
    <div class="row-text">
      <p>
        <strong>{ACTIONS[action]}</strong>
        {count !== null && ` (${count})`} {children}
      </p>
      <p class="muted">
        {actor === 'operator' ? 'The operator' : <bdi>{actor}</bdi>} {WAYS[via]}, <Time at={at} />
        {ip !== null && (
          <>
            , from <bdi>{ip}</bdi>
          </>
        )}
      </p>
    </div>
  </li>
);
