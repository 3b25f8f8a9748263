import limitConcurrency from 'p-limit';
import { findProven, listProven, type ProvenDomain } from '../../db/domains/proven-domain-queries.ts';
import type { Database } from '../../db/postgres/connect.ts';

/** Domains that are read together. */
const MAX_READ = 10_000;

/** The page at a host: its slug, null where none is served. `deploymentId`: at a custom domain, the deployment that has it. */
export type PageAt = { slug: string | null; deploymentId?: string };

/** The custom domains that are proven, all in memory: 100,000 take some 25 MB. */
export class ProvenDomains {
  readonly #db: Database;
  #pages = new Map<string, PageAt>();
  /** The domains of each deployment. */
  #domains = new Map<string, string[]>();
  /** One read at a time: a read that ends late would replace newer rows. */
  readonly #inTurn = limitConcurrency(1);

  constructor(db: Database) {
    this.#db = db;
  }

  /** undefined for a domain that is not proven. */
  pageAt(domain: string): PageAt | undefined {
    return this.#pages.get(domain);
  }

  /** The domains at which the page of a deployment is served. */
  domainsOf({ id, slug }: { id: string; slug: string }): string[] {
    return (this.#domains.get(id) ?? []).filter((domain) => this.#pages.get(domain)?.slug === slug);
  }

  /** Reads the domains of deployments that have changed. */
  read(deploymentIds: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const ids = [...new Set(deploymentIds)];
      const known = ids.flatMap((id) => this.#domains.get(id) ?? []);
      const rows = await findProven(this.#db, ids, known);
      for (const domain of known) this.#pages.delete(domain);
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
      this.#pages = new Map();
      this.#domains = new Map();
      this.#keep(all);
    });
  }

  #keep(rows: readonly ProvenDomain[]): void {
    for (const { domain, deploymentId, slug } of rows) {
      this.#pages.set(domain, { slug, deploymentId });
      const domains = this.#domains.get(deploymentId);
      if (!domains) this.#domains.set(deploymentId, [domain]);
      else if (!domains.includes(domain)) domains.push(domain);
    }
  }
}
