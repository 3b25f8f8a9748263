import { expect } from 'vitest';

/** Matches any message. */
export const aSentence = expect.stringMatching(/\S/);

/** A time as the API and the commands write it: ISO 8601 in UTC, with milliseconds. */
export const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The body of every refusal. */
export const failure = { error: aSentence };

/** The parts of an answer that are compared: its status and its body. */
export const answer = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

/** The answer of a refusal with this status. */
export const refused = (status: number) => ({ status, body: failure });

/** The headers of an answer of `fetch`, without those that differ each time. */
export function fixedHeaders({ headers }: Response): Record<string, string> {
  const { date: _date, 'x-request-id': _id, connection: _connection, ...fixed } = Object.fromEntries(headers);
  return fixed;
}
