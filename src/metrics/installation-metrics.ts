import { Gauge, type Registry } from 'prom-client';
import { Reading } from './reading.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How the state of the installation is read. The doctor says the same. */
export type InstallationState = {
  /** In seconds; undefined: no backup is known. */
  backupAge(): Promise<number | undefined>;
  /** 1: no backup of the embedded database is known, and nobody else makes any; otherwise 0. */
  missingBackups(): Promise<number>;
  databaseBytes(): Promise<number>;
  /** Bytes of the disk of the data. */
  disk(): Promise<{ free: number; total: number }>;
  endingDomains(): Promise<number>;
  /** undefined: there are none, as without TLS. */
  endingCertificates(): Promise<number | undefined>;
};

/** Adds gauges, each of which is absent while its value is not known. */
export function addInstallationMetrics(registry: Registry, state: InstallationState): void {
  const registers = [registry];
  const backup = new Reading(state.backupAge, MINUTE_MS);
  const missing = new Reading(state.missingBackups, MINUTE_MS);
  const database = new Reading(state.databaseBytes, 5 * MINUTE_MS);
  const disk = new Reading(state.disk, 15 * SECOND_MS);
  const domains = new Reading(state.endingDomains, 5 * MINUTE_MS);
  const certificates = new Reading(state.endingCertificates, 6 * HOUR_MS);

  /** Each process sees the same, so `aggregator` chooses among them. */
  const add = (name: string, help: string, aggregator: 'max' | 'min', read: () => Promise<number | undefined>) =>
    new Gauge({
      ...{ name, help, registers, aggregator },
      async collect() {
        this.reset();
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  add('formhost_backup_age_seconds', 'The age of the last backup.', 'min', () => backup.latest());
  const missingHelp = '1: no backup of the embedded database was ever made; otherwise 0.';
  add('formhost_backup_missing', missingHelp, 'min', () => missing.latest());
  add('formhost_database_bytes', 'The size of the database.', 'max', () => database.latest());
  const freeHelp = 'Free bytes of the disk of DATA_DIR; with DATABASE_URL, of that of the process.';
  add('formhost_disk_free_bytes', freeHelp, 'min', async () => (await disk.latest())?.free);
  add('formhost_disk_bytes', 'All bytes of the same disk.', 'min', async () => (await disk.latest())?.total);
  new Gauge({
    name: 'formhost_domains_ending',
    help: 'Custom domains whose proof is gone, and certificates that should have been renewed.',
    labelNames: ['kind'],
    registers,
    aggregator: 'max',
    async collect() {
      this.reset();
      const [domain, certificate] = await Promise.all([domains.latest(), certificates.latest()]);
      if (domain !== undefined) this.set({ kind: 'domain' }, domain);
      if (certificate !== undefined) this.set({ kind: 'certificate' }, certificate);
    },
  });
}
