import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/postgres/connect.ts';
import { checkFiles } from '../../src/health/check-machine.ts';
import { bucketOf, cleanBucket, namedObjects } from '../support/bucket-files.ts';
import { hasOpenssl, makeCertificates, trust } from '../support/certificates.ts';
import { emptyDatabase, openDatabase, testDatabase } from '../support/fresh-database.ts';
import { startProgram } from '../support/process.ts';
import { publishSite } from '../support/publish-site.ts';
import { backedUp, formhost, restored as restoredWell } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { type S3, s3Error, startS3 } from '../support/s3.ts';
import { testLimits } from '../support/test-limits.ts';
import { type Owner, PAGES_DOMAIN, type TestService, testService } from '../support/test-service.ts';

const MIB = 1024 * 1024;

const s3 = await startS3();
afterAll(s3.close);
const folder = await emptyFolder();

const command = (file: string, args: readonly string[], settings: Record<string, string>) =>
  startProgram(process.execPath, [file, ...args], settings);
const files = (settings: Record<string, string>, ...args: string[]) =>
  formhost(['admin', 'files', ...args], { settings });
const done = (stdout: string) => ({ code: 0, stdout, stderr: '' });
const refused = (line: string) => ({ code: 1, stdout: '', stderr: `formhost: ${line}\n` });

type Stored = { path: string; content: Buffer };
type Installation = {
  service: TestService;
  owner: Owner;
  settings: { DATABASE_URL: string; FILES_URL: string };
  deploymentId: string;
  stored: Stored[];
};

/** A service with a submission for each size of a file; where these are, `in` says. */
async function install(prefix: string, place: 'bucket' | 'database', sizes: readonly number[]): Promise<Installation> {
  const bucketSettings = s3.settings(prefix);
  const FILES_URL = `${bucketSettings.FILES_URL}${place === 'database' ? '&new=database' : ''}`;
  const service = await testService({ ...bucketSettings, FILES_URL });
  const owner = await service.owner();
  const { id } = await owner.deploy();
  const stored: Stored[] = [];
  for (const size of sizes) {
    const content = randomBytes(size);
    await owner.post(`/submit/${id}`).attach('a', content, 'a').expect(200);
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    stored.push({ path: body.submissions[0].data.a.url, content });
  }
  const settings = { ...bucketSettings, DATABASE_URL: service.databaseUrl };
  return { service, owner, settings, deploymentId: id, stored };
}

async function expectWhole({ service, owner, stored }: Pick<Installation, 'service' | 'owner' | 'stored'>) {
  for (const { path, content } of stored) {
    const response = await fetch(service.url + path, { headers: { Authorization: `Bearer ${owner.key}` } });
    expect(Buffer.from(await response.arrayBuffer()).equals(content), path).toBe(true);
  }
}

async function chunksOf({ service }: Pick<Installation, 'service'>): Promise<number> {
  const { rows } = await service.db.raw('SELECT count(*) AS n FROM submission_file_chunks');
  return Number(rows[0].n);
}

