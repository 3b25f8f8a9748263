import type { IncomingMessage } from 'node:http';
import type { PageForm } from '../../forms/forms-of-page.ts';
import { HIDDEN_ORIGIN } from '../../forms/origins.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import { newSubmissionId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import { dataWithId, type SentSubmission } from '../../submissions/receive.ts';
import type { App } from '../app.ts';
import type { FormAddress } from '../request/form-address.ts';
import { mediaType } from '../request/json-body.ts';
import { HttpError } from '../response/errors.ts';
import type { MemoryReservation } from '../response/memory-budget.ts';
import { readForeign } from './foreign-form.ts';
import { type FormLimits, readJson, type Submitted } from './form-body.ts';
import { readMultipart } from './multipart.ts';
import { maxMultipartBytes, readParts } from './multipart-parts.ts';
import { firstSent } from './resubmit-query.ts';
import { bodyHashOf, keyHashOf } from './submission-key.ts';
import { decodeTransfers, isEncoded } from './transfer-encoding.ts';
import { readUrlencoded } from './urlencoded.ts';

/** The separators of an urlencoded form. */
const FORM_SEPARATOR_BYTES = 16 * 1024;

/** A submission that was read. `page`: the URL of the page that has sent it first, where an error page has sent it again. */
export type ReadSubmission = SentSubmission & Submitted & { page: string | undefined };

/** Where a submission is sent to, and by whom. */
type Destination = Pick<SentSubmission, 'deploymentId' | 'ipAddress'> & { address: FormAddress };

type ContentType = 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';

// The most bytes of a body for one decoded byte: \u0041 in JSON, %41 in a form.
const JSON_GROWTH = 6;
const FORM_GROWTH = 3;
/** The most bytes of a body for one byte of a file: base64, with line breaks. */
const FILE_GROWTH = 1.4;

/** Reads submissions in the three content types. */
export class SubmissionParser {
  readonly #app: Pick<App, 'compute' | 'limits' | 'requests' | 'secrets' | 'submissions'>;
  /** Large bodies are parsed one at a time for each client, with a rest after each, which bounds its part of the event loop's time. */
  readonly #largeBodies: FairQueue<string | number>;
  readonly #formLimits: FormLimits;
  readonly #maxBytes: Readonly<Record<ContentType, number>>;

  constructor(app: Pick<App, 'compute' | 'config' | 'limits' | 'requests' | 'secrets' | 'submissions'>) {
    const { maxSubmissionBytes: maxBytes, maxFileBytes, maxFilesBytes } = app.config;
    const { maxFields, maxFiles } = SIZES.submission;
    this.#app = app;
    this.#largeBodies = new FairQueue({ slots: Infinity, maxWaiting: 1_000, maxRestMs: 50 });
    this.#formLimits = { maxBytes, maxFields, maxFileBytes, maxFilesBytes };
    this.#maxBytes = {
      'application/json': maxBytes * JSON_GROWTH,
      'application/x-www-form-urlencoded': maxBytes * FORM_GROWTH + FORM_SEPARATOR_BYTES,
      'multipart/form-data':
        maxMultipartBytes(maxBytes) + Math.ceil(FILE_GROWTH * Math.min(maxFiles * maxFileBytes, maxFilesBytes)),
    };
  }

  /** Throws HttpError. `memory` counts the body, whose memory files share. */
  async read(
    request: IncomingMessage,
    { deploymentId, ipAddress, address }: Destination,
    memory: MemoryReservation,
  ): Promise<ReadSubmission> {
    const { type, boundary } = contentTypeOf(request);
    const {
      requests: { bodyReader },
      limits,
    } = this.#app;
    const body = await bodyReader.bytes(request, this.#maxBytes[type], memory);
    const links = request.url?.includes('?') ? await this.#app.secrets.links() : undefined;
    const parse = async (): Promise<ReadSubmission> => {
      const read = type === 'multipart/form-data' ? await this.#readForm(body, boundary) : this.#parse(type, body);
      const foreign =
        address === 'submit' ? undefined : await readForeign(read, () => this.#formsOf(request, deploymentId));
      const submitted = foreign ? { ...read, honeypot: foreign.honeypot } : read;
      // Made when the body is complete: ids rise in the order in which submissions are stored.
      const first = links && firstSent(request, submitted.fields, links);
      const id = first?.id ?? newSubmissionId(foreign?.mark);
      const data = dataWithId(id, deploymentId, submitted);
      const attempt = { isRetry: first !== undefined, page: first?.page, key: undefined };
      return { ...submitted, id, deploymentId, data, ipAddress, ...attempt };
    };
    const { largeBodyWaitTimeoutMs } = limits.submissions;
    const isSmall = body.length <= SIZES.body.smallBytes;
    const read = await (isSmall ? parse() : this.#largeBodies.run(memory.client, largeBodyWaitTimeoutMs, parse));
    const keyHash = read.exceeded ? undefined : keyHashOf(request);
    return keyHash ? { ...read, key: { hash: keyHash, bodyHash: await bodyHashOf(read) } } : read;
  }

  /** The forms of the hosted page; none for a form that is on another site, which is not known. */
  async #formsOf({ headers: { origin } }: IncomingMessage, deploymentId: string): Promise<readonly PageForm[]> {
    const {
      compute,
      requests: { hosts },
      submissions: { forms },
    } = this.#app;
    const slug = forms.inMemory(deploymentId)?.slug;
    const isOnPage =
      origin === undefined || origin === HIDDEN_ORIGIN || slug === undefined || hosts.isOriginOf(slug, origin);
    return isOnPage ? compute.formsOf(deploymentId) : [];
  }

  #parse(type: Exclude<ContentType, 'multipart/form-data'>, body: Buffer): Submitted {
    return type === 'application/json' ? readJson(body, this.#formLimits) : readUrlencoded(body, this.#formLimits);
  }

  async #readForm(body: Buffer, boundary: string): Promise<Submitted> {
    const parts = readParts(body, boundary, this.#formLimits);
    return readMultipart(parts.some(isEncoded) ? await decodeTransfers(parts) : parts, this.#formLimits);
  }
}

/** Throws 415, and 400 without the boundary of a multipart body. */
function contentTypeOf(request: IncomingMessage): { type: ContentType; boundary: string } {
  const contentType = mediaType(request);
  const type = contentType?.type;
  const boundary = contentType?.parameters.boundary ?? '';
  switch (type) {
    case 'multipart/form-data':
      if (boundary !== '') return { type, boundary };
      throw new HttpError(400, 'The multipart body has no boundary: name it in the content type.');
    case 'application/json':
    case 'application/x-www-form-urlencoded':
      return { type, boundary };
    default:
      throw new HttpError(
        415,
        'The content type is not supported: send application/json, application/x-www-form-urlencoded or multipart/form-data.',
      );
  }
}
