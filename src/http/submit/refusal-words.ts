import type { Closing } from '../../db/submissions/store-submissions.ts';
import { escapeHtml } from '../../lib/html.ts';
import type { FileLimit, NotReceived } from '../../submissions/outcomes.ts';
import { fill } from '../../texts/fill.ts';
import type { HttpError } from '../response/errors.ts';
import { messageFor } from '../response/form-closed.ts';
import { type Translations, whenToTryAgain } from '../response/translations.ts';
import { type Fields, isChosen } from './form-body.ts';
import { type Refusal, remedyFor, shownOrigin } from './refusals.ts';
import { shownName } from './resubmit-form.ts';
import { COUNTDOWN } from './wait-script.ts';

/** The words of the page that a visitor gets. `isFinal`: no advice helps. */
type Words = { sign: 'wait' | 'problem'; title: string; sentences: readonly string[]; isFinal?: true };

/** The refusal's error, and the language of the words. `fields`: all that was sent. */
type About = { error: HttpError; fields: Fields; translations: Translations };

const problem = ({ title, text }: { title: string; text: string }, ...more: string[]): Words => ({
  sign: 'problem',
  title,
  sentences: [text, ...more],
});

/** The words for a visitor whose form is refused. `error`: the answer to programs. */
export function refusalWords(refusal: Refusal, about: About): Words {
  const { error, translations } = about;
  switch (refusal.kind) {
    case 'no-form':
    case 'suspended':
      return { ...problem(translations.unavailable, translations.nothingSent), isFinal: true };
    case 'origin-refused':
      return wrongSite(refusal.origin, translations);
    case 'closed':
      return closedForm(refusal, translations);
    case 'rate-limited':
      return { ...problem(translations.full), sign: 'wait' };
    case 'unavailable':
      return { ...problem(translations.busy, whenToTryAgain(error, translations)), sign: 'wait' };
    case 'failed':
      return problem(translations.failed, whenToTryAgain(error, translations));
    case 'files-refused':
    case 'storage-full':
      return { sign: 'problem', title: translations.tooLarge.title, sentences: aboutFiles(refusal, about) };
    case 'loop':
    case 'key-reused':
      return problem(translations.notSent, translations.nothingSent);
    case 'unreadable':
      return unreadable(about);
  }
}

/** The limit that the files of a refused form exceed. A form takes none while its owner has no storage left. */
export function exceededBy(refusal: Refusal): FileLimit | undefined {
  if (refusal.kind === 'storage-full') return { kind: 'files', limit: 0 };
  return refusal.kind === 'files-refused' ? refusal.exceeded : undefined;
}

function wrongSite(origin: string, translations: Translations): Words {
  const { title, text, hidden, owner } = translations.wrongSite;
  const { nothingSent } = translations;
  switch (remedyFor(origin)) {
    case 'show':
      return problem({ title, text: hidden }, nothingSent);
    case 'list':
      return problem({ title, text }, fill(owner, { origin: escapeHtml(shownOrigin(origin)) }), nothingSent);
    case 'none':
      return problem({ title, text }, nothingSent);
  }
}

function closedForm({ closing, form }: Extract<NotReceived, { kind: 'closed' }>, translations: Translations): Words {
  const { title, sentences } = closedWords(closing, form?.rules.closedMessage ?? null, translations);
  return { sign: 'problem', title, sentences: [...sentences, translations.nothingSent] };
}

/**
 * What follows the sentences, and counts down to when a form can be sent again. `isSent`: the page sends it then. Without JavaScript it says the
 * time once.
 */
export function countdown(error: HttpError, isSent: boolean, translations: Translations): string {
  const seconds = Number(error.headers['Retry-After']);
  const time = `<span role="timer" ${COUNTDOWN}="${seconds}">${translations.time(seconds)}</span>`;
  const counted = fill(isSent ? translations.sentAgain : translations.tryAgain, { time });
  const words = whenToTryAgain(error, translations);
  const { gap } = translations;
  return `<span data-without-script>${gap}${words}</span><span data-with-script hidden>${gap}${counted}</span>`;
}

/** A text of the owner's, in HTML. */
export const ofOwnerText = (text: string): string => `<bdi>${escapeHtml(text).replaceAll(/\r?\n/g, '<br>')}</bdi>`;

/** The values in the text about a form that is closed; undefined where it has none. */
function valuesOf(closing: Closing, translations: Translations): Record<string, string> | undefined {
  switch (closing.reason) {
    case 'not-open':
      return { time: translations.dateTime(closing.opensAt, closing.timeZone), zone: closing.timeZone };
    case 'too-few-places':
      return { count: translations.number(closing.left) };
    case 'closed':
    case 'full':
      return undefined;
  }
}

/** The sentences about a form that is closed. `message`: that of its owner. */
export function closedWords(closing: Closing, message: string | null, translations: Translations) {
  const closedMessage = messageFor(closing, message);
  const { title, text } = translations.closings[closing.reason];
  const values = valuesOf(closing, translations);
  const ofOwner = closedMessage === null ? [] : [ofOwnerText(closedMessage)];
  const sentences = values || closedMessage === null ? [fill(text, values ?? {}), ...ofOwner] : ofOwner;
  return { title, sentences };
}

/** Sentences about the files that were refused, with their names where these say more. */
function aboutFiles(refusal: Refusal, { fields, translations }: About): string[] {
  const { file, files, fileCount, noFiles } = translations.tooLarge;
  const { kind, limit } = exceededBy(refusal) ?? { kind: 'files', limit: 0 };
  if (limit === 0) return [noFiles];
  if (kind === 'count') return [fill(fileCount, { count: translations.number(limit) })];
  const size = translations.size(limit);
  if (kind === 'files') return [fill(files, { size })];
  return fields.flatMap(([name, , sent]) =>
    sent && isChosen(sent) && sent.size > limit ? [fill(file, { name: shownName(sent.filename || name), size })] : [],
  );
}

/** The words for a request that was refused before there was a submission: its status is all that is known. */
function unreadable({ error, translations }: About): Words {
  switch (error.status) {
    case 404:
      return { ...problem(translations.unavailable, translations.nothingSent), isFinal: true };
    case 408:
      return problem(translations.slow, translations.tryAgainSoon);
    case 413:
      return problem(translations.tooLarge);
    case 503:
      return { ...problem(translations.busy, whenToTryAgain(error, translations)), sign: 'wait' };
    case 500:
      return problem(translations.failed, whenToTryAgain(error, translations));
    default:
      return problem(translations.notSent, translations.nothingSent);
  }
}
