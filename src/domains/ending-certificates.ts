import pLimit from 'p-limit';
import { findLiveSlug } from '../db/deployments/take-down-queries.ts';
import { listServedDomains } from '../db/domains/ending-domain-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import { type CertificatePlace, endsSoon, readCertificate } from './certificate.ts';

const HTTPS_PORT = 443;
/** Custom domains whose certificates are read: those that were looked up last. */
const MAX_DOMAINS = 100;
const CONCURRENT = 5;
const TIMEOUT_MS = 5_000;

/** `targetOf`: the host to which the domains of a page lead. */
type Addresses = { baseUrl: string; pageUrl(slug: string): string; targetOf(slug: string): string };

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** The server of an https URL, asked for the certificate of `name`. */
function placeOf(url: string, host?: string, name?: string): CertificatePlace[] {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return [];
  return [{ host: host ?? bare(hostname), port: Number(port || HTTPS_PORT), name: name ?? bare(hostname) }];
}

/** The servers of the API, of the newest page and of custom domains. */
async function placesOf(db: Database, { baseUrl, pageUrl, targetOf }: Addresses): Promise<CertificatePlace[]> {
  const newest = await findLiveSlug(db);
  const domains = await listServedDomains(db, MAX_DOMAINS);
  return [
    ...placeOf(baseUrl),
    ...(newest === undefined ? [] : placeOf(pageUrl(newest))),
    // Nothing is sent to the addresses that a domain's owner has given it.
    ...domains.flatMap(({ domain, slug }) => placeOf(pageUrl(slug), targetOf(slug), domain)),
  ];
}

/**
 * Returns how many of the certificates that servers give for our names end soon. undefined: there are no such names. Rejects where
 * no server gives one.
 */
export async function countEndingCertificates(db: Database, addresses: Addresses): Promise<number | undefined> {
  const places = await placesOf(db, addresses);
  if (places.length === 0) return undefined;
  const limit = pLimit(CONCURRENT);
  const read = await Promise.allSettled(places.map((place) => limit(() => readCertificate(place, TIMEOUT_MS))));
  const found = read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (found.length === 0) throw new Error('no server gives a certificate');
  return found.filter((validity) => endsSoon(validity)).length;
}
