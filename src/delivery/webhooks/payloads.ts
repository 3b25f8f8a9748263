import type { Event } from '../../lib/events.ts';
import { compactJson, readJsonList, readJsonObject, unquote } from '../../lib/json-text.ts';
import { SIZES } from '../../sizes.ts';

const MAX_FIELDS_CHARS = 12_000;

/** The content of a delivery about a submission. */
export type Content = {
  deploymentId: string;
  slug: string;
  /** JSON text of an object, as stored. */
  data: string;
  createdAt: Date;
};

/** A field as it is shown to people. */
export type ShownField = { name: string; value: string };

/** The data of a test delivery. */
export const SAMPLE_DATA: Readonly<Record<Event, string>> = {
  submission: '{"name":"Test","message":"This is a test delivery: nobody submitted it."}',
};

/** The words of a Slack message before the slug. */
const SLACK_TITLES: Readonly<Record<Event, string>> = { submission: 'New submission for' };

const SLACK_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** The body of a generic webhook: `data` is the stored text itself, so that no number or key order is lost. */
export function genericPayload(event: Event, { deploymentId, data, createdAt }: Content): string {
  const id = JSON.stringify(deploymentId);
  return `{"event":"${event}","deployment_id":${id},"data":${data},"timestamp":"${createdAt.toISOString()}"}`;
}

/** Headers of a generic webhook; a test has no submission. */
export const genericHeaders = (slug: string, pageUrl: string, submissionId: string | null): Record<string, string> => ({
  ...(submissionId === null ? {} : { 'formhost-submission-id': submissionId }),
  'formhost-slug': slug,
  'formhost-page-url': pageUrl,
});

/** The body of a Slack webhook (Block Kit): a header, a section with the first fields, and a context. */
export function slackPayload(event: Event, { slug, data, createdAt }: Content): string {
  const shown = fieldsOf(data).slice(0, SIZES.slack.maxFields);
  const maxLength = Math.min(SIZES.slack.maxFieldChars, Math.floor(MAX_FIELDS_CHARS / shown.length));
  const texts = shown.length > 0 ? shown.map((field) => slackField(field, maxLength)) : ['_No fields submitted_'];
  return JSON.stringify({
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: `${SLACK_TITLES[event]} ${slug}` } },
      { type: 'section', fields: texts.map((text) => ({ type: 'mrkdwn', text })) },
      { type: 'context', elements: [{ type: 'mrkdwn', text: `Submitted at ${createdAt.toISOString()}` }] },
    ],
  });
}

/**
 * The fields of a submission's data (JSON text of an object) in the text's order, repeats included. A string is shown
 * as it is, a number, boolean or null as it is written, and a list of these joined with `, `. Any other value is shown
 * as compact JSON.
 */
export const fieldsOf = (data: string): ShownField[] =>
  readJsonObject(data).members.map(({ name, value }) => ({ name, value: shownValue(value) }));

/** A value for people. */
export function shownValue(json: string): string {
  const items = json.startsWith('[') ? readJsonList(json) : [json];
  return items.some((item) => /^[[{]/.test(item)) ? compactJson(json) : items.map(shownScalar).join(', ');
}

const shownScalar = (json: string): string => (json.startsWith('"') ? unquote(json) : json);

function slackField({ name, value }: ShownField, maxLength: number): string {
  const label = `*${escapeForSlack(name, SIZES.slack.maxNameChars)}*\n`;
  return label + escapeForSlack(value, maxLength - label.length);
}

/**
 * Escapes mrkdwn's special characters. A text that gets longer than `maxLength` UTF-16 units is cut between characters and
 * ends with `…`.
 */
function escapeForSlack(text: string, maxLength: number): string {
  // Character by character, so that the rest of a long text is not read.
  let escaped = '';
  let cut = 0;
  for (const character of text) {
    if (escaped.length < maxLength) cut = escaped.length;
    escaped += SLACK_ENTITIES.get(character) ?? character;
    if (escaped.length > maxLength) return `${escaped.slice(0, cut)}…`;
  }
  return escaped;
}
