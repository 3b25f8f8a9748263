import { CAPTCHA_FIELDS } from '../../forms/captcha-fields.ts';
import { HONEYPOT, isEmptyJson } from '../../forms/control-fields.ts';
import { shownValue } from '../../forms/shown-fields.ts';
import type { Event } from '../../lib/events.ts';
import { readJsonObject } from '../../lib/json-text.ts';
import { SIZES } from '../../sizes.ts';
import { entityPieces, shorten } from './chat/shorten.ts';

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
type ShownField = { name: string; value: string };

/** The data of a test delivery. */
export const SAMPLE_DATA: Readonly<Record<Event, string>> = {
  submission: '{"name":"Test","message":"This is a test delivery: nobody submitted it."}',
};

/** The words of a Slack message before the slug. */
const SLACK_TITLES: Readonly<Record<Event, string>> = { submission: 'New submission for' };

/** The body of a Slack webhook (Block Kit): a header, a section with the first fields, and a context. */
export function slackPayload(event: Event, { slug, data, createdAt }: Content): string {
  const shown = slackFieldsOf(data).slice(0, SIZES.slack.maxFields);
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

const CAPTCHA_TOKENS: ReadonlySet<string> = new Set(Object.values(CAPTCHA_FIELDS));

/** The fields of a submission's data (JSON text of an object), without tokens of captchas and an empty honeypot. */
const slackFieldsOf = (data: string): ShownField[] =>
  readJsonObject(data)
    .members.filter(({ name, value }) => !CAPTCHA_TOKENS.has(name) && !(name === HONEYPOT && isEmptyJson(value)))
    .map(({ name, value }) => ({ name, value: shownValue(value) }));

function slackField({ name, value }: ShownField, maxLength: number): string {
  const label = `*${escapeForSlack(name, SIZES.slack.maxNameChars)}*\n`;
  return label + escapeForSlack(value, maxLength - label.length);
}

/** Escapes mrkdwn's special characters. A text that gets longer than `maxLength` UTF-16 units is cut between characters. */
const escapeForSlack = (text: string, maxLength: number): string => shorten(entityPieces(text), maxLength);
