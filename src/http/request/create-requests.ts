import type { ComputePool } from '../../compute/pool.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/postgres/connect.ts';
import type { Limits } from '../../limits.ts';
import { ResponseWriter } from '../response/response-writer.ts';
import { Authentication } from './auth.ts';
import { BodyReader } from './body.ts';
import { clientAddressFrom } from './client-address.ts';
import type { Hosts } from './hosts.ts';
import { OwnerQueue } from './owner-queue.ts';
import { SessionCookie } from './session-cookie.ts';

type RequestSources = {
  config: Config;
  limits: Limits;
  db: Database;
  /** The thread that reads large bodies. */
  reads: Pick<ComputePool, 'run'>;
  hosts: Hosts;
};

/** Makes the parts that read requests and write answers. */
export function createRequests({ config, limits, db, reads, hosts }: RequestSources) {
  const clientAddress = clientAddressFrom(config.trustProxy);
  const sessionCookie = new SessionCookie(config.baseUrl);
  // A site may be larger than a client's half of the budget: the first body of a client always fits.
  const largest = Math.max(config.maxHtmlBytes, config.maxFilesBytes);
  return {
    hosts,
    clientAddress,
    sessionCookie,
    authentication: new Authentication(db, clientAddress, sessionCookie),
    ownerQueue: new OwnerQueue(limits),
    bodyReader: new BodyReader(largest, reads, limits),
    responseWriter: new ResponseWriter({ largest: config.maxHtmlBytes, limits }),
  };
}
