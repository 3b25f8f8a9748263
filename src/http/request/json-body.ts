import type { IncomingMessage } from 'node:http';
import { type ContentType, parse as parseContentType } from 'content-type';
import type { Request } from 'express';
import type { z } from 'zod';
import type { Member, MemberValue, ReadMembers } from '../../compute/read-members.ts';
import type { Config } from '../../config.ts';
import { issueTemplate, type PlaceOf, valueErrors } from '../../problems/from-zod.ts';
import { Refusal } from '../../problems/refusal.ts';
import { pointerTo, type ValueError } from '../../problems/value-errors.ts';
import { SiteError, type SiteLimits, sentFilesOf } from '../../sites/sent-files.ts';
import { SIZES } from '../../sizes.ts';
import { errorKind, HttpError } from '../response/errors.ts';
import type { MemoryReservation } from '../response/memory-budget.ts';

/*
 * The bodies of the API: which types they may have, and the fields of JSON objects.
 */

const MALFORMED = 'The body is malformed: send a JSON object.';
const TOO_MANY_VALUES = `The body has too many values: send at most ${SIZES.json.maxValues}, at all levels.`;
const TOO_COMPLEX = `The body has too many fields or levels: send at most ${SIZES.json.maxMembers} of each.`;

/** How long a JSON body with a page may be: each byte of the page may be escaped as six characters. */
export const pageBodyBytes = (maxHtmlBytes: number): number => maxHtmlBytes * 6 + SIZES.body.settingsBytes;

/** No more of the settings: they are sent to the thread that reads a large body. */
export const siteLimits = ({ maxSiteFiles, maxSiteFileBytes, maxSiteBytes, maxHtmlBytes }: Config): SiteLimits => ({
  maxSiteFiles,
  maxSiteFileBytes,
  maxSiteBytes,
  maxHtmlBytes,
});

/** The body of an API's request: a JSON object with the fields of `schema`. */
export type BodyForm<S extends z.ZodObject> = {
  schema: S;
  /** How long it may be; SIZES.body.settingsBytes. */
  maxBytes?: number;
  /** Levels of objects below the body's own that may be long; 0. */
  longLevels?: number;
  /** Lists in these may be long too; false. */
  longLists?: boolean;
  /** A field `files` has the files of a site, within these limits. Its value is SentFiles, or a SiteError. */
  site?: SiteLimits;
  /** Other bodies than JSON. */
  others?: readonly OtherForm[];
  /** True if it is always one of these others, and never JSON. */
  isFile?: true;
};
/** The request of a body that is not JSON. `reservation`: the memory of the body, which is counted until the answer is sent. */
export type FormContext = { request: Request; ownerId: number; reservation: MemoryReservation };
/** A body of a media type, or of any, with no JSON besides it. The query has the fields that it does not have. */
export type OtherForm = {
  type?: string;
  /** Other names of the type, which the reference leaves out. */
  otherTypes?: readonly string[];
  /** Its name in errors: `the page itself`. */
  name: string;
  fields: readonly string[];
  /** An example of a body that is text, and no field. */
  text?: string;
  /** It is a form of these fields, and of those of the body that it does not name. Left out: it is the page or the site itself. */
  parts?: { schema: z.ZodObject; example: Readonly<Record<string, unknown>> };
  maxBytes: number;
  /** Makes the values of the fields, and of others, which are ignored. */
  read(content: Buffer, context: FormContext): Promise<Record<string, unknown>>;
};

/**
 * The media type of a request, its type in lower case; undefined when it is too long to be one. 415 when its charset
 * isn't UTF-8.
 */
export function mediaType(request: IncomingMessage): ContentType | undefined {
  const { 'content-type': header = '' } = request.headers;
  if (header.length > SIZES.internalHeaders.contentTypeChars) return undefined;
  const mediaType = parseContentType(header);
  const { charset = '' } = mediaType.parameters;
  if (charset !== '' && !/^utf-?8$/i.test(charset)) {
    throw new HttpError(415, 'The charset of the body is not supported: send UTF-8.');
  }
  return mediaType;
}

export const invalidField = errorKind(
  { id: 'InvalidField', description: 'A field of the body is missing or wrong.' },
  (errors: readonly ValueError[], message: string = errors[0]?.detail ?? MALFORMED) =>
    new HttpError(400, message, {}, { errors }),
  [{ pointer: '/html', code: 'missing', detail: '{html} is required: {send} the page as a string.' }],
);

