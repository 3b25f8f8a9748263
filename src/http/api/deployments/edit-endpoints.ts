import { z } from 'zod';
import { findHtml } from '../../../db/deployments/deployment-queries.ts';
import { etagOf } from '../../../db/deployments/page-version-queries.ts';
import { refused } from '../../../problems/refusal.ts';
import type { ValueError } from '../../../problems/value-errors.ts';
import { type EditFault, editText } from '../../../sites/text-edits.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { CHANGES } from '../../operation/tool.ts';
import { changedMeanwhile, ETAG_HEADER, ifMatch, wantedTags } from '../../request/conditions.ts';
import { invalidField, pageBodyBytes } from '../../request/json-body.ts';
import { HttpError, storageFull } from '../../response/errors.ts';
import { takeDownNotices } from '../../response/notice-header.ts';
import { Deployed, toDeployed } from './deployment-endpoints.ts';
import { foundOr404, ownDeployment } from './own-deployment.ts';
import { HTML_PATH } from './page-html.ts';
import { publishPage } from './publish-page.ts';

const { maxEdits } = SIZES.page;
/** How often edits are made anew of a page that others change at the same moment. */
const MAX_TRIES = 5;

const WRONG_EDITS = 'edits is invalid: send a list of {find, replace}, both texts.';
const wellFormed = (text: string): boolean => text.isWellFormed();
const LONE_SURROGATE = refused('wrong-format', 'edits has a lone surrogate: send well-formed Unicode.');

const Edits = z.object({
  edits: z
    .array(
      z.object(
        {
          find: z
            .string(WRONG_EDITS)
            .min(1, 'edits has an empty find: send a text that is in the page.')
            .refine(wellFormed, LONE_SURROGATE)
            .meta({ description: 'A text that is in the page once.', short: '' }),
          replace: z.string(WRONG_EDITS).refine(wellFormed, LONE_SURROGATE).meta({
            description: 'The text in its place, as it is: no character has a meaning of its own.',
            short: '',
          }),
        },
        WRONG_EDITS,
      ),
      WRONG_EDITS,
    )
    .min(1, 'edits is empty: send at least one.')
    .max(maxEdits, `edits is too long: send at most ${maxEdits}.`)
    .meta({
      description: `At most ${maxEdits}. Each text is looked for in the page as it is before the request, and none overlaps with another.`,
      short: '',
    }),
});

/** The errors of edits that cannot be made. */
function refusedEdits(faults: readonly EditFault[]): HttpError {
  const errors = faults.map((fault): ValueError => {
    const place = { pointer: `/edits/${fault.edit}/find` };
    const find = `{edits.${fault.edit}.find}`;
    if ('overlaps' in fault) {
      const detail = `${find} overlaps with {edits.${fault.overlaps}.find}: make one edit of both.`;
      return { ...place, code: 'conflict', detail };
    }
    if (fault.occurrences === 0) {
      const detail = `${find} occurs 0 times: {send} a text exactly as {GET /deploy/:id/html} returns it.`;
      return { ...place, code: 'unknown-value', detail };
    }
    const detail = `${find} occurs ${fault.occurrences} times: {send} more of the text around it, so that it occurs once.`;
    return { ...place, code: 'not-allowed', detail };
  });
  return invalidField(errors);
}

/** The HTML after edits. Throws 400 where one can't be made, or nothing is left, and 413 where the page is too large. */
async function edited(html: string, edits: z.infer<typeof Edits>['edits'], maxHtmlBytes: number): Promise<Buffer> {
  const text = await editText(html, edits);
  if (typeof text !== 'string') throw refusedEdits(text);
  if (text === '') throw new HttpError(400, 'Nothing of the page would be left: delete the {deployment} instead.');
  const content = Buffer.from(text);
  if (content.length <= maxHtmlBytes) return content;
  throw new HttpError(413, `The page would be too large: it may have at most ${maxHtmlBytes} bytes.`);
}

const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof HttpError && error.code === changedMeanwhile.example.code;

/** Parts of a page's HTML. */
export const editOperation = operation('PATCH', HTML_PATH, 'editHtml', {
  audit: 'page.publish',
  guests: 'editor',
  scope: 'publish',
  tool: {
    name: 'edit_page',
    description:
      'Replaces parts of the HTML of a page. Each find is a text of get_html that occurs there once; otherwise nothing changes, and the ' +
      'error says how often it occurs. Returns problems, as publish_page does.',
    followUp: { operation: 'checkDeployment', field: 'problems' },
    hints: CHANGES,
  },
  noCommand:
    '`formhost page html` prints the page for any editor, and `formhost deploy` publishes what that has made of it.',
  summary: 'Edit the HTML of a {deployment}',
  description:
    'Each `find` has to occur exactly once; otherwise nothing changes. All edits together are a new version. A change by somebody else at ' +
    'the same moment stays: the edits are then made of that.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  requestHeaders: ifMatch(HTML_PATH),
  body: ({ config }) => ({
    ...{ schema: Edits, example: { edits: [{ find: 'Hello', replace: 'Good day' }] } },
    ...{ maxBytes: pageBodyBytes(config.maxHtmlBytes), longLists: true },
  }),
  answer: { description: 'The changed page is live.', headers: ETAG_HEADER, schema: Deployed },
  errors: [storageFull, changedMeanwhile],
  async handle({ owner, response, resource, headers, body: { edits }, notify, setHeaders }, app) {
    const { db, config } = app;
    const wanted = wantedTags(headers['If-Match']);
    for (let tries = 1; ; tries += 1) {
      const before = foundOr404(await findHtml(db, owner.id, resource.id));
      const etag = etagOf(before);
      if (wanted && !wanted.includes(etag)) throw changedMeanwhile(HTML_PATH);
      const html = await edited(before.toString(), edits, config.maxHtmlBytes);
      try {
        const deployment = await publishPage(app, { owner, response, notify }, resource, { html }, [etag]);
        if (deployment.takenDownAt) notify(takeDownNotices(config.abuseContact?.text).newHtml);
        setHeaders({ ETag: etagOf(html) });
        return toDeployed(deployment, config);
      } catch (error) {
        if (tries === MAX_TRIES || !isChangedMeanwhile(error)) throw error;
      }
    }
  },
});
