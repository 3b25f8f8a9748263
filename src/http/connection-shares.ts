import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../lib/public-address.ts';
import type { Limits } from '../limits.ts';
import { type ClientAddress, peerAddress } from './request/client-address.ts';

/** Connections that are looked at to find an idle one: a search through all would take longer than accepting one. */
const LOOKED_AT = 16;

/** Whose requests come over a connection. `isProxy`: whether an address is that of a proxy that is trusted. */
export type Peers = { isProxy(address: string): boolean; clientAddress: ClientAddress };

/** The connections of one network, or of one proxy. */
export class Network {
  readonly name: string;
  readonly isProxy: boolean;
  /** The connections, about in the order in which they came. Connections that were looked at and are in use are at the end. */
  readonly sockets = new Set<Socket>();
  /** Requests without a finished answer. */
  unanswered = 0;
  /** Bytes that were read, and wait until earlier requests are answered. */
  waitingBytes = 0;

  constructor(name: string, isProxy: boolean) {
    this.name = name;
    this.isProxy = isProxy;
  }
}

/**
 * Counts the connections of each network, and closes some when there are too many: idle ones first, then the newest. A proxy may have
 * all connections of the process.
 */
export class ConnectionShares {
  readonly #limits: Limits['server'];
  readonly #peers: Peers;
  readonly #isIdle: (socket: Socket) => boolean;
  readonly #networks = new Map<string, Network>();
  /** The networks with each number of connections, so that the one with the most is known. */
  readonly #ofSize = new Map<number, Set<Network>>();
  #largestSize = 0;
  #total = 0;

  constructor(limits: Limits['server'], peers: Peers, isIdle: (socket: Socket) => boolean) {
    this.#limits = limits;
    this.#peers = peers;
    this.#isIdle = isIdle;
  }

  /** Adds a connection. It, or another one, is closed when its network, or the process, has too many. */
  add(socket: Socket): Network {
    const network = this.#networkAt(peerAddress(socket));
    network.sockets.add(socket);
    this.#resize(network, 1);
    const { connections, connectionsOfNetwork } = this.#limits;
    if (!network.isProxy && network.sockets.size > connectionsOfNetwork) {
      this.#close(network, this.#idleOf(network) ?? socket);
    } else if (this.#total > connections) this.#closeOneOfLargest(network, socket);
    return network;
  }

  /** Removes a connection that has closed. */
  remove(socket: Socket, network: Network): void {
    if (!network.sockets.delete(socket)) return;
    this.#resize(network, -1);
    if (network.sockets.size === 0) this.#networks.delete(network.name);
  }

  /** Returns whether a network has so many unanswered requests that its pipelining clients have to wait. */
  isCrowded({ isProxy, unanswered }: Network): boolean {
    return !isProxy && unanswered >= this.#limits.connectionsOfNetwork / 2;
  }

  #networkAt(address: string): Network {
    const isProxy = this.#peers.isProxy(address);
    const name = isProxy ? `proxy ${address}` : networkOf(address);
    const known = this.#networks.get(name);
    if (known) return known;
    const network = new Network(name, isProxy);
    this.#networks.set(name, network);
    return network;
  }

  /** The first idle one of those that are looked at. */
  #idleOf({ sockets }: Network): Socket | undefined {
    let left = LOOKED_AT;
    for (const socket of sockets) {
      if (this.#isIdle(socket)) return socket;
      sockets.delete(socket);
      sockets.add(socket);
      left -= 1;
      if (left === 0) return undefined;
    }
    return undefined;
  }

  #closeOneOfLargest(network: Network, newest: Socket): void {
    const [largest = network] = this.#ofSize.get(this.#largestSize) ?? [];
    const idle = this.#idleOf(largest);
    if (idle) this.#close(largest, idle);
    // A network with as few connections as the others keeps those that are in use.
    else if (largest.sockets.size <= network.sockets.size) this.#close(network, newest);
    else {
      const [inUse = newest] = largest.sockets;
      this.#close(largest, inUse);
    }
  }

  #close(network: Network, socket: Socket): void {
    this.remove(socket, network);
    socket.destroy();
  }

  /** Notes that a network has one connection more, or less. */
  #resize(network: Network, change: 1 | -1): void {
    const { size } = network.sockets;
    const before = this.#ofSize.get(size - change);
    before?.delete(network);
    if (before?.size === 0) this.#ofSize.delete(size - change);
    if (size > 0) {
      const same = this.#ofSize.get(size);
      if (same) same.add(network);
      else this.#ofSize.set(size, new Set([network]));
    }
    this.#total += change;
    if (size > this.#largestSize || !this.#ofSize.has(this.#largestSize)) this.#largestSize = size;
  }
}

/** Counts the requests under way of each client behind a proxy, whose connections are those of all its clients. */
export class ProxiedRequests {
  readonly #max: number;
  readonly #clientAddress: ClientAddress;
  readonly #ofClient = new Map<string, number>();
  /** Clients that have as many as they may. */
  #full = 0;

  constructor({ connectionsOfNetwork }: Limits['server'], { clientAddress }: Peers) {
    this.#max = connectionsOfNetwork;
    this.#clientAddress = clientAddress;
  }

  /**
   * Returns whether the client of a request has reached its maximum. A header is read for the address only while any client
   * has.
   */
  isFull(request: IncomingMessage): boolean {
    return this.#full > 0 && (this.#ofClient.get(this.#clientOf(request)) ?? 0) >= this.#max;
  }

  /** Counts a request; the returned function ends that. */
  add(request: IncomingMessage): () => void {
    const client = this.#clientOf(request);
    this.#count(client, 1);
    return () => this.#count(client, -1);
  }

  #clientOf(request: IncomingMessage): string {
    return networkOf(this.#clientAddress(request));
  }

  #count(client: string, change: 1 | -1): void {
    const before = this.#ofClient.get(client) ?? 0;
    const count = before + change;
    if (count > 0) this.#ofClient.set(client, count);
    else this.#ofClient.delete(client);
    this.#full += Number(count >= this.#max) - Number(before >= this.#max);
  }
}
