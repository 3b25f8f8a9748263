import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler } from 'express';
import { SIZES } from '../../sizes.ts';

/** A shorter answer is not compressed: it fits into one packet. */
const MIN_COMPRESSED_BYTES = 1_024;

/** Answers that are compressed at a time. Each uses up to a MiB until it has been read. */
const MAX_ENCODERS = 64;

const COMPRESSED_TYPES = /^(?:application\/(?:(?:problem\+)?json|x-ndjson)|text\/csv)\b/;

/** Returns whether an answer is a text of the API. A submitted file has a length and a disposition. */
function isCompressible({ headers }: IncomingMessage, response: ServerResponse): boolean {
  const length = Number(response.getHeader('Content-Length') ?? Number.POSITIVE_INFINITY);
  const isFile = response.hasHeader('Content-Disposition') && Number.isFinite(length);
  return (
    !isFile &&
    !response.hasHeader('Content-Encoding') &&
    length > MIN_COMPRESSED_BYTES &&
    COMPRESSED_TYPES.test(String(response.getHeader('Content-Type'))) &&
    (headers['accept-encoding'] ?? '').length <= SIZES.internalHeaders.acceptChars
  );
}

/**
 * Compresses the answers of the API. An encoder uses memory until its answer has been read: while there are many, other answers
 * are sent as they are.
 */
export function compressAnswers(): RequestHandler {
  let encoders = 0;
  return compression({
    threshold: 0,
    // A page of 100 submissions (25 KB) takes 0.3 ms and becomes a fifth as long; the highest quality would take a hundred times
    // as long and save a tenth more. The window bounds the memory.
    level: 3,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } },
    filter(request, response) {
      if (!isCompressible(request, response)) return false;
      // The length of the body that GET would get is not known.
      if (request.method === 'HEAD' && /br|gzip|deflate|\*/i.test(String(request.headers['accept-encoding'])))
        response.removeHeader('Content-Length');
      if (encoders >= MAX_ENCODERS || response.closed) return false;
      encoders += 1;
      response.once('close', () => {
        encoders -= 1;
      });
      return true;
    },
  });
}
