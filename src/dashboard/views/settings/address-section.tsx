import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { toUnicode } from 'punycode.js';
import { answer, api } from '../../api.ts';
import { DASHBOARD_LIMITS } from '../../dashboard-limits.ts';
import { useData } from '../../data.ts';
import { deleteLater, makeDeletions, useUndeleted } from '../../deletions.ts';
import { useOtherTabs } from '../../other-tabs.ts';
import { may } from '../../permissions.ts';
import { toDomain } from '../../settings/typed-addresses.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { OneFieldForm } from '../../ui/one-field-form.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Shown } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { DnsRecords, type Domain } from './dns-records.tsx';

const texts = t.settings.domains;

const STATUSES = {
  pending: { label: texts.statuses.pending, badge: 'badge warn' },
  live: { label: texts.statuses.live, badge: 'badge good' },
  broken: { label: texts.statuses.broken, badge: 'badge bad' },
};

const CHECK = 'POST /deploy/{id}/domains/{domain}/check';

/** The path of a domain in the API. */
const domainPath = (id: string, domain: string): string => `/deploy/${id}/domains/${encodeURIComponent(domain)}`;

const checkDomain = (id: string, domain: string) =>
  answer(api.POST('/deploy/{id}/domains/{domain}/check', { params: { path: { id, domain } } }));

/** Checks the domains that wait for DNS, one after the other, while somebody sees the page. */
function useChecks(id: string, domains: readonly Domain[], onChecked: () => void): void {
  const checkedAt = ({ checked_at }: Domain): string => checked_at ?? '';
  const [next] = domains
    .filter(({ status }) => may(CHECK) && status === 'pending')
    .toSorted((one, other) => (checkedAt(one) < checkedAt(other) ? -1 : 1));
  useEffect(() => {
    if (!next) return undefined;
    // After a check that failed comes another one.
    const check = (): unknown => !document.hidden && checkDomain(id, next.domain).then(onChecked, () => undefined);
    if (next.checked_at === null) check();
    const timer = setInterval(check, DASHBOARD_LIMITS.domains.checkIntervalMs);
    return () => clearInterval(timer);
  }, [id, next?.domain, next?.checked_at]);
}

function DomainButtons({
  page,
  domain: one,
  onChanged,
}: {
  page: Page;
  domain: Domain;
  onChanged(): void;
}): JSX.Element {
  const { domain, status } = one;
  return (
    <div class="buttons">
      {status === 'live' && (
        <ButtonLink
          kind="quiet"
          icon="open"
          of={domain}
          href={page.url.replace(new URL(page.url).hostname, domain)}
          isElsewhere
        >
          {texts.open}
        </ButtonLink>
      )}
      <ActionButton
        needs={CHECK}
        kind="quiet"
        icon="replace"
        of={domain}
        run={() => checkDomain(page.id, domain)}
        onDone={onChanged}
      >
        {texts.checkNow}
      </ActionButton>
      <ActionButton
        needs="DELETE /deploy/{id}/domains/{domain}"
        kind="quiet"
        icon="trash"
        of={domain}
        run={async () => deleteLater(fill(texts.removed, { domain: toUnicode(domain) }), [domainPath(page.id, domain)])}
        isRemoving
      >
        {t.settings.remove}
      </ActionButton>
    </div>
  );
}

/** A domain, whether it leads to the page, and the records that it needs. */
function DomainRow({ page, domain: one, onChanged }: { page: Page; domain: Domain; onChanged(): void }): JSX.Element {
  const { domain, status, checked_at } = one;
  const readable = toUnicode(domain);
  const { label, badge } = STATUSES[status];
  return (
    <li class="stack">
      <div class="spread">
        <div>
          <p>
            <strong>
              <bdi>{readable}</bdi>
            </strong>{' '}
            <span class={badge} role="status">
              {label}
            </span>
          </p>
          <p class="muted">
            {readable !== domain && `${domain} · `}
            {checked_at === null ? (
              texts.notChecked
            ) : (
              <Rich text={texts.checked} with={{ time: <Time at={checked_at} /> }} />
            )}
          </p>
        </div>
        <DomainButtons page={page} domain={one} onChanged={onChanged} />
      </div>
      <DnsRecords domain={one} />
    </li>
  );
}

const AddDomain = ({ id, onAdded }: { id: string; onAdded(): void }): JSX.Element => (
  <OneFieldForm
    needs="POST /deploy/{id}/domains"
    field={{
      label: texts.add,
      hint: texts.addHint,
      inputMode: 'url',
      autoComplete: 'off',
    }}
    button={{ icon: 'plus', children: texts.addButton }}
    labels={{ domain: texts.theDomain }}
    run={async (typed) => {
      // It may be one whose removal waits.
      await makeDeletions();
      await answer(api.POST('/deploy/{id}/domains', { params: { path: { id } }, body: { domain: toDomain(typed) } }));
      onAdded();
    }}
  />
);

function Domains({ page, all, onChanged }: { page: Page; all: readonly Domain[]; onChanged(): void }) {
  const domains = useUndeleted(all, ({ domain }) => domainPath(page.id, domain), onChanged);
  useChecks(page.id, domains, onChanged);
  return (
    <>
      {domains.length > 0 && (
        <ul class="domains">
          {domains.map((domain) => (
            <DomainRow key={domain.domain} page={page} domain={domain} onChanged={onChanged} />
          ))}
        </ul>
      )}
      <AddDomain id={page.id} onAdded={onChanged} />
    </>
  );
}

function stateOf(host: string, domains: readonly Domain[] = []): string {
  const problems = domains.filter(({ status }) => status !== 'live').length;
  if (domains.length === 0) return host;
  const state = counted(texts.hostAnd, domains.length, { host });
  return problems === 0 ? state : counted(texts.notLive, problems, { state });
}

/** The domains of the owner that lead to a page. */
export function Address({ page, isOpen, onToggle }: { page: Page; isOpen: boolean; onToggle(): void }): JSX.Element {
  const { id, url } = page;
  const loaded = useData(`domains:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/domains', { params: { path: { id } }, signal })),
  );
  useOtherTabs(loaded.reload);
  const { host } = new URL(url);
  const state = stateOf(host, loaded.data?.domains);
  return (
    <Panel id="address" title={texts.title} state={state} isOpen={isOpen} onToggle={onToggle}>
      <p class="muted">
        <Rich text={texts.about} with={{ host }} />
      </p>
      <Shown loaded={loaded} label={texts.loading}>
        {({ domains }) => <Domains page={page} all={domains} onChanged={loaded.reload} />}
      </Shown>
    </Panel>
  );
}
