import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Limits, SIZES } from '../limits.ts';
import { tooSlow } from './deadline.ts';
import { HttpError, retryAfter } from './errors.ts';

/**
 * Bounds how many requests of one owner use the processor and the database at a time. A request that waits for its
 * client to send a body or to read an answer uses neither, and releases its slot for that time.
 */
export type OwnerConcurrency = {
  /**
   * Settles when the request has one of its owner's slots. It keeps the slot until its `response` is both ended and
   * closed: the work continues after a client has left. Throws 503 after `requestWaitTimeoutMs`, or when the client
   * leaves before.
   */
  begin(request: IncomingMessage, response: ServerResponse, ownerId: number): Promise<void>;
  /** Gives the slot to the next request of the same owner. */
  release(request: IncomingMessage): void;
  /** Settles when the request has a slot again, before those that have not begun. Throws when its client has left. */
  resume(request: IncomingMessage): Promise<void>;
};

type Waiting = { start(): void };
/** `releasedAt`: when a slot was last released, as performance.now() returns it. */
type Owner = { working: number; releasedAt: number; resuming: Set<Waiting>; waiting: Set<Waiting> };
type Slot = { ownerId: number; response: ServerResponse; isHeld: boolean; isEnded: boolean; isClosed: boolean };

const tooManyRequests = (): HttpError =>
  new HttpError(
    503,
    'Too many requests of this API key are under way: wait for their answers, then try again.',
    retryAfter(SIZES.retryAfter.ownerBusyMs),
  );
/** Stops the work. No client receives this answer. */
const clientLeft = (): HttpError => new HttpError(503, 'The client has left.');

export function createOwnerConcurrency({ owners: limits }: Limits): OwnerConcurrency {
  const owners = new Map<number, Owner>();
  const slots = new WeakMap<IncomingMessage, Slot>();

  function ownerOf(ownerId: number): Owner {
    const owner = owners.get(ownerId) ?? {
      working: 0,
      releasedAt: Number.NEGATIVE_INFINITY,
      resuming: new Set<Waiting>(),
      waiting: new Set<Waiting>(),
    };
    owners.set(ownerId, owner);
    return owner;
  }

  function releaseSlot(ownerId: number): void {
    const owner = ownerOf(ownerId);
    owner.releasedAt = performance.now();
    const [next] = owner.resuming.size > 0 ? owner.resuming : owner.waiting;
    if (next) next.start();
    else {
      owner.working -= 1;
      if (owner.working === 0) owners.delete(ownerId);
    }
  }

  function release(request: IncomingMessage): void {
    const slot = slots.get(request);
    if (!slot?.isHeld) return;
    slot.isHeld = false;
    releaseSlot(slot.ownerId);
  }

  /**
   * Waits for a slot to be released. Rejects when the client leaves, and after `requestWaitTimeoutMs` when the request
   * has not begun.
   */
  const wait = (owner: Owner, response: ServerResponse, queue: 'resuming' | 'waiting'): Promise<void> =>
    new Promise((resolve, reject) => {
      const since = performance.now();
      const leave = (): void => {
        clearTimeout(timer);
        response.off('close', onClose);
        owner[queue].delete(waiting);
      };
      const refuse = (error: HttpError): void => {
        leave();
        reject(error);
      };
      const onClose = (): void => refuse(clientLeft());
      const waiting: Waiting = {
        start() {
          leave();
          resolve();
        },
      };
      // When no slot was released meanwhile, the cause is a slow database, and not the number of requests.
      const onTimeout = (): void => refuse(owner.releasedAt < since ? tooSlow() : tooManyRequests());
      const timer = queue === 'waiting' ? setTimeout(onTimeout, limits.requestWaitTimeoutMs) : undefined;
      owner[queue].add(waiting);
      response.once('close', onClose);
    });

  return {
    release,
    async begin(request, response, ownerId) {
      if (response.closed) throw clientLeft();
      const owner = ownerOf(ownerId);
      if (owner.working < limits.workingRequests) owner.working += 1;
      else if (owner.waiting.size >= limits.waitingRequests) throw tooManyRequests();
      else await wait(owner, response, 'waiting');
      const slot: Slot = { ownerId, response, isHeld: true, isEnded: response.writableEnded, isClosed: false };
      slots.set(request, slot);
      const releaseIfOver = (): void => {
        if (slot.isEnded && slot.isClosed) release(request);
      };
      response.once('close', () => {
        slot.isClosed = true;
        releaseIfOver();
      });
      const { end } = response;
      // There is no event for the call of end(): a response whose client has stopped reading never finishes.
      Object.defineProperty(response, 'end', {
        value: (...args: unknown[]): unknown => {
          slot.isEnded = true;
          releaseIfOver();
          return Reflect.apply(end, response, args);
        },
      });
    },
    async resume(request) {
      const slot = slots.get(request);
      if (!slot || slot.isHeld) return;
      const { ownerId, response, isClosed } = slot;
      if (isClosed) throw clientLeft();
      const owner = ownerOf(ownerId);
      if (owner.working < limits.workingRequests) owner.working += 1;
      else await wait(owner, response, 'resuming');
      slot.isHeld = true;
    },
  };
}
