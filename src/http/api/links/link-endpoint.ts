import { z } from 'zod';
import { hashOfKey, TOKEN } from '../../../lib/ids.ts';
import type { App } from '../../app.ts';
import type { EndpointRequest } from '../../operation/declaration.ts';
import { pageAnswer, publicOperation } from '../../operation/operation.ts';
import { textField } from '../../request/shared-fields.ts';
import type { DeclaredError } from '../../response/errors.ts';
import { type LinkPage, writeLinkPage } from '../../response/link-page.ts';
import { foundByLink, tooManyUnknownLinks } from './unknown-links.ts';

/** Shared by all links in mails: their errors are pages. */
export const linkErrors = { errorPageTitle: 'This link cannot be opened' } as const;

/** The query of a link, and of one that expires. */
export const SignedLink = z.object({
  signature: textField('A signature of the rest of the link.', 'KtuzOmS1nxRCbGFkHD0HuT2ZVbZ9O3bNqRzu3kXkzUs'),
});
export const ExpiringLink = z.object({
  expires: textField('Until when it works, in seconds since 1970.', '1795968000'),
  ...SignedLink.shape,
});

/** The hash of the secret in the path of a link; throws the link's error for a text that is no secret. */
export function tokenHash({ params: { token = '' } }: EndpointRequest, noSuchLink: () => Error): Buffer {
  if (!TOKEN.test(token)) throw noSuchLink();
  return hashOfKey(token);
}

/** `noSuchLink`: the error where `find` finds nothing. */
type Link = {
  path: string;
  query?: z.ZodObject;
  isHidden?: boolean;
  noSuchLink: (() => Error) & DeclaredError;
  errors?: readonly DeclaredError[];
};

/** A method of a link: `find` does its work, and `page` is shown of what that returns. */
type Step<Found> = {
  name: string;
  summary: string;
  find(request: EndpointRequest, app: App): Promise<Found | undefined>;
  page(found: Found, app: App): LinkPage;
};

/** Declares a method of a link. It answers a page. */
export function linkStep<Found>(
  method: 'GET' | 'POST',
  { path, noSuchLink, errors = [], ...link }: Link,
  { name, find, page, ...step }: Step<Found> & { description: string; answer: string },
) {
  // Others are signed, which is checked before anything is looked up.
  const isLookedUp = path.includes(':token');
  return publicOperation(method, path, name, {
    ...linkErrors,
    ...link,
    ...step,
    answer: pageAnswer(step.answer),
    errors: [noSuchLink, ...(isLookedUp ? [tooManyUnknownLinks] : []), ...errors],
    async handle(request, response, app) {
      const found = isLookedUp
        ? await foundByLink(app, { request, response }, { find: () => find(request, app), noSuchLink })
        : await find(request, app);
      if (found === undefined) throw noSuchLink();
      writeLinkPage(response, 200, page(found, app), app.limits);
    },
  });
}

/** The page that asks, and whose button posts to the same address. */
export const askStep = <Found>(link: Link, ask: Step<Found>) =>
  linkStep('GET', link, {
    ...ask,
    description: 'A page with a button. It changes nothing: software that checks the links of mails opens it as well.',
    answer: 'A page with a button, which posts to the same address.',
  });
