import type { IncomingMessage } from 'node:http';
import { FairQueue } from '../lib/fair-queue.ts';
import type { Limits } from '../limits.ts';
import { type Fence, FencedAgent } from './webhooks/fenced-agent.ts';

/** JSON, as itself or under a name of its own (RFC 6838, 4.2.8). */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i;
const OK = 200;

/** The document cannot be had; the message says why. */
class UnreadableDocument extends Error {}

/** `cacheControl`: the header of that name, which says how long it may be kept. */
type ReadDocument = { json: unknown; cacheControl: string };

/** Reads JSON documents that strangers name, only from addresses that webhooks may reach. */
export class DocumentReader {
  readonly #limits: Limits['documents'];
  readonly #own: Fence['own'];
  readonly #agent: FencedAgent;
  // A slow host has a part of all.
  readonly #queue = new FairQueue<string>({ slots: 16, slotsOfKey: 4, maxWaiting: 500 });

  constructor({ limits, ...fence }: Fence & { limits: Limits }) {
    this.#limits = limits.documents;
    this.#own = fence.own;
    this.#agent = new FencedAgent({ ...fence, limits, dnsTimeoutMs: limits.documents.dnsTimeoutMs });
  }

  /** Settles within two time-outs. Throws UnreadableDocument. No redirect is followed: it could lead anywhere. */
  async read(url: URL, maxBytes: number): Promise<ReadDocument> {
    if (this.#own.isIn(url)) throw new UnreadableDocument('it leads back to this service');
    const { slotTimeoutMs, readTimeoutMs } = this.#limits;
    const headers = { accept: 'application/json', 'user-agent': 'formhost', connection: 'close' };
    try {
      return await this.#queue.run(url.host, slotTimeoutMs, () =>
        this.#agent.request({ url, headers, signal: AbortSignal.timeout(readTimeoutMs) }, (response) =>
          parse(response, maxBytes),
        ),
      );
    } catch (error) {
      if (error instanceof UnreadableDocument) throw error;
      // The reason would tell strangers how this machine sees the network.
      throw new UnreadableDocument('it cannot be reached');
    }
  }

  /** Refuses the documents that wait, and closes all connections. */
  async close(): Promise<void> {
    this.#queue.close();
    await this.#agent.close();
  }
}

async function parse(response: IncomingMessage, maxBytes: number): Promise<ReadDocument> {
  const { statusCode, headers } = response;
  if (statusCode !== OK) throw new UnreadableDocument(`its status is ${statusCode}, and not 200`);
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw new UnreadableDocument('its type is not application/json');
  if (headers['content-encoding'] !== undefined) throw new UnreadableDocument('it is compressed');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UnreadableDocument(`it is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return { json: JSON.parse(text), cacheControl: headers['cache-control'] ?? '' };
  } catch {
    throw new UnreadableDocument('it is not JSON');
  }
}
