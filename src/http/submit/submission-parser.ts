import type { IncomingMessage } from 'node:http';
import type { NewFile } from '../../db/submissions/submission-files.ts';
import { newSubmissionId } from '../../lib/ids.ts';
import { type Limits, SIZES } from '../../limits.ts';
import type { BodyReader } from '../request/body.ts';
import { mediaType } from '../request/json-body.ts';
import { HttpError } from '../response/errors.ts';
import type { MemoryReservation } from '../response/memory-budget.ts';
import { createDropFiles } from './drop-files.ts';
import { readJson, readUrlencoded, type Submitted } from './form-body.ts';
import { readMultipart, refusalOfLarge } from './multipart.ts';
import { maxMultipartBytes } from './multipart-parts.ts';
import { attemptOf } from './sent-again.ts';
import type { ShareLargeWork } from './time-share.ts';

/**
 * `id` is that of an earlier attempt when it `isRetry`. `dataWithId` returns the text with another id in the URLs of its
 * files.
 */
export type ParsedSubmission = Submitted & {
  id: string;
  isRetry: boolean;
  files?: readonly NewFile[];
  dataWithId?: (id: string) => string;
};

/**
 * The client's network that a submission comes from, and the deployment that it is for. `isVisitor`: whether the answer is
 * a page for a visitor.
 */
export type Sender = { deploymentId: string; network: string; isVisitor: boolean };

/** In bytes: of names and values, of each file, and of all files of a submission. */
export type SubmissionSizes = { maxSubmissionBytes: number; maxFileBytes: number; maxFilesBytes: number };

// The most bytes of a body for one decoded byte: \u0041 in JSON, %41 in a form; and the separators of a form.
const JSON_GROWTH = 6;
const FORM_GROWTH = 3;

/** The path of the API at which a file is downloaded. */
export const fileUrl = (deploymentId: string, submissionId: string, fileId: string): string =>
  `/submissions/${deploymentId}/${submissionId}/files/${fileId}`;

// Called when the body is complete: ids rise in the order in which submissions are stored.
function withId(request: IncomingMessage, submitted: Submitted): ParsedSubmission {
  const attempt = attemptOf(request, submitted.form);
  return { id: attempt?.id ?? newSubmissionId(), isRetry: attempt !== undefined, ...submitted };
}

/** Reads submissions in the three content types. */
export class SubmissionParser {
  readonly #body: BodyReader;
  readonly #shareLargeWork: ShareLargeWork;
  readonly #formLimits: { maxBytes: number; maxFields: number; maxFileBytes: number; maxFilesBytes: number };
  /** Of names, values and the lines around them in a multipart body, and of the contents of its files. */
  readonly #maxTextBytes: number;
  readonly #maxContentBytes: number;
  readonly #maxDroppedBodyBytes: number;

  constructor(
    { body, shareLargeWork }: { body: BodyReader; shareLargeWork: ShareLargeWork },
    { maxSubmissionBytes, maxFileBytes, maxFilesBytes }: SubmissionSizes,
    limits: Limits,
  ) {
    this.#body = body;
    this.#shareLargeWork = shareLargeWork;
    this.#formLimits = {
      maxBytes: maxSubmissionBytes,
      maxFields: SIZES.submission.maxFields,
      maxFileBytes,
      maxFilesBytes,
    };
    this.#maxTextBytes = maxMultipartBytes(maxSubmissionBytes);
    this.#maxContentBytes = Math.min(SIZES.submission.maxFiles * maxFileBytes, maxFilesBytes);
    this.#maxDroppedBodyBytes = limits.submissions.maxDroppedBodyBytes;
  }

  /** Throws HttpError. */
  async read(request: IncomingMessage, sender: Sender, reservation: MemoryReservation): Promise<ParsedSubmission> {
    const contentType = mediaType(request);
    const { maxBytes } = this.#formLimits;
    switch (contentType?.type) {
      case 'application/json':
        return this.#readText(request, sender, reservation, maxBytes * JSON_GROWTH, readJson);
      case 'application/x-www-form-urlencoded': {
        const limit = maxBytes * FORM_GROWTH + SIZES.internal.formSeparatorBytes;
        return this.#readText(request, sender, reservation, limit, readUrlencoded);
      }
      case 'multipart/form-data':
        return this.#readMultipart(request, contentType.parameters.boundary, sender, reservation);
      default:
        throw new HttpError(
          415,
          'The content type is not supported: send application/json, application/x-www-form-urlencoded or multipart/form-data.',
        );
    }
  }

  async #readText(
    request: IncomingMessage,
    { network }: Sender,
    reservation: MemoryReservation,
    maxBytes: number,
    parse: typeof readJson,
  ): Promise<ParsedSubmission> {
    const bytes = await this.#body.bytes(request, maxBytes, reservation);
    return this.#shareLargeWork(request, network, bytes.length, () => withId(request, parse(bytes, this.#formLimits)));
  }

  async #readMultipart(
    request: IncomingMessage,
    boundary: string | undefined,
    sender: Sender,
    reservation: MemoryReservation,
  ): Promise<ParsedSubmission> {
    if (!boundary) throw new HttpError(400, 'The multipart body has no boundary: name it in the content type.');
    const maxBytes = this.#maxTextBytes + this.#maxContentBytes;
    if (Number(request.headers['content-length']) > maxBytes) {
      throw await this.#refuseLarge(request, boundary, sender, reservation);
    }
    const options = { decodedLimit: this.#maxTextBytes };
    const bytes = await this.#body.bytes(request, maxBytes, reservation, options);
    return this.#shareLargeWork(request, sender.network, bytes.length, () => {
      const { form, files, write } = readMultipart(bytes, boundary, this.#formLimits);
      const attempt = attemptOf(request, form);
      const id = attempt?.id ?? newSubmissionId();
      const writeWith = (other: string) => write((fileId) => fileUrl(sender.deploymentId, other, fileId));
      const submitted = { ...writeWith(id), form, files, id, isRetry: attempt !== undefined };
      return attempt ? { ...submitted, dataWithId: (other) => writeWith(other).text } : submitted;
    });
  }

  /** The refusal of a body that is too large. The texts of a visitor are read for it, without the files. */
  async #refuseLarge(
    request: IncomingMessage,
    boundary: string,
    { network, isVisitor }: Sender,
    reservation: MemoryReservation,
  ): Promise<HttpError> {
    const { maxBytes, maxFields } = this.#formLimits;
    const isRead = isVisitor && boundary.length <= SIZES.submission.maxBoundaryChars;
    if (!isRead || request.headers['content-encoding'] !== undefined) {
      return new HttpError(
        413,
        `The submission is too large: send at most ${maxBytes} bytes of names and values and ${this.#maxContentBytes} bytes of files.`,
      );
    }
    const { filter, sizes } = createDropFiles(boundary, maxFields);
    const limit = Math.max(this.#maxTextBytes + this.#maxContentBytes, this.#maxDroppedBodyBytes);
    const kept = await this.#body.bytes(request, limit, reservation, { filter, decodedLimit: this.#maxTextBytes });
    return this.#shareLargeWork(request, network, kept.length, () =>
      refusalOfLarge(kept, boundary, sizes, this.#formLimits),
    );
  }
}