describe('files move', () => {
  it('moves files to the bucket and back while the service runs, and says where they are', async () => {
    const sizes = [1, MIB / 4, MIB + 1];
    const installation = await install('move', 'database', sizes);
    const { settings, service } = installation;
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(await files(settings, 'status')).toEqual(done(`bucket\t0\t0\ndatabase\t3\t${bytes}\n`));
    expect(await files(settings, 'move', '--to', 'bucket')).toEqual(done('moved 3 files to the bucket\n'));
    expect(await chunksOf(installation)).toBe(0);
    expect((await namedObjects(service.db, s3, 'move')).length).toBe(3);
    await expectWhole(installation);
    expect(await files(settings, 'status', '--json')).toEqual(
      done(`[\n{"place":"bucket","files":3,"bytes":${bytes}},\n{"place":"database","files":0,"bytes":0}\n]\n`),
    );

    // Again: there is nothing left to do.
    expect(await files(settings, 'move', '--to', 'bucket', '--json')).toEqual(
      done('{"message":"moved 0 files to the bucket","files":0}\n'),
    );
    expect(await files(settings, 'move', '--to', 'database')).toEqual(done('moved 3 files to the database\n'));
    await expectWhole(installation);
    expect(await chunksOf(installation)).toBe(1 + 1 + 5);
    await cleanBucket(service.db, s3, settings);
    expect(s3.files().filter((key) => key.startsWith('move/'))).toEqual([]);
  });

  it('moves the contents of sites too, which a backup has from the bucket', async () => {
    const { settings, service, owner } = await install('site', 'database', [5]);
    const picture = randomBytes(2 * MIB + 1);
    const { slug } = await publishSite(owner, { 'index.html': '<p>', 'a.png': picture, 'a.css': 'styles', empty: '' });
    const expectServed = async (on: TestService) => {
      const response = await on.anonymous.get('/a.png').set('Host', `${slug}.${PAGES_DOMAIN}`).expect(200);
      expect(response.body.equals(picture)).toBe(true);
      expect((await on.anonymous.get('/a.css').set('Host', `${slug}.${PAGES_DOMAIN}`).expect(200)).text).toBe('styles');
    };
    expect(await files(settings, 'move', '--to', 'bucket')).toEqual(done('moved 3 files to the bucket\n'));
    expect(await files(settings, 'status')).toEqual(done(`bucket\t3\t${picture.length + 11}\ndatabase\t0\t0\n`));
    await expectServed(service);

    const file = join(folder, 'site.backup');
    expect(await formhost(['admin', 'backup', file], { settings })).toEqual(backedUp);
    const database = await emptyDatabase();
    const restored = { DATABASE_URL: database.url };
    expect(await formhost(['admin', 'restore', file], { settings: restored })).toEqual(restoredWell);
    const rowsOf = ({ db }: TestService) =>
      db('site_contents').orderBy('sha256').select('sha256', 'bytes', 'checked_at');
    const before = await rowsOf(service);
    const restoredService = await testService({}, database);
    expect(await rowsOf(restoredService)).toEqual(before);
    await expectServed(restoredService);

    const [[lost = '']] = [[...s3.objects.keys()].filter((key) => String(s3.objects.get(key)?.content) === 'styles')];
    const kept = s3.objects.get(lost);
    s3.objects.delete(lost);
    const sha256 = createHash('sha256').update('styles').digest('hex');
    const incomplete = await formhost(['admin', 'backup', join(folder, 'part.backup')], { settings });
    expect(incomplete.stderr).toContain(`(${sha256})`);
    const partly = await files(settings, 'move', '--to', 'database');
    expect(partly).toMatchObject({ code: 1, stdout: '' });
    expect(partly.stderr).toContain(`the file of a site with the SHA-256 ${sha256} was not moved: `);
    if (kept) s3.objects.set(lost, kept);
    expect(await files(settings, 'move', '--to', 'database')).toEqual(done('moved 1 files to the database\n'));
    await cleanBucket(service.db, s3, settings);
    expect(s3.files().filter((key) => key.startsWith('site/'))).toEqual([]);
    await expectServed(service);
  });

  it('keeps a download that has begun, in both directions', async () => {
    const installation = await install('during', 'database', [9 * MIB]);
    const { settings, service, owner, stored } = installation;
    for (const place of ['bucket', 'database']) {
      const response = await fetch(`${service.url}${stored[0]?.path}`, {
        headers: { Authorization: `Bearer ${owner.key}` },
      });
      const reader = response.body?.getReader();
      const pieces: Uint8Array[] = [(await reader?.read())?.value ?? new Uint8Array()];
      expect(await files(settings, 'move', '--to', place)).toEqual(done(`moved 1 files to the ${place}\n`));
      if (place === 'database') await cleanBucket(service.db, s3, settings);
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) pieces.push(next.value);
      expect(Buffer.concat(pieces).equals(stored[0]?.content ?? Buffer.alloc(0))).toBe(true);
    }
  });

  it('moves what it can, says what it could not, and moves the rest when it is run again', async () => {
    const installation = await install('partly', 'bucket', [10, 20]);
    const { settings, service } = installation;
    const [key = ''] = await namedObjects(service.db, s3, 'partly');
    const kept = s3.objects.get(key);
    s3.objects.delete(key);
    const { code, stdout, stderr } = await files(settings, 'move', '--to', 'database');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^formhost: the file file_\w+ was not moved: the bucket has no object obj_\w+, and a file is in it\nformhost: moved 1 files, and 1 were not: run it again when the cause is gone\n$/,
    );
    if (kept) s3.objects.set(key, kept);
    expect(await files(settings, 'move', '--to', 'database')).toEqual(done('moved 1 files to the database\n'));
    await expectWhole(installation);
  });

  it('refuses the prefix of another installation, until it is claimed', async () => {
    await install('taken', 'bucket', [1]);
    const { settings } = await install('taken', 'database', [1]);
    expect(await files(settings, 'move', '--to', 'bucket')).toEqual(
      refused(
        'the prefix of FILES_URL belongs to another installation: use another prefix, or, if that one is gone, run `formhost admin files claim`',
      ),
    );
    expect(await files(settings, 'claim')).toEqual(done('s3://forms/taken/ belongs to this installation now\n'));
    expect(await files(settings, 'move', '--to', 'bucket')).toEqual(done('moved 1 files to the bucket\n'));
  });

  it('says that FILES_URL is missing', async () => {
    const { settings } = await install('wrong', 'database', []);
    const { FILES_URL: _url, ...without } = settings;
    expect(await files(without, 'move', '--to', 'bucket')).toEqual(refused('FILES_URL is not set: there is no bucket'));
  });
});

