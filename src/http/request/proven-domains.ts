import limitConcurrency from 'p-limit';
import { findProven, listProven, type ProvenDomain } from '../../db/domains/proven-domains.ts';
import type { Database } from '../../db/postgres/connect.ts';
import { NO_SLUG } from './hosts.ts';

/** Domains that are read together. */
const MAX_READ = 10_000;

/** The custom domains that are proven, all in memory: 100,000 take some 25 MB. */
export class ProvenDomains {
  readonly #db: Database;
  /** The slug of the page at each domain; NO_SLUG where none is served. */
  #slugs = new Map<string, string>();
  /** The domains of each deployment. */
  #domains = new Map<string, string[]>();
  /** One read at a time: a read that ends late would replace newer rows. */
  readonly #inTurn = limitConcurrency(1);

  constructor(db: Database) {
    this.#db = db;
  }

  /** The slug of the page at a domain, NO_SLUG where none is served; undefined for a domain that is not proven. */
  slugOf(domain: string): string | undefined {
    return this.#slugs.get(domain);
  }

  /** The domains at which the page of a deployment is served. */
  domainsOf({ id, slug }: { id: string; slug: string }): string[] {
    return (this.#domains.get(id) ?? []).filter((domain) => this.#slugs.get(domain) === slug);
  }

  /** Reads the domains of deployments that have changed. */
  read(deploymentIds: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const ids = [...new Set(deploymentIds)];
      const known = ids.flatMap((id) => this.#domains.get(id) ?? []);
      const rows = await findProven(this.#db, ids, known);
      for (const domain of known) this.#slugs.delete(domain);
      for (const id of ids) this.#domains.delete(id);
      this.#keep(rows);
    });
  }

  /** Reads all. Until that has succeeded, what was known stays. */
  readAll(): Promise<void> {
    return this.#inTurn(async () => {
      const all: ProvenDomain[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const rows: ProvenDomain[] = await listProven(this.#db, after, MAX_READ);
        all.push(...rows);
        after = rows.length < MAX_READ ? undefined : rows.at(-1)?.domain;
      }
      this.#slugs = new Map();
      this.#domains = new Map();
      this.#keep(all);
    });
  }

  #keep(rows: readonly ProvenDomain[]): void {
    for (const { domain, deploymentId, slug } of rows) {
      this.#slugs.set(domain, slug ?? NO_SLUG);
      const domains = this.#domains.get(deploymentId);
      if (!domains) this.#domains.set(deploymentId, [domain]);
      else if (!domains.includes(domain)) domains.push(domain);
    }
  }
}
