import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { emptyDatabase } from '../support/fresh-database.ts';
import { formhost } from '../support/run-command.ts';
import { S3_CREDENTIALS, startS3 } from '../support/s3.ts';
import { testService } from '../support/test-service.ts';

const s3 = await startS3();
afterAll(s3.close);
const { FILES_URL } = s3.settings('files');
const PARAMETERS = FILES_URL.slice(FILES_URL.indexOf('?'));
const NAME = String.raw`formhost-\d{8}T\d{6}Z\.backup`;

/** The files of the service are in its database. */
const service = await testService();
const owner = await service.owner();
const { id } = await owner.deploy();
const settings = { ...S3_CREDENTIALS, DATABASE_URL: service.databaseUrl };
const counts = '1 owner, 1 deployment and 2 submissions';

const backUp = (place: string, others: Record<string, string> = {}) =>
  formhost(['admin', 'backup', place, '--json'], { settings: { ...settings, ...others } });
const restore = async (place: string, others: Record<string, string> = {}) =>
  formhost(['admin', 'restore', place], {
    settings: { ...settings, DATABASE_URL: (await emptyDatabase()).url, ...others },
  });

describe('formhost admin backup s3://…', () => {
  it('uploads a backup in parts, which restore takes by its name, or as the newest', async () => {
    for (let n = 0; n < 2; n += 1) await owner.post(`/submit/${id}`).attach('a', randomBytes(1_000), 'a').expect(200);
    const { code, stdout, stderr } = await backUp(`s3://forms/nightly${PARAMETERS}`);
    expect([code, stderr]).toEqual([0, '']);
    const { message, file, ...rest } = JSON.parse(stdout);
    expect(file).toMatch(new RegExp(`^s3://forms/nightly/${NAME}\\?endpoint=`));
    expect([message, rest]).toEqual([
      `backed up ${counts} into ${file}`,
      { owners: 1, deployments: 1, submissions: 2 },
    ]);
    expect(s3.requests.map(({ step }) => step)).toEqual(['begin', 'part', 'complete']);
    const { rows } = await service.db.raw('SELECT taken_at > now() - interval \'1 hour\' AS "isNew" FROM last_backup');
    expect(rows).toEqual([{ isNew: true }]);

    const restored = { code: 0, stdout: `restored ${counts} from ${file}\n`, stderr: '' };
    expect(await restore(file)).toEqual(restored);
    expect(await restore(`s3://forms/nightly/${PARAMETERS}`)).toEqual(restored);
  });

  it('takes the server of FILES_URL where the address names none', async () => {
    const { code, stdout } = await backUp('s3://forms/other', { FILES_URL });
    expect(code).toBe(0);
    const { file } = JSON.parse(stdout);
    expect(file).toMatch(new RegExp(`^s3://forms/other/${NAME}$`));
    expect(await restore(file, { FILES_URL })).toMatchObject({ code: 0, stdout: `restored ${counts} from ${file}\n` });
  });

  it('says in a line why there is no backup', async () => {
    const place = `s3://forms/nightly${PARAMETERS}`;
    const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const refused = (code: number, error: string) => ({ code, stdout: '', stderr: expect.stringContaining(error) });
    expect(await backUp(place, none)).toEqual(
      refused(1, 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: a bucket needs them'),
    );
    expect(await backUp('s3://forms/nightly')).toEqual(refused(2, 's3://forms/nightly is no address such as s3://'));
    expect(await backUp(`s3://forms/a/x.backup${PARAMETERS}`)).toEqual(
      refused(2, 'the name of the backup is that of its time'),
    );
    expect(await backUp(place.replace('forms', 'elsewhere'))).toEqual(
      refused(1, 'the bucket answered POST with 404 NoSuchBucket'),
    );
    expect(await restore(`s3://forms/nothing${PARAMETERS}`)).toEqual(
      refused(1, `there is no backup in s3://forms/nothing${PARAMETERS}`),
    );
    expect([...s3.uploads.keys()]).toEqual([]);
  });
});
