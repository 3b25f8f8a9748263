import { compactJson, readJsonList, readJsonObject, unquote } from '../json-text.ts';

/** A submission, as far as it is told to others. */
export type Content = {
  deploymentId: string;
  slug: string;
  /** JSON text of an object, as stored. */
  data: string;
  createdAt: Date;
};

/** A field as it is shown to people. */
export type ShownField = { name: string; value: string };

/** What a test delivery carries as its submission's data. */
export const SAMPLE_DATA = '{"name":"Test","message":"This is a test delivery: nobody submitted it."}';

// Slack takes 10 fields in a section and 2,000 characters in each; the rest keeps all of them together in bounds.
const SLACK_FIELDS = 10;
const SLACK_FIELD_LENGTH = 2_000;
const SLACK_FIELDS_LENGTH = 12_000;
const SLACK_NAME_LENGTH = 200;
const SLACK_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** The body of a generic webhook: `data` is the stored text itself, so that no number or key order is lost. */
export function genericPayload({ deploymentId, data, createdAt }: Content): string {
  const id = JSON.stringify(deploymentId);
  return `{"event":"submission","deployment_id":${id},"data":${data},"timestamp":"${createdAt.toISOString()}"}`;
}

/** The body of a Slack webhook (Block Kit): a header, a section with at most ten fields, and a context. */
export function slackPayload({ slug, data, createdAt }: Content): string {
  const sent = fieldsOf(data).slice(0, SLACK_FIELDS);
  const longest = Math.min(SLACK_FIELD_LENGTH, Math.floor(SLACK_FIELDS_LENGTH / sent.length));
  const texts = sent.length > 0 ? sent.map((field) => slackField(field, longest)) : ['_No fields submitted_'];
  return JSON.stringify({
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: `New submission for ${slug}` } },
      { type: 'section', fields: texts.map((text) => ({ type: 'mrkdwn', text })) },
      { type: 'context', elements: [{ type: 'mrkdwn', text: `Submitted at ${createdAt.toISOString()}` }] },
    ],
  });
}

/**
 * The fields of a submission's data (JSON text of an object) in the text's order, repeats included. A value is a string as
 * it is; a number, boolean or null as its token; a list of such joined with `, `; else compact JSON.
 */
export const fieldsOf = (data: string): ShownField[] =>
  readJsonObject(data).members.map(({ name, value }) => ({ name, value: shownValue(value) }));

function shownValue(json: string): string {
  const items = json.startsWith('[') ? readJsonList(json) : [json];
  return items.some((item) => /^[[{]/.test(item)) ? compactJson(json) : items.map(shownScalar).join(', ');
}

const shownScalar = (json: string): string => (json.startsWith('"') ? unquote(json) : json);

function slackField({ name, value }: ShownField, longest: number): string {
  const label = `*${escapeForSlack(name, SLACK_NAME_LENGTH)}*\n`;
  return label + escapeForSlack(value, longest - label.length);
}

/** Escapes mrkdwn's special characters; what gets longer than `longest` UTF-16 units is cut, between characters, at a `…`. */
function escapeForSlack(text: string, longest: number): string {
  // Character by character: the rest of a long text is not even looked at.
  let escaped = '';
  let cut = 0;
  for (const character of text) {
    if (escaped.length < longest) cut = escaped.length;
    escaped += SLACK_ENTITIES.get(character) ?? character;
    if (escaped.length > longest) return `${escaped.slice(0, cut)}…`;
  }
  return escaped;
}
