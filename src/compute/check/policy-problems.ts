import { startOf } from '../../forms/html-tree.ts';
import type { Found } from './answer.ts';
import { shown } from './field-problems.ts';
import type { Page } from './form-problems.ts';
import type { Way } from './page-forms.ts';
import type { Block } from './policies.ts';

/*
 * Finds the policies of a page that keep its forms from arriving, or from being accepted.
 */

/** The referrer policies with which browsers send `Origin: null` to another origin (Fetch standard). */
const HIDING = new Set(['no-referrer', 'same-origin']);

function blocked(
  { meta, name, sources }: Block,
  severity: Found['severity'],
  { what, url, page }: { what: string; url: URL; page: Page },
): Found {
  const missing = page.address.isOwn(url) ? "'self'" : url.origin;
  const isEmpty = sources.length === 0 || sources.some((source) => /^'none'$/i.test(source));
  const policy = shown([name, ...sources].join(' '));
  let write = isEmpty ? `write ${name} ${missing}` : `add ${missing} to ${name}`;
  // The other things that it is for stay blocked.
  if (name === 'default-src') write = `add connect-src ${missing}`;
  const message = `The policy "${policy}" of the page blocks ${what}, which sends to ${missing}: ${write}.`;
  return { code: 'blocked-by-policy', severity, message, at: startOf(meta) };
}

/** Finds what blocks the scripts that have the address themselves. */
export function* problemsOfScriptPolicy(page: Page): Generator<Found> {
  const { scripts, policies, address } = page;
  if (!scripts.hasAddress) return;
  const url = address.action;
  if (scripts.requestsAddress) {
    const block = policies.blockOf('script', url);
    if (block) yield blocked(block, 'error', { what: 'the script', url, page });
  } else if (!scripts.requests && !scripts.hasOthers) {
    // It gives the address to a form.
    const block = policies.blockOf('form', url);
    if (block) yield blocked(block, 'error', { what: 'the form', url, page });
  }
}

function* problemOfOrigin(url: URL, { policies: { referrer }, ...page }: Page): Generator<Found> {
  if (!page.hasAllowedOrigins || page.address.isOwn(url) || !referrer || !HIDING.has(referrer.policy)) return;
  const message = `The referrer policy ${referrer.policy} hides where the form comes from, so that the setting allowed_origins refuses what it sends: write <meta name="referrer" content="strict-origin">.`;
  yield { code: 'origin-hidden', severity: 'error', message, at: startOf(referrer.meta) };
}

/** Finds what blocks one way of a form that leads here. `isByScript`: whether a script may send it in place of the browser. */
export function* problemsOfWayPolicy({ action, method }: Way, isByScript: boolean, page: Page): Generator<Found> {
  if (action.target !== 'here' || method.value !== 'post') return;
  const { scripts, policies } = page;
  const url = page.address.destinationOf(action.value);
  if (!url) return;
  if (!isByScript || !(scripts.requests || scripts.hasOthers)) {
    const block = policies.blockOf('form', url);
    if (block) yield blocked(block, 'error', { what: 'the form', url, page });
    yield* problemOfOrigin(url, page);
  } else if (scripts.sendsForms && scripts.requests) {
    const block = policies.blockOf('script', url);
    // The script may send something else.
    if (block) yield blocked(block, scripts.requestsAddress ? 'error' : 'warning', { what: 'the script', url, page });
  }
}
