import type { IncomingMessage } from 'node:http';
import type { NewFile } from '../../db/submission-files.ts';
import { newSubmissionId } from '../../ids.ts';
import { type Limits, SIZES } from '../../limits.ts';
import { type BodyReader, mediaType } from '../body.ts';
import { HttpError } from '../errors.ts';
import type { MemoryReservation } from '../memory-budget.ts';
import { createDropFiles } from './drop-files.ts';
import { readJson, readUrlencoded, type Submitted } from './form-body.ts';
import { readMultipart, refusalOfLarge } from './multipart.ts';
import { maxMultipartBytes } from './multipart-parts.ts';
import { attemptOf } from './sent-again.ts';
import type { ShareLargeWork } from './time-share.ts';

/**
 * `id` is that of an earlier attempt when it `isSentAgain`. `textUnder` returns the text under another id, which is in
 * the URLs of files.
 */
export type ParsedSubmission = Submitted & {
  id: string;
  isSentAgain: boolean;
  files?: readonly NewFile[];
  textUnder?: (id: string) => string;
};

/**
 * The client's network that a submission comes from, and the deployment that it is for. `isVisitor`: whether the answer is
 * a page for a visitor.
 */
export type Sender = { deploymentId: string; network: string; isVisitor: boolean };

/** Reads a submission in any of the three content types. Throws HttpError. */
type ReadSubmission = (
  request: IncomingMessage,
  sender: Sender,
  reservation: MemoryReservation,
) => Promise<ParsedSubmission>;

// The most bytes of a body for one decoded byte: \u0041 in JSON, %41 in a form; and the separators of a form.
const JSON_GROWTH = 6;
const FORM_GROWTH = 3;

/** The path of the API at which a file is downloaded. */
export const fileUrl = (deploymentId: string, submissionId: string, fileId: string): string =>
  `/submissions/${deploymentId}/${submissionId}/files/${fileId}`;

// Called when the body is complete: ids rise in the order in which submissions are stored.
function withId(request: IncomingMessage, submitted: Submitted): ParsedSubmission {
  const attempt = attemptOf(request, submitted.form);
  return { id: attempt?.id ?? newSubmissionId(), isSentAgain: attempt !== undefined, ...submitted };
}

export function createReadSubmission({
  body,
  shareLargeWork,
  maxSubmissionBytes,
  maxFileBytes,
  maxFilesBytes,
  limits,
}: {
  body: BodyReader;
  shareLargeWork: ShareLargeWork;
  maxSubmissionBytes: number;
  maxFileBytes: number;
  maxFilesBytes: number;
  limits: Limits;
}): ReadSubmission {
  const formLimits = {
    maxBytes: maxSubmissionBytes,
    maxFields: SIZES.submission.maxFields,
    maxFileBytes,
    maxFilesBytes,
  };
  const maxTextBytes = maxMultipartBytes(maxSubmissionBytes);
  const maxContentBytes = Math.min(SIZES.submission.maxFiles * maxFileBytes, maxFilesBytes);

  async function readParts(
    request: IncomingMessage,
    boundary: string | undefined,
    { deploymentId, network, isVisitor }: Sender,
    reservation: MemoryReservation,
  ): Promise<ParsedSubmission> {
    if (!boundary) throw new HttpError(400, 'The multipart body has no boundary: name it in the content type.');
    const maxBytes = maxTextBytes + maxContentBytes;
    if (Number(request.headers['content-length']) > maxBytes) {
      if (
        isVisitor &&
        boundary.length <= SIZES.submission.maxBoundaryChars &&
        request.headers['content-encoding'] === undefined
      ) {
        const { filter, sizes } = createDropFiles(boundary, SIZES.submission.maxFields);
        const limit = Math.max(maxBytes, limits.submissions.maxDroppedBodyBytes);
        const kept = await body.bytes(request, limit, reservation, { filter, decodedLimit: maxTextBytes });
        throw await shareLargeWork(request, network, kept.length, () =>
          refusalOfLarge(kept, boundary, sizes, formLimits),
        );
      }
      throw new HttpError(
        413,
        `The submission is too large: send at most ${maxSubmissionBytes} bytes of names and values and ${maxContentBytes} bytes of files.`,
      );
    }
    const bytes = await body.bytes(request, maxBytes, reservation, { decodedLimit: maxTextBytes });
    return shareLargeWork(request, network, bytes.length, () => {
      const { form, files, write } = readMultipart(bytes, boundary, formLimits);
      const attempt = attemptOf(request, form);
      const id = attempt?.id ?? newSubmissionId();
      const writeUnder = (under: string) => write((fileId) => fileUrl(deploymentId, under, fileId));
      const submitted = { ...writeUnder(id), form, files, id, isSentAgain: attempt !== undefined };
      return attempt ? { ...submitted, textUnder: (under) => writeUnder(under).text } : submitted;
    });
  }

  return async (request, sender, reservation) => {
    const contentType = mediaType(request);
    switch (contentType?.type) {
      case 'application/json': {
        const bytes = await body.bytes(request, maxSubmissionBytes * JSON_GROWTH, reservation);
        return shareLargeWork(request, sender.network, bytes.length, () =>
          withId(request, readJson(bytes, formLimits)),
        );
      }
      case 'application/x-www-form-urlencoded': {
        const bytes = await body.bytes(
          request,
          maxSubmissionBytes * FORM_GROWTH + SIZES.internal.formSeparatorBytes,
          reservation,
        );
        return shareLargeWork(request, sender.network, bytes.length, () =>
          withId(request, readUrlencoded(bytes, formLimits)),
        );
      }
      case 'multipart/form-data':
        return readParts(request, contentType.parameters.boundary, sender, reservation);
      default:
        throw new HttpError(
          415,
          'The content type is not supported: send application/json, application/x-www-form-urlencoded or multipart/form-data.',
        );
    }
  };
}
