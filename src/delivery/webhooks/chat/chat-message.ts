import type { Labels } from '../../../forms/forms-of-page.ts';
import { fieldsForPeople, valuesOf } from '../../../forms/shown-fields.ts';
import { inBytes } from '../../../lib/byte-size.ts';
import { VIEW_PATHS } from '../../../lib/dashboard-paths.ts';
import { pageName } from '../../../sites/page-name.ts';
import { SIZES } from '../../../sizes.ts';
import { inWords } from '../../mail/layout.ts';
import { printable } from '../../mail/mail-fields.ts';
import { shorten } from './shorten.ts';

/** More of a text is not read: no service shows as much of it. */
const MAX_READ_CHARS = 5_000;
/** A longer label is cut: it would leave no space to the values. */
const MAX_LABEL_CHARS = 100;
/** The sign for an empty value: services refuse, or hide, what is empty. */
const EMPTY = '–';

/** The content of a message of any service, as plain text. No text is empty, and none has half a character. */
export type ChatMessage = {
  title: string;
  /** Sentences about the message. */
  notes: readonly string[];
  fields: readonly { name: string; value: string }[];
  inbox: { text: string; url: string };
  time: string;
  createdAt: Date;
  isTest: boolean;
};

type About = {
  deploymentId: string;
  slug: string;
  /** The page's. */
  title: string | null;
  /** null for a sample. */
  submissionId: string | null;
  /** JSON text of an object, as stored. */
  data: string;
  createdAt: Date;
  /** The owner's. */
  timeZone: string;
  isTest: boolean;
};

/** Makes the message about a submission. `baseUrl`: the origin of the API. */
export function chatMessage(about: About, labels: Labels, baseUrl: string): ChatMessage {
  const { deploymentId, submissionId, createdAt, timeZone, isTest } = about;
  const all = fieldsForPeople({ id: submissionId ?? '', data: about.data }, labels);
  const shown = all.slice(0, SIZES.chat.maxFields);
  const path = submissionId === null ? VIEW_PATHS.inbox : VIEW_PATHS.submission.replace(':submissionId', submissionId);
  const files = `/submissions/${deploymentId}/${submissionId}/files/`;
  return {
    title: `${isTest ? 'Test submission' : 'New submission'} for ${inOneLine(pageName(about))}`,
    notes: [
      ...(isTest ? ['This is a test: no visitor has sent it.'] : []),
      ...(all.length === 0 ? ['It has no fields to show.'] : []),
      ...(all.length > shown.length ? [leftOut(all.length - shown.length)] : []),
    ],
    fields: shown.map(({ label, value }) => ({
      name: shorten(inOneLine(label), MAX_LABEL_CHARS),
      value: plain(shownText(value, files)),
    })),
    inbox: { text: 'Open in inbox', url: baseUrl + path.replace(':id', deploymentId) },
    time: inWords(createdAt, timeZone),
    createdAt,
    isTest,
  };
}

const leftOut = (count: number): string =>
  count === 1 ? '1 more field is in the inbox.' : `${count} more fields are in the inbox.`;

/** A value, with the name and the size of each file. */
const shownText = (json: string, files: string): string =>
  valuesOf(json, (path) => path.startsWith(files))
    .map(({ value, file }) => (file ? `${value} (${inBytes(file.bytes)})` : value))
    .join('\n');

/** Characters that nobody sees, and those that show the letters of a text, or of what follows, in another order. */
const INVISIBLE = /[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]/g;

/** A text of a visitor as plain text, with line feeds for line breaks. */
function plain(text: string): string {
  const read =
    text.slice(0, MAX_READ_CHARS).replace(/[\ud800-\udbff]$/, '') + (text.length > MAX_READ_CHARS ? '…' : '');
  const lines = printable(read.replaceAll(INVISIBLE, '')).replaceAll('\t', ' ');
  return lines.replaceAll(/\n{3,}/g, '\n\n').trim() || EMPTY;
}

const inOneLine = (text: string): string => plain(text).replaceAll(/\s+/g, ' ');