describe('a backup of files in the bucket', () => {
  it('has their content, and is restored without a bucket', async () => {
    const installation = await install('backup', 'bucket', [1, MIB / 4, 2 * MIB + 5]);
    const { settings, deploymentId } = installation;
    const file = join(folder, 'whole.backup');
    expect(await formhost(['admin', 'backup', file], { settings })).toEqual(backedUp);
    const exported = await formhost(['admin', 'deployments', 'export', deploymentId], { settings });
    const pieces: Record<string, Buffer[]> = {};
    for (const line of exported.stdout.trimEnd().split('\n')) {
      const { file_piece: piece } = JSON.parse(line);
      if (!piece) continue;
      pieces[piece.file_id] = [...(pieces[piece.file_id] ?? []), Buffer.from(piece.base64, 'base64')];
    }
    const lengths = Object.values(pieces).map((all) => Buffer.concat(all).length);
    expect(lengths.toSorted((a, b) => a - b)).toEqual([1, MIB / 4, 2 * MIB + 5]);

    const database = await emptyDatabase();
    const restored = { DATABASE_URL: database.url };
    expect(await formhost(['admin', 'restore', file], { settings: restored })).toEqual(restoredWell);
    const service = await testService({}, database);
    await expectWhole({ ...installation, service });
    expect(await namedObjects(service.db, s3, 'backup')).toEqual([]);
    // It is another installation, and does not touch what the first one has.
    const again = await files({ ...settings, ...restored }, 'move', '--to', 'bucket');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    await expectWhole(installation);
  });

  it('is made although an object is missing, and says so', async () => {
    const { settings, service } = await install('missing', 'bucket', [10, 20]);
    const [key = ''] = await namedObjects(service.db, s3, 'missing');
    s3.objects.delete(key);
    const file = join(folder, 'missing.backup');
    const { code, stderr } = await formhost(['admin', 'backup', file], { settings });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^formhost: the bucket lacks the content of 1 files, .* \(file_\w+\)\n$/);
    const restored = { DATABASE_URL: (await emptyDatabase()).url };
    expect(await formhost(['admin', 'restore', file], { settings: restored })).toEqual(restoredWell);
  });

  it('needs FILES_URL', async () => {
    const { settings } = await install('needs', 'bucket', [10]);
    const { FILES_URL: _url, ...without } = settings;
    expect(await formhost(['admin', 'backup', join(folder, 'none.backup')], { settings: without })).toEqual(
      refused('the content of some files is in a bucket: set FILES_URL and its credentials as the service has them'),
    );
  });

  it('has the files that are deleted while it is made', async () => {
    const { settings, service, owner, deploymentId, stored } = await install('held', 'bucket', [10, 20, 30]);
    const file = join(folder, 'held.backup');
    const isPaused = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let gets = 0;
    s3.intercept(async ({ method, key, isDone }) => {
      if (method !== 'GET' || !key.startsWith('held/files/') || isDone) return false;
      gets += 1;
      isPaused.resolve();
      await goOn.promise;
      return false;
    });
    onTestFinished(() => s3.behave());
    const backup = command('src/commands/formhost.ts', ['admin', 'backup', file], settings).result;
    await isPaused.promise;
    for (const { path } of stored)
      await owner.delete(`/submissions/${deploymentId}/${path.split('/')[3]}?permanent=1`).expect(200);
    await service.db.raw("UPDATE removed_objects SET due_at = now() - interval '1 s'");
    const bucket = bucketOf(settings);
    const { deleteRemovedObjects } = await import('../../src/files/files-bucket.ts');
    expect(await deleteRemovedObjects(service.db, bucket, testLimits())).toBe(0);
    goOn.resolve();
    expect(await backup).toEqual(backedUp);
    expect(gets).toBe(3);
    // The service may be first.
    await expect
      .poll(async () => {
        await deleteRemovedObjects(service.db, bucket, testLimits());
        return s3.files().filter((key) => key.startsWith('held/'));
      })
      .toEqual([]);
    const database = await testDatabase(emptyDatabase);
    expect(await formhost(['admin', 'restore', file], { settings: { DATABASE_URL: database.url } })).toEqual(
      restoredWell,
    );
    const db = openDatabase(database.url);
    const { rows } = await db.raw('SELECT count(*) AS n FROM submission_file_chunks');
    expect(Number(rows[0].n)).toBe(3);
  });
});

