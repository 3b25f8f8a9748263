import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';

/** The progress of a client, measured now and then. */
export type Watched = {
  /**
   * While an answer is being read: when the current measurement began (performance.now()), and how many bytes had been
   * sent.
   */
  pace?: { since: number; sent: number } | undefined;
  /** A request that was answered before it had arrived, and since when (performance.now()). */
  unreceived?: { request: IncomingMessage; since: number } | undefined;
};

/** Returns whether a client reads its answers too slowly, or goes on for too long with a request that was answered. */
export const isTooSlow = (socket: Socket, client: Watched, now: number, { server, requests }: Limits): boolean =>
  readsTooSlowly(socket, client, now, server) || sendsForTooLong(client, now, requests);

function readsTooSlowly(socket: Socket, client: Watched, now: number, limits: Limits['server']): boolean {
  if (socket.writableLength === 0) {
    client.pace = undefined;
    return false;
  }
  const sent = socket.bytesWritten - socket.writableLength;
  const { pace } = client;
  if (pace && sent - pace.sent < limits.readingPaceBytes) return now - pace.since >= limits.readingPaceMs;
  client.pace = { since: now, sent };
  return false;
}

function sendsForTooLong(client: Watched, now: number, { refusedBodyTimeoutMs }: Limits['requests']): boolean {
  const { unreceived } = client;
  if (unreceived?.request.complete === false) return now - unreceived.since >= refusedBodyTimeoutMs;
  client.unreceived = undefined;
  return false;
}
