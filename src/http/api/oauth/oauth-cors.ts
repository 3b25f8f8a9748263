import cors from 'cors';
import { SIZES } from '../../../sizes.ts';
import { ANY_ORIGIN_HEADER, publicOperation } from '../../operation/operation.ts';
import { RATE_LIMIT_HEADERS } from '../../request/rate-limit.ts';
import { ERROR_CODE } from '../../response/errors.ts';

/** Programs may be pages of any origin. They send no cookies. */
export const oauthCors = (methods: 'GET' | 'POST') =>
  cors({
    methods,
    allowedHeaders: ['Content-Type', 'Mcp-Protocol-Version'],
    exposedHeaders: ['Retry-After', ...Object.keys(RATE_LIMIT_HEADERS), ERROR_CODE],
    maxAge: SIZES.submission.preflightSeconds,
    preflightContinue: true,
  });

/** Declares the preflight of a path that has `oauthCors` before it. */
export const oauthPreflight = (path: string, name: string) =>
  publicOperation('OPTIONS', path, name, {
    summary: 'Allow pages of any origin to send it (CORS preflight)',
    description: 'Browsers send it by themselves (CORS). Any origin may ask, without cookies.',
    answer: { status: 204, description: 'The page may ask.', headers: ANY_ORIGIN_HEADER },
    handle: async (_request, response) => void response.end(),
  });
