import type { VersionedRules } from '../db/form-rules.ts';

/** Where a submission comes from, as its client says. */
export type Source = {
  /** The header Origin (RFC 6454); undefined: it has none, so it is no browser's. */
  origin: string | undefined;
  /** Whether a browser says that the page with the form is of the host that it is posted to. */
  isSameOrigin: boolean;
};

/** What a form's rules make of a submission. */
export type Judgement = { kind: 'accepted' } | { kind: 'origin-refused'; origin: string };

export type Judge = (source: Source, form: VersionedRules) => Judgement;

const ACCEPTED: Judgement = { kind: 'accepted' };

/** `originOf`: that of a page, by its slug. `ownOrigin`: that of the service, whose error pages send a form again. */
export const createJudge =
  ({ originOf, ownOrigin }: { originOf(slug: string): string; ownOrigin: string }): Judge =>
  ({ origin, isSameOrigin }, { slug, rules: { allowedOrigins } }) => {
    const isAllowed =
      allowedOrigins.length === 0 ||
      origin === undefined ||
      isSameOrigin ||
      origin === ownOrigin ||
      origin === originOf(slug) ||
      allowedOrigins.includes(origin);
    return isAllowed ? ACCEPTED : { kind: 'origin-refused', origin };
  };
