import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Network } from './connection-shares.ts';

/** A callback of llhttp that returns this stops the parser behind the headers of its request (HPE_PAUSED in llhttp.h). */
const PAUSED = 21;
/** The code of the error with which node:http then passes on what was not parsed. */
const PAUSED_CODE = 'HPE_PAUSED';

/** The end of a Transfer-Encoding (RFC 9112, 6.1). */
const CHUNKED = /chunked[ \t]*$/i;
/** Bytes of chunked bodies that are parsed at a time: a chunk of one byte takes as long as one of many. */
const SLICE_BYTES = 1024;
/** The time for which the bytes of a connection are parsed before those of others. */
const TURN_MS = 0.5;

/** The parts of node:http's parser of a connection that are used here. */
type Parser = { onIncoming: (request: IncomingMessage, keepAlive: boolean) => number; resume: () => void };

const isParser = (value: unknown): value is Parser =>
  typeof value === 'object' &&
  value !== null &&
  'onIncoming' in value &&
  typeof value.onIncoming === 'function' &&
  'resume' in value &&
  typeof value.resume === 'function';

/** How many bytes of an error of the parser were not parsed; undefined when the parser was not paused. */
function unparsedOf(error: NodeJS.ErrnoException): Buffer | undefined {
  if (error.code !== PAUSED_CODE || !('rawPacket' in error) || !('bytesParsed' in error)) return undefined;
  const { rawPacket, bytesParsed } = error;
  return Buffer.isBuffer(rawPacket) && typeof bytesParsed === 'number' ? rawPacket.subarray(bytesParsed) : undefined;
}

type PipelineContext = { network: Network; released: ReleasedPipelines; mayGoOn(): boolean };

/**
 * Stops parsing what a connection has sent: the further requests, while too many are unanswered, and chunked bodies, after each turn.
 * node:http reads up to 64 KiB at once, which can be thousands of requests, and makes a request and an answer of each; or ten
 * thousand chunks. Pausing the socket alone comes too late. It has no public way to stop there, so the parser's own callback is replaced.
 */
export class Pipeline {
  readonly network: Network;
  readonly #socket: Socket;
  readonly #released: ReleasedPipelines;
  readonly #mayGoOn: () => boolean;
  readonly #parser: Parser | undefined;
  /** Parses bytes, as node:http does; set once there was a chunked body. */
  #parse: ((bytes: Buffer) => void) | undefined;
  /** Bytes that were read, and wait to be parsed. */
  #rest: Buffer | undefined;
  /** True if the pipeline waits until requests are answered. `#awaitsTurn`: it waits for its turn. */
  #isHeld = false;
  #awaitsTurn = false;
  #hasChunks = false;

