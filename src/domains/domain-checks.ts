import { Resolver } from 'node:dns/promises';
import limitConcurrency from 'p-limit';
import {
  type CheckedDomain,
  type CheckTimes,
  leaseDueDomains,
  settleDomainCheck,
} from '../db/domains/domain-check-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import type { Log } from '../lib/log.ts';
import { PollLoop } from '../lib/poll-loop.ts';
import type { Limits } from '../limits.ts';
import { DOMAIN_SENTENCES } from '../problems/domain-sentences.ts';
import { isPrivateName } from './domain-names.ts';
import { problemOf } from './domain-problems.ts';
import { lookUp } from './look-up.ts';

type DomainCheckParts = {
  db: Database;
  limits: Limits;
  log: Log;
  signal: AbortSignal;
  /** undefined: those of the system. */
  dnsServers: readonly string[] | undefined;
  times: CheckTimes;
  /** Returns the function that makes the proof of a deployment. */
  proofs(): Promise<(deploymentId: string) => string>;
  /** The host to which the domains of a page should lead. */
  targetOf(slug: string): string;
  onMail(): void;
};

/** Called with each deployment of which a domain has become live or broken. */
type OnChange = (change: { deploymentId: string; slug: string }) => Promise<void>;

/** The outcome for a name of private networks, about which DNS is not asked: its answers are none of a stranger's business. */
const NOT_ASKED = {
  proof: 'gone',
  txt: [],
  problem: DOMAIN_SENTENCES['private-name'],
} as const;

/** Looks custom domains up in DNS: each when it is due, and when its owner asks. Any number of processes can do it. */
export class DomainChecks {
  readonly #parts: DomainCheckParts;
  readonly #dns: Resolver;
  readonly #limit: ReturnType<typeof limitConcurrency>;
  readonly #loop: PollLoop;
  /** The checks in progress, by deployment and domain. */
  readonly #running = new Map<string, Promise<void>>();
  #onChange: OnChange = async () => undefined;

  constructor(parts: DomainCheckParts) {
    this.#parts = parts;
    const { limits, dnsServers, log, signal, times } = parts;
    const { concurrent, dnsTimeoutMs: timeout, dnsTries: tries, pollIntervalMs } = limits.domains;
    this.#dns = new Resolver({ timeout, maxTimeout: timeout, tries });
    if (dnsServers) this.#dns.setServers(dnsServers);
    this.#limit = limitConcurrency(concurrent);
    const retryMs = Math.min(pollIntervalMs, times.checkSeconds * 1_000);
    const failure = 'domains could not be looked up; trying again';
    this.#loop = new PollLoop({ poll: () => this.#checkDue(retryMs), retryMs, failure, log, signal });
  }

  /** Looks up what is due until the signal fires. */
  run(onChange: OnChange): Promise<void> {
    this.#onChange = onChange;
    this.#parts.signal.addEventListener('abort', () => this.#dns.cancel());
    return this.#loop.run();
  }

  /** A domain may be due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Looks a domain up now. Requests for the same one share a look-up. */
  check(domain: CheckedDomain): Promise<void> {
    const key = `${domain.deploymentId} ${domain.domain}`;
    const running = this.#running.get(key);
    if (running) return running;
    const started = this.#limit(() => this.#check(domain)).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  async #checkDue(pauseMs: number): Promise<number> {
    const { db, limits, times } = this.#parts;
    const { due, isMore } = await leaseDueDomains(db, limits.domains.concurrent, times);
    await Promise.all(due.map((domain) => this.check(domain)));
    return isMore ? 0 : pauseMs;
  }

  async #check(checked: CheckedDomain): Promise<void> {
    const { db, times, signal, proofs, targetOf, onMail } = this.#parts;
    const { deploymentId, slug, domain } = checked;
    const proofOf = await proofs();
    const outcome = isPrivateName(domain) ? NOT_ASKED : await this.#ask(domain, proofOf(deploymentId), targetOf(slug));
    // The look-up of a service that stops has been cancelled, and would count as silence.
    signal.throwIfAborted();
    const changed = await settleDomainCheck(db, checked, outcome, {
      times,
      taken: DOMAIN_SENTENCES['live-elsewhere'],
      proofOf,
    });
    if (changed.length > 0) onMail();
    await Promise.all(changed.map((change) => this.#onChange(change)));
  }
  async #ask(domain: string, proof: string, target: string) {
    const records = await lookUp(this.#dns, domain, target);
    const found = records.txt?.values.includes(proof) ? ('found' as const) : ('gone' as const);
    return {
      proof: records.txt ? found : ('silent' as const),
      txt: records.txt?.values ?? [],
      problem: problemOf(records, { domain, proof, target }),
    };
  }
}
