import type { LimitFunction } from 'p-limit';
import type { ComputePool } from '../compute/pool.ts';
import type { Config } from '../config.ts';
import type { DeploymentChange } from '../db/deployments/change-feed.ts';
import type { OpenSiteFile } from '../db/deployments/site-file-queries.ts';
import type { OpenFile } from '../db/files/file-content-queries.ts';
import type { Database } from '../db/postgres/connect.ts';
import type { DailyCounts } from '../db/submissions/daily-count-queries.ts';
import type { DomainChecks } from '../domains/domain-checks.ts';
import type { FileBucket } from '../files/files-bucket.ts';
import type { Altcha } from '../forms/altcha.ts';
import type { PageForm } from '../forms/forms-of-page.ts';
import type { SharedChecks } from '../health/shared-checks.ts';
import type { AccountMail } from '../lib/events.ts';
import type { FairQueue } from '../lib/fair-queue.ts';
import type { Log } from '../lib/log.ts';
import type { SignedLinks } from '../lib/signed-links.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Forms } from '../submissions/live-forms.ts';
import type { SpamCheck } from '../submissions/spam-check.ts';
import type { SubmissionStore } from '../submissions/submission-store.ts';
import type { PageCache } from './pages/page-cache.ts';
import type { PageRenderer } from './pages/page-renderer.ts';
import type { SiteFiles } from './pages/site-file-reader.ts';
import type { Authentication } from './request/auth.ts';
import type { BodyReader } from './request/body.ts';
import type { ClientAddress } from './request/client-address.ts';
import type { Hosts } from './request/hosts.ts';
import type { OwnerQueue } from './request/owner-queue.ts';
import type { SessionCookie } from './request/session-cookie.ts';
import type { ResponseWriter } from './response/response-writer.ts';

/** The readiness of the process: it can serve requests, or the reason why a balancer should send them to another. */
export type Readiness = 'ready' | 'stopping' | 'no database';

/** Checks of pages, and what is read of them. */
type ComputeParts = {
  /** The thread for checks of pages, apart from that for pages: a check can take seconds. */
  checks: Pick<ComputePool, 'run'>;
  /** The forms of a deployment's page, or of a version of it; none where that can't be said now. Rejects without a database. */
  formsOf(deploymentId: string, version?: number): Promise<readonly PageForm[]>;
  /** Reads the forms of a page that was just published, where submissions are matched with them. */
  readFormsAhead(deploymentId: string): Promise<void>;
};

/** The contents of files, in the database or in a bucket. */
type FileParts = {
  openFile: OpenFile;
  openSiteFile: OpenSiteFile;
  /** Where new contents of sites go; undefined: into the database. */
  bucket: FileBucket | undefined;
};

/** Links and challenges, which are signed with the secret that all processes share. */
type SecretParts = {
  /** The links in mails. */
  links(): Promise<SignedLinks>;
  altcha(): Promise<Altcha>;
};

/** Custom domains. */
type DomainParts = {
  /** Returns the function that makes the text by which a deployment proves its domains. */
  proofs(): Promise<(deploymentId: string) => string>;
  checks: Pick<DomainChecks, 'check' | 'wake'>;
};

/** Mail about accounts, the addresses that nothing may be sent to, and documents of strangers. */
type DeliveryParts = {
  /** Sends a mail about an account; undefined when there is no mail server. */
  mailAccount: ((to: string, mail: AccountMail) => Promise<void>) | undefined;
  /** Returns whether a URL leads back to this service. */
  isOwnUrl(url: URL): boolean;
  /** Reads a JSON document of at most so many bytes through the fence. Rejects with an error whose message says why it cannot. */
  readDocument(url: URL, maxBytes: number): Promise<{ json: unknown; cacheControl: string }>;
};

/** The parts that receive submissions. */
type SubmissionParts = {
  forms: Forms;
  spamCheck: SpamCheck;
  store: SubmissionStore;
  honeypotHits: Pick<DailyCounts, 'add'>;
  /** Submissions that got a 429. */
  turnedAway: Pick<DailyCounts, 'add'>;
};

/** The parts that serve and store pages. */
type PageParts = {
  cache: PageCache;
  siteFiles: SiteFiles;
  renderer: PageRenderer;
  limitWrites: LimitFunction;
  /** Unpacks and stores the files of sites, those of one site of an owner at a time. */
  siteQueue: FairQueue<number>;
};

/** The parts that read requests and write answers. */
type RequestParts = {
  hosts: Hosts;
  clientAddress: ClientAddress;
  sessionCookie: SessionCookie;
  authentication: Pick<Authentication, 'ofRequest' | 'ofKey' | 'isCredentialValid'>;
  ownerQueue: OwnerQueue;
  bodyReader: Pick<BodyReader, 'fields' | 'reserve' | 'bytes'>;
  responseWriter: ResponseWriter;
};

/** The state of the process, and what it is told. */
type LifecycleParts = {
  /** Called once a change of a deployment is committed. Settles, never rejects, when this process serves it so. */
  onDeploymentChange(change: DeploymentChange): Promise<void>;
  /** Called when the rest of a purged deployment, or spam, is to be removed. */
  onPurge(): void;
  isStarting(): boolean;
  readiness(): Promise<Readiness>;
  /** Fires when the service stops. */
  stopping: AbortSignal;
};

/** The parts of the service, built once by service.ts, in groups. A handler names in its first line the parts that it uses. */
export type App = {
  config: Config;
  limits: Limits;
  log: Log;
  metrics: Metrics;
  db: Database;
  compute: ComputeParts;
  files: FileParts;
  secrets: SecretParts;
  domains: DomainParts;
  health: Pick<SharedChecks, 'findings'>;
  delivery: DeliveryParts;
  submissions: SubmissionParts;
  pages: PageParts;
  requests: RequestParts;
  lifecycle: LifecycleParts;
};