  /** `mayGoOn`: whether another request may begin after the one that has just begun. */
  constructor(socket: Socket, { network, released, mayGoOn }: PipelineContext) {
    this.network = network;
    this.#socket = socket;
    this.#released = released;
    this.#mayGoOn = mayGoOn;
    const parser: unknown = Reflect.get(socket, 'parser');
    this.#parser = isParser(parser) ? parser : undefined;
    if (this.#parser) this.#watch(this.#parser);
    // Reading a body resumes the socket.
    socket.on('resume', () => this.#onResume());
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Keeps the bytes that were not parsed; false when the error has another reason. */
  keep(error: NodeJS.ErrnoException): boolean {
    const unparsed = this.#isHeld || this.#awaitsTurn ? unparsedOf(error) : undefined;
    if (!unparsed) return false;
    // It is the end of a slice of the rest, or there is no rest.
    this.#wait(this.#rest ? Buffer.concat([unparsed, this.#rest]) : unparsed);
    if (this.#awaitsTurn) this.#released.add(this);
    return true;
  }

  /** Goes on when enough requests are answered. */
  answered(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#awaitTurn();
  }

  /** Has what waits parsed, and more read. */
  release(): void {
    this.#awaitsTurn = false;
    this.#socket.resume();
  }

  /** Drops what waits: the connection has closed. */
  end(): void {
    this.#wait(undefined);
  }

  #wait(rest: Buffer | undefined): void {
    // A part of a buffer keeps the whole of it in memory.
    this.network.waitingBytes += (rest?.buffer.byteLength ?? 0) - (this.#rest?.buffer.byteLength ?? 0);
    this.#rest = rest;
  }

  #watch(parser: Parser): void {
    const { onIncoming } = parser;
    parser.onIncoming = (request, keepAlive) => {
      const result = onIncoming(request, keepAlive);
      const { upgrade, 'transfer-encoding': encoding } = request.headers;
      // The parser refuses any other coding at once.
      const isChunked = encoding !== undefined && CHUNKED.test(encoding);
      const mayGoOn = this.#mayGoOn();
      this.#hasChunks ||= isChunked;
      if (result !== 0 || (mayGoOn && (!isChunked || this.#parse))) return result;
      if (mayGoOn) this.#awaitsTurn = true;
      else this.#isHeld = true;
      this.#socket.pause();
      // The parser stops behind a request to upgrade anyway, and does not pass on what follows.
      if (upgrade === undefined) return PAUSED;
      if (mayGoOn) this.#released.add(this);
      return result;
    };
  }

  /** Has the socket pass on what it reads, which node:http would parse as a whole; returns what parses it. */
  #takeOver(): (bytes: Buffer) => void {
    const socket = this.#socket;
    const listeners = socket.listeners('data');
    socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
      this.#wait(this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes);
      this.#awaitTurn();
    });
    return (bytes) => {
      for (const listener of listeners) Reflect.apply(listener, socket, [bytes]);
    };
  }

  #onResume(): void {
    if (this.#isHeld || this.#awaitsTurn) {
      this.#socket.pause();
      return;
    }
    // Here, where no byte is being parsed, and the socket reads again.
    if (this.#hasChunks) this.#parse ??= this.#takeOver();
    this.#parseRest();
  }

  /** node:http has paused the socket again where answers pile up, and resumes it itself. It takes the parser away at a CONNECT. */
  #canParse(): boolean {
    const socket = this.#socket;
    return !socket.isPaused() && !socket.destroyed && Reflect.get(socket, 'parser') === this.#parser;
  }

  #parseRest(): void {
    const until = performance.now() + TURN_MS;
    while (this.#rest !== undefined && this.#canParse()) {
      const rest = this.#rest;
      const slice = this.#parse ? rest.subarray(0, SLICE_BYTES) : rest;
      this.#wait(slice.length < rest.length ? rest.subarray(slice.length) : undefined);
      this.#parser?.resume();
      // The end of a request may be due, even if no byte is left.
      if (this.#parse) this.#parse(slice);
      else this.#socket.emit('data', slice);
      if (this.#rest === undefined || this.#isHeld || performance.now() < until) continue;
      this.#awaitTurn();
    }
  }

  #awaitTurn(): void {
    this.#awaitsTurn = true;
    this.#socket.pause();
    this.#released.add(this);
  }
}

type Released = Pick<Pipeline, 'network' | 'release'>;

/** Goes on with one connection of each network in each turn of the event loop: the others have their turn between. */
export class ReleasedPipelines {
  readonly #byNetwork = new Map<Network, Set<Released>>();

  add(pipeline: Released): void {
    const same = this.#byNetwork.get(pipeline.network);
    if (same) {
      same.add(pipeline);
      return;
    }
    this.#byNetwork.set(pipeline.network, new Set([pipeline]));
    if (this.#byNetwork.size === 1) setImmediate(() => this.#releaseNext());
  }

  #releaseNext(): void {
    for (const [network, pipelines] of this.#byNetwork) {
      const [pipeline] = pipelines;
      if (pipeline) {
        pipelines.delete(pipeline);
        pipeline.release();
      }
      if (pipelines.size === 0) this.#byNetwork.delete(network);
    }
    if (this.#byNetwork.size > 0) setImmediate(() => this.#releaseNext());
  }
}
