import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { z } from 'zod';
import type { ComputePool } from '../../compute/pool.ts';
import { type ReadMembers, readMembers, type UnknownMembers } from '../../compute/read-members.ts';
import { FairQueue } from '../../lib/fair-queue.ts';
import type { Limits } from '../../limits.ts';
import type { ValueError } from '../../problems/value-errors.ts';
import { SIZES } from '../../sizes.ts';
import { HttpError } from '../response/errors.ts';
import { MemoryBudget, type MemoryReservation } from '../response/memory-budget.ts';
import { pauseDeadline } from './deadline.ts';
import { type BodyForm, checkFields, mediaType, notJson, type OtherForm, otherFormOf, toObject } from './json-body.ts';
import { queryValues } from './query-values.ts';
import { decode, encodingOf, receive, tooManyUploads } from './receive-body.ts';
import { unknownFieldsNotices } from './unknown-fields.ts';

/** A larger JSON body is parsed in a thread, one of each owner at a time. */
const JSON_IN_THREAD_BYTES = 128 * 1024;

/** The values that a request sends for the fields of a schema, unchecked, and its other members. */
type SentMembers = { values: Record<string, unknown>; unknown?: UnknownMembers | undefined };

/** The error of fields that are sent in the query. */
function inQuery(names: readonly string[]): HttpError {
  const errors = names.map((name): ValueError => {
    const detail = `{${name}} is in the query: with a JSON body, send it in the body.`;
    return { parameter: name, code: 'not-allowed', detail };
  });
  return new HttpError(400, errors[0]?.detail ?? '', {}, { errors });
}

/** The fields of a body that is not JSON, and of the query. */
function withQuery(
  read: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
  { names, form }: { names: readonly string[]; form: OtherForm },
): SentMembers {
  const others = Object.keys(read).filter((name) => !names.includes(name));
  const values = { ...query, ...Object.fromEntries(Object.entries(read).filter(([name]) => names.includes(name))) };
  for (const [name, value] of Object.entries(query)) {
    // Sent in both places, it is a list, which no field accepts.
    if (form.parts && Object.hasOwn(read, name)) values[name] = [value, read[name]];
  }
  const unknown = { names: others.slice(0, SIZES.json.maxUnknownNames), count: others.length };
  return { values, unknown: others.length > 0 ? unknown : undefined };
}

/** Reads the bodies of requests, and bounds the memory that they use together. */
export class BodyReader {
  readonly #budget: MemoryBudget;
  readonly #compute: Pick<ComputePool, 'run'>;
  readonly #limits: Limits['requests'];
  /** Decoding a few bytes can take long: each client has one slot, and the client that used the least time is served next. */
  readonly #decoding: FairQueue<string | number>;

  /** `largest`: bytes of the largest body that has to fit. */
  constructor(largest: number, compute: Pick<ComputePool, 'run'>, limits: Limits) {
    this.#budget = new MemoryBudget(largest, limits);
    this.#compute = compute;
    this.#limits = limits.requests;
    this.#decoding = new FairQueue({ slots: 2, maxWaiting: this.#limits.maxWaitingDecodings });
  }

  /**
   * A reservation of memory for a body, to be disposed of when the body is no longer needed. `client`: whose body it is, a
   * network or an owner.
   */
  reserve(client: string | number): MemoryReservation {
    return this.#budget.reserve(client);
  }

  /**
   * The body, decoded, at most `limit` bytes, else 413; 503 when the memory budget of its client, or of all clients, is
   * used up.
   */
  async bytes(request: IncomingMessage, limit: number, reservation: MemoryReservation): Promise<Buffer> {
    const encoding = encodingOf(request);
    const body = await receive(request, limit, reservation);
    if (!encoding || body.length === 0) return body;
    const decoded = await this.#decoding.run(reservation.client, this.#limits.decodingWaitTimeoutMs, () =>
      decode(body, encoding, limit),
    );
    if (decoded.length > SIZES.body.smallBytes) {
      if (!reservation.fits(decoded.length)) throw tooManyUploads();
      reservation.add(decoded.length);
    }
    return decoded;
  }

  /**
   * The fields that a request sends, as the schema says; an absent body reads as `{}`. `notify` is called with a sentence
   * where the body has others, which are ignored.
   */
  async fields<S extends z.ZodObject>(
    request: Request,
    ownerId: number,
    declared: BodyForm<S>,
    notify?: (sentence: string) => void,
  ): Promise<z.infer<S>> {
    const { schema, others } = declared;
    const form = otherFormOf(request, others);
    const { 'content-length': length = 0, 'transfer-encoding': transfer } = request.headers;
    const isSent = form !== undefined || transfer !== undefined || Number(length) > 0;
    const sent: SentMembers = isSent ? await this.#read(request, ownerId, declared, form) : { values: {} };
    // The field that is missing may be one of these.
    if (notify) for (const sentence of unknownFieldsNotices(sent, schema)) notify(sentence);
    const fields = checkFields(sent.values, schema, { notify, form });
    // Ignored, a slug in the query would publish the page elsewhere than its owner expects.
    const misplaced = others && !form ? Object.keys(queryValues(request.url, Object.keys(schema.shape))) : [];
    if (misplaced.length > 0) throw inQuery(misplaced);
    return fields;
  }

  /** A large body, and what is read of it, is in memory until the request has been answered. */
  async #read(
    request: Request,
    ownerId: number,
    {
      schema,
      maxBytes = SIZES.body.settingsBytes,
      longLevels = 0,
      longLists,
      site,
      others,
      isFile,
    }: BodyForm<z.ZodObject>,
    form: OtherForm | undefined,
  ): Promise<SentMembers> {
    if (!form && (isFile || mediaType(request)?.type !== 'application/json')) throw notJson(others, isFile);
    const names = Object.keys(schema.shape);
    const { res: response } = request;
    const reservation = this.reserve(ownerId);
    response?.once('close', () => reservation[Symbol.dispose]());
    const body = await this.bytes(request, form?.maxBytes ?? maxBytes, reservation);
    const resumeDeadline = response && pauseDeadline(response);
    try {
      if (form) {
        const read = await form.read(body, { request, ownerId, reservation });
        return withQuery(read, queryValues(request.url, names), { names, form });
      }
      if (body.length === 0) return { values: {} };
      const read = await this.#members(ownerId, { body, names, longLevels, longLists: longLists === true, site });
      return { values: toObject(read), unknown: read.unknown };
    } finally {
      resumeDeadline?.();
    }
  }

  /** The members of a JSON object with these names. */
  async #members(ownerId: number, input: Parameters<typeof readMembers>[0]): Promise<ReadMembers> {
    if (input.body.length <= JSON_IN_THREAD_BYTES) return readMembers(input);
    return this.#compute.run(ownerId, this.#limits.jsonWaitTimeoutMs, (thread) =>
      thread.run('readMembers', input, input.body.buffer instanceof ArrayBuffer ? [input.body.buffer] : []),
    );
  }
}