describe("the doctor's check of the bucket", () => {
  /** Status and what was seen. */
  const check = async (settings: Record<string, string>, db: Database): Promise<string> => {
    const { status, saw } = await checkFiles(loadConfig(settings).bucket, db);
    return `${status}: ${saw}`;
  };

  it('says what is wrong', async () => {
    const { settings, service } = await install('doctor', 'bucket', [1]);
    const { FILES_URL } = settings;
    const answering = (answer: Parameters<S3['intercept']>[0]) => () => s3.intercept(answer);
    onTestFinished(() => s3.behave());
    const well = 'ok: the bucket forms stores, gives back, lists and deletes';
    const answered = 'fail: the bucket answered';
    const moved = 'PUT with 301 PermanentRedirect; the bucket says that its region is us-west-2';
    const cases: [found: string, changed?: Record<string, string>, conduct?: () => void][] = [
      [well],
      [well, { AWS_SESSION_TOKEN: 'token/+=' }],
      [`${answered} PUT with 403 SignatureDoesNotMatch`, { AWS_SECRET_ACCESS_KEY: 'wrong' }],
      [
        `${answered} PUT with 403 AuthorizationHeaderMalformed`,
        { FILES_URL: FILES_URL.replace('central-1', 'west-1') },
      ],
      [`${answered} PUT with 404 NoSuchBucket`, { FILES_URL: FILES_URL.replace('s3://forms', 's3://none') }],
      ['fail: the bucket did not answer PUT: ECONNREFUSED', { FILES_URL: FILES_URL.replace(/:\d+&/, ':2&') }],
      [`${answered} PUT with 403 RequestTimeTooSkewed`, {}, () => s3.skew(-60 * 60 * 1_000)],
      [
        `${answered} DELETE with 403 AccessDenied`,
        {},
        answering(({ method }, response) => method === 'DELETE' && s3Error(response, 403, 'AccessDenied')),
      ],
      [
        `${answered} ${moved}`,
        {},
        answering((_request, response) =>
          s3Error(response.setHeader('x-amz-bucket-region', 'us-west-2'), 301, 'PermanentRedirect'),
        ),
      ],
      [
        `${answered} PUT without an ETag`,
        {},
        answering((_request, response) => Boolean(response.end('<h1>Back soon</h1>'))),
      ],
    ];
    for (const [found, changed, conduct] of cases) {
      conduct?.();
      expect(await check({ ...settings, ...changed }, service.db)).toBe(found);
      if (found.startsWith('ok')) expect([...s3.objects.keys()].filter((key) => key.includes('doctor-'))).toEqual([]);
      s3.behave();
    }
    const other = await install('doctor', 'database', []);
    expect(await check(other.settings, other.service.db)).toBe(
      'fail: the prefix of FILES_URL in the bucket forms belongs to another installation',
    );
    expect(await check({}, service.db)).toBe(
      'fail: FILES_URL is not set, and the content of some files is in a bucket',
    );
  });

  it.runIf(hasOpenssl())('says what is wrong with TLS', async () => {
    const { authority } = await makeCertificates(folder, 'nobody');
    const [key, cert] = [await readFile(join(folder, 'server.key')), await readFile(join(folder, 'server.crt'))];
    const secure = await startS3({ host: 'localhost', tls: { key, cert } });
    onTestFinished(() => secure.close());
    const { settings: installed, service } = await install('tls', 'database', []);
    const { FILES_URL } = secure.settings('tls');
    const at = (url: string) => check({ ...installed, FILES_URL: url }, service.db);
    expect(await at(FILES_URL)).toBe('fail: the bucket did not answer PUT: UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    trust(await readFile(authority, 'utf8'));
    expect(await at(FILES_URL)).toMatch(/^ok: /);
    expect(await at(FILES_URL.replace('localhost', '127.0.0.1'))).toBe(
      'fail: the bucket did not answer PUT: ERR_TLS_CERT_ALTNAME_INVALID',
    );
    expect(await at(FILES_URL.replace('https:', 'http:'))).toBe('fail: the bucket did not answer PUT: UND_ERR_SOCKET');
  });
});
