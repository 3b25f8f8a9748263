import type { IncomingMessage } from 'node:http';
import { FairQueue } from '../../lib/fair-queue.ts';
import { newSubmissionId } from '../../lib/ids.ts';
import { SIZES } from '../../sizes.ts';
import type { App } from '../app.ts';
import { mediaType } from '../request/json-body.ts';
import { HttpError } from '../response/errors.ts';
import type { MemoryReservation } from '../response/memory-budget.ts';
import { DropFiles } from './drop-files.ts';
import { type FormLimits, readJson, readUrlencoded, type Submitted } from './form-body.ts';
import { readMultipart, refusalOfLarge } from './multipart.ts';
import { maxMultipartBytes } from './multipart-parts.ts';
import { firstIdOf } from './resubmit-query.ts';
import { visitorOf } from './visitor-pages.ts';

/** A submission as it was sent. */
export type ParsedSubmission = Submitted & {
  /** That under which it was sent first, when it `isRetry`. */
  id: string;
  isRetry: boolean;
  /** The text of a JSON object, which is stored. */
  data: string;
};

type ContentType = 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';

// The most bytes of a body for one decoded byte: \u0041 in JSON, %41 in a form.
const JSON_GROWTH = 6;
const FORM_GROWTH = 3;

/** The data of a submission under an id, which is in the paths of the API at which its files are downloaded. */
export const dataWithId = (submissionId: string, deploymentId: string, { dataWith }: Pick<Submitted, 'dataWith'>) =>
  dataWith((fileId) => `/submissions/${deploymentId}/${submissionId}/files/${fileId}`);

/** Reads submissions in the three content types. */
export class SubmissionParser {
  readonly #app: Pick<App, 'bodyReader' | 'limits' | 'links'>;
  /** Large bodies are parsed one at a time for each client, which bounds its part of the event loop's time. */
  readonly #largeBodies: FairQueue<string | number>;
  readonly #formLimits: FormLimits;
  readonly #maxBytes: Readonly<Record<ContentType, number>>;
  /** Of a multipart body, without the contents of its files; and of these. */
  readonly #maxTextBytes: number;
  readonly #maxContentBytes: number;

  constructor(app: Pick<App, 'bodyReader' | 'limits' | 'links' | 'config'>) {
    const { maxSubmissionBytes: maxBytes, maxFileBytes, maxFilesBytes } = app.config;
    this.#app = app;
    this.#largeBodies = new FairQueue({
      slots: Infinity,
      maxWaiting: app.limits.submissions.maxWaitingLargeBodies,
      maxRestMs: app.limits.submissions.maxLargeBodyRestMs,
    });
    this.#formLimits = { maxBytes, maxFields: SIZES.submission.maxFields, maxFileBytes, maxFilesBytes };
    this.#maxTextBytes = maxMultipartBytes(maxBytes);
    this.#maxContentBytes = Math.min(SIZES.submission.maxFiles * maxFileBytes, maxFilesBytes);
    this.#maxBytes = {
      'application/json': maxBytes * JSON_GROWTH,
      'application/x-www-form-urlencoded': maxBytes * FORM_GROWTH + SIZES.internal.formSeparatorBytes,
      'multipart/form-data': this.#maxTextBytes + this.#maxContentBytes,
    };
  }

  /** Throws HttpError. `memory` counts the body, whose memory files share. */
  async read(request: IncomingMessage, deploymentId: string, memory: MemoryReservation): Promise<ParsedSubmission> {
    const { type, boundary } = contentTypeOf(request);
    const maxBytes = this.#maxBytes[type];
    const isMultipart = type === 'multipart/form-data';
    if (isMultipart && Number(request.headers['content-length']) > maxBytes) {
      throw await this.#refuseLarge(request, boundary, memory);
    }
    const decodedLimit = isMultipart ? this.#maxTextBytes : maxBytes;
    const body = await this.#app.bodyReader.bytes(request, maxBytes, memory, { decodedLimit });
    const links = request.url?.includes('?') ? await this.#app.links() : undefined;
    return this.#parseInTurn(memory.client, body, () => {
      const submitted = this.#parse(type, body, boundary);
      // Made when the body is complete: ids rise in the order in which submissions are stored.
      const firstId = links && firstIdOf(request, submitted.fields, links);
      const id = firstId ?? newSubmissionId();
      return { ...submitted, id, isRetry: firstId !== undefined, data: dataWithId(id, deploymentId, submitted) };
    });
  }

  async #parseInTurn<T>(client: string | number, body: Buffer, parse: () => T): Promise<T> {
    if (body.length <= SIZES.body.smallBytes) return parse();
    const { largeBodyWaitTimeoutMs } = this.#app.limits.submissions;
    return this.#largeBodies.run(client, largeBodyWaitTimeoutMs, async () => parse());
  }

  #parse(type: ContentType, body: Buffer, boundary: string): Submitted {
    switch (type) {
      case 'application/json':
        return readJson(body, this.#formLimits);
      case 'application/x-www-form-urlencoded':
        return readUrlencoded(body, this.#formLimits);
      case 'multipart/form-data':
        return readMultipart(body, boundary, this.#formLimits);
    }
  }

  /** The refusal of a body that is too large. The texts of a visitor are read for it, without the files. */
  async #refuseLarge(request: IncomingMessage, boundary: string, memory: MemoryReservation): Promise<HttpError> {
    const { maxBytes, maxFields } = this.#formLimits;
    const isRead = visitorOf(request, undefined) && boundary.length <= SIZES.submission.maxBoundaryChars;
    if (!isRead || request.headers['content-encoding'] !== undefined) {
      return new HttpError(
        413,
        `The submission is too large: send at most ${maxBytes} bytes of names and values and ${this.#maxContentBytes} bytes of files.`,
      );
    }
    const { bodyReader, limits } = this.#app;
    const dropFiles = new DropFiles(boundary, maxFields);
    const limit = Math.max(this.#maxBytes['multipart/form-data'], limits.submissions.maxDroppedBodyBytes);
    const filter = (chunk?: Buffer): Buffer => dropFiles.filter(chunk);
    const kept = await bodyReader.bytes(request, limit, memory, { filter, decodedLimit: this.#maxTextBytes });
    return this.#parseInTurn(memory.client, kept, () =>
      refusalOfLarge(kept, boundary, dropFiles.sizes, this.#formLimits),
    );
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