export const malformed = (): HttpError => new HttpError(400, MALFORMED);

export function notJson(others: readonly OtherForm[] = [], isFile = false): HttpError {
  if (isFile) {
    const files = others.map(({ name, type }) => `${name} with Content-Type: ${type}`);
    return new HttpError(415, `The content type is not supported: send ${files.join(', or ')}.`);
  }
  const [comma, more] =
    others.length > 0 ? ['', others.map(({ name, type }) => `, or ${name} with Content-Type: ${type}`)] : [',', []];
  return new HttpError(
    415,
    `The content type is not supported: send JSON${comma} with Content-Type: application/json${more.join('')}.`,
  );
}

/** The form of a body, by its type; undefined for JSON. Throws 415 for another charset than UTF-8. */
export const otherFormOf = (request: IncomingMessage, others: readonly OtherForm[] = []): OtherForm | undefined =>
  others.find(
    ({ type, otherTypes = [] }) => type === undefined || [type, ...otherTypes].some((name) => isOfType(request, name)),
  );

const isOfType = (request: IncomingMessage, type: string): boolean =>
  request.headers['content-type']?.toLowerCase().startsWith(type) === true && mediaType(request)?.type === type;

/** The maximum number of errors that an answer lists for one body. */
const MAX_ERRORS = 20;

const isTooLarge = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'custom' && issue.params instanceof Refusal && issue.params.isTooLarge;

/** The fields of a JSON body are below it. */
const inBody: PlaceOf = (path) => ({ pointer: pointerTo(path) });

/** Names the places of fields that `form` reads: they are the body itself or in it, and all others are in the query. */
const placesOf =
  (form: OtherForm): PlaceOf =>
  ([name = '', ...path]) => {
    if (form.parts) return { pointer: pointerTo([name, ...path]) };
    return form.fields.includes(String(name)) ? { pointer: pointerTo(path) } : { parameter: String(name) };
  };

/**
 * The fields of a body, as the schema says; throws 400 and 413. `notify`: gets the errors of the other fields. `form`: what has
 * read the body, if it is not JSON.
 */
export function checkFields<S extends z.ZodObject>(
  values: Readonly<Record<string, unknown>>,
  schema: S,
  { notify, form }: { notify?: ((template: string) => void) | undefined; form?: OtherForm | undefined } = {},
): z.infer<S> {
  const read = schema.safeParse(values);
  if (read.success) return read.data;
  const { issues } = read.error;
  const errorsOf = (some: readonly z.core.$ZodIssue[]): ValueError[] =>
    valueErrors(some, values, Object.keys(schema.shape), form ? placesOf(form) : inBody);
  const tooLarge = issues.filter(isTooLarge);
  if (tooLarge[0]) throw new HttpError(413, issueTemplate(tooLarge[0]), {}, { errors: errorsOf(tooLarge) });
  // Further errors of one value are often wrong, such as the length of a value of another type.
  const byField = Map.groupBy(issues, ({ path }) => path.join('.')).values();
  const [first = MALFORMED, ...others] = new Set(
    [...byField].flatMap(([issue]) => (issue ? issueTemplate(issue) : [])),
  );
  for (const other of others.slice(0, MAX_ERRORS - 1)) notify?.(other.replace(/\.$/, ''));
  throw invalidField(errorsOf(issues), first);
}

const fromMembers = (members: readonly Member[]): Record<string, unknown> =>
  Object.fromEntries(members.map(({ name, value }) => [name, readValue(value)]));

function readValue(value: MemberValue): unknown {
  if ('items' in value) return value.items.map(readValue);
  if ('members' in value) return fromMembers(value.members);
  if ('files' in value) return sentFilesOf(value.files);
  if ('refusal' in value) return new SiteError(value.refusal.status, value.refusal.message, value.refusal.faults);
  return 'string' in value ? value.string : JSON.parse(value.json);
}

/** The object that was read; throws 400 where it could not be read. */
export function toObject({ members, problem }: ReadMembers): Record<string, unknown> {
  if (problem === 'not UTF-8') throw new HttpError(400, 'The body is not valid UTF-8: send JSON in UTF-8.');
  if (problem === 'too many values') throw new HttpError(400, TOO_MANY_VALUES);
  if (problem === 'too deep' || problem === 'too many members') throw new HttpError(400, TOO_COMPLEX);
  if (problem !== undefined) throw new HttpError(400, MALFORMED);
  return fromMembers(members);
}
