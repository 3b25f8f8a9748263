import type { LiveForm } from '../db/submissions/forms.ts';

/** Where a submission comes from, as its client says. */
export type Source = {
  /** The header Origin (RFC 6454); undefined: it has none, so it is no browser's. */
  origin: string | undefined;
  /** Whether a browser says that the page with the form is of the host that it is posted to. */
  isSameOrigin: boolean;
};

/**
 * The origin of a submission that its form accepts nothing from; undefined when it is accepted. `originOf`: that of a page,
 * by its slug. `ownOrigin`: that of the service, whose error pages send a form again.
 */
export function refusedOrigin(
  { origin, isSameOrigin }: Source,
  { slug, rules: { allowedOrigins } }: LiveForm,
  { originOf, ownOrigin }: { originOf(slug: string): string; ownOrigin: string },
): string | undefined {
  const isAllowed =
    allowedOrigins.length === 0 ||
    origin === undefined ||
    isSameOrigin ||
    origin === ownOrigin ||
    origin === originOf(slug) ||
    allowedOrigins.includes(origin);
  return isAllowed ? undefined : origin;
}
