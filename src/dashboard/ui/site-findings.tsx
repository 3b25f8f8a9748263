import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Schemas } from '../../client/client.ts';
import { type Loaded, useData } from '../data.ts';
import { checkSite, type Site } from '../sites.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import { Findings } from './findings.tsx';
import { Loading } from './states.tsx';

type Checked = Schemas['CheckedPage'];

/** Checks a site that is chosen, once. */
export function useSiteCheck(site: Site): Loaded<Checked> {
  const key = useMemo(() => crypto.randomUUID(), [site]);
  return useData(key, () => checkSite(site));
}

/** Shows the problems that the form check finds in a site before it is published, each with its file. */
export const SiteFindings = ({ loaded: { data, error } }: { loaded: Loaded<Checked> }): JSX.Element => (
  <div aria-live="polite">
    {error && <p class="muted">{fill(t.page.findings.siteNotChecked, { why: error.message })}</p>}
    {data && <Findings checked={data} />}
    {!data && !error && <Loading label={t.page.findings.checkingSite} />}
  </div>
);
