import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Network } from './connection-shares.ts';

/** A callback of llhttp that returns this stops the parser behind the headers of its request (HPE_PAUSED in llhttp.h). */
const PAUSED = 21;
/** The code of the error with which node:http then passes on what was not parsed. */
const PAUSED_CODE = 'HPE_PAUSED';

/** The parts of node:http's parser of a connection that are used here. */
type Parser = { onIncoming: (request: IncomingMessage, keepAlive: boolean) => number; resume: () => void };

const isParser = (value: unknown): value is Parser =>
  typeof value === 'object' &&
  value !== null &&
  'onIncoming' in value &&
  typeof value.onIncoming === 'function' &&
  'resume' in value &&
  typeof value.resume === 'function';

/** The bytes of an error of the parser that were not parsed; undefined when the parser was not paused. */
function unparsedOf(error: NodeJS.ErrnoException): Buffer | undefined {
  if (error.code !== PAUSED_CODE || !('rawPacket' in error) || !('bytesParsed' in error)) return undefined;
  const { rawPacket, bytesParsed } = error;
  return Buffer.isBuffer(rawPacket) && typeof bytesParsed === 'number' ? rawPacket.subarray(bytesParsed) : undefined;
}

/**
 * Holds the further requests of a connection back while too many of it are unanswered. node:http reads up to 64 KiB at once, which
 * can be thousands of requests, and makes a request and an answer of each: pausing the socket alone comes too late. It has no
 * public way to stop there, so the parser's own callback is replaced.
 */
export class Pipeline {
  readonly network: Network;
  readonly #socket: Socket;
  readonly #parser: Parser | undefined;
  /** Bytes that were read, and wait to be parsed. */
  #rest: Buffer | undefined;
  #isHeld = false;

  /** `mayGoOn`: whether another request may begin after the one that has just begun. */
  constructor(socket: Socket, network: Network, mayGoOn: () => boolean) {
    this.network = network;
    this.#socket = socket;
    const parser: unknown = Reflect.get(socket, 'parser');
    this.#parser = isParser(parser) ? parser : undefined;
    if (this.#parser) this.#watch(this.#parser, mayGoOn);
    // Reading a body resumes the socket.
    socket.on('resume', () => this.#onResume());
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Keeps the bytes that were not parsed; false when the error has another reason. */
  keep(error: NodeJS.ErrnoException): boolean {
    const unparsed = this.#isHeld ? unparsedOf(error) : undefined;
    if (!unparsed) return false;
    this.#wait(this.#rest ? Buffer.concat([this.#rest, unparsed]) : unparsed);
    return true;
  }

  /** Has what waits parsed, and more read. */
  release(): void {
    this.#isHeld = false;
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

  #watch(parser: Parser, mayGoOn: () => boolean): void {
    const { onIncoming } = parser;
    parser.onIncoming = (request, keepAlive) => {
      const result = onIncoming(request, keepAlive);
      if (result !== 0 || mayGoOn()) return result;
      this.#isHeld = true;
      this.#socket.pause();
      // The parser stops behind a request to upgrade anyway, and does not pass on what follows.
      return request.headers.upgrade === undefined ? PAUSED : result;
    };
  }

  #onResume(): void {
    if (this.#isHeld) {
      this.#socket.pause();
      return;
    }
    // node:http has paused it again where answers pile up, and resumes it itself.
    if (this.#rest === undefined || this.#socket.isPaused() || this.#socket.destroyed) return;
    const rest = this.#rest;
    this.#wait(undefined);
    this.#parser?.resume();
    // node:http parses what the socket emits. The end of a request may be due, even if no byte is left.
    this.#socket.emit('data', rest);
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
