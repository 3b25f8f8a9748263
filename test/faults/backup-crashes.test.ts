import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { bucketCrashes } from '../support/bucket-crashes.ts';
import { emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { startAdmin } from '../support/process.ts';
import { type S3Request, startS3 } from '../support/s3.ts';

/*
 * Backups into a bucket that end in the middle: none of them is taken for a whole one.
 */

const s3 = await startS3();
afterAll(s3.close);

const { stand, serve, submit, killAt } = bucketCrashes(s3);

const backupsIn = (prefix: string): string[] =>
  [...s3.objects.keys()].filter((key) => key.startsWith(`${prefix}/backups/`));
const backedUp =
  /^backed up 1 owner, \d+ deployments? and 1 submission into s3:\/\/forms\/kill\d+\/backups\/formhost-\d{8}T\d{6}Z\.backup\n$/;

/** A stand with a submission, and the command that backs it up. */
async function standWithData() {
  const place = await stand();
  const service = await serve(place);
  const { id } = await service.owner.deploy();
  expect(await submit(service, id, randomBytes(1_000))).toBe(200);
  await service.stop();
  const address = `s3://forms/${place.prefix}/backups`;
  return { place, address, backUp: () => startAdmin(['backup', address], place.settings) };
}

describe('a backup into a bucket that is killed', () => {
  it.each<[string, (request: S3Request) => boolean]>([
    ['begins', ({ step }) => step === 'begin'],
    ['has begun', ({ step, isDone }) => step === 'begin' && isDone],
    ['uploads a part', ({ step, isDone }) => step === 'part' && isDone],
    ['puts the parts together', ({ step, isDone }) => step === 'complete' && !isDone],
  ])('when it %s is no backup, and the next one is', async (_when, isStep) => {
    const { place, address, backUp } = await standWithData();
    const { child, result } = backUp();
    onTestFinished(() => void child.kill('SIGKILL'));
    const { killed } = killAt(() => child, 1, isStep);
    await killed;
    await result;
    expect(child.signalCode).toBe('SIGKILL');
    s3.behave();
    expect(backupsIn(place.prefix)).toEqual([]);
    const { rows } = await place.db.raw('SELECT FROM last_backup');
    expect(rows).toEqual([]);
    const database = await testDatabase(emptyDatabase);
    const settings = { ...place.settings, DATABASE_URL: database.url };
    expect(await startAdmin(['restore', address], settings).result).toMatchObject({
      code: 1,
      stderr: `formhost: there is no backup in ${address}\n`,
    });

    expect(await backUp().result).toMatchObject({ code: 0, stdout: expect.stringMatching(backedUp), stderr: '' });
    expect(await startAdmin(['restore', address], settings).result).toMatchObject({ code: 0, stderr: '' });
  });
});

it('a backup into a bucket that is interrupted leaves no part behind', async () => {
  const { place, backUp } = await standWithData();
  const { child, result } = backUp();
  s3.intercept(({ step, isDone }, response) => {
    if (step !== 'part' || isDone) return false;
    child.kill('SIGTERM');
    // No answer: only the signal ends the command's wait.
    return response.socket !== null;
  });
  expect(await result).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'formhost: the backup was interrupted: no object was written\n',
  });
  s3.behave();
  expect(backupsIn(place.prefix)).toEqual([]);
  const left = [...s3.uploads.values()].filter(({ key }) => key.startsWith(`${place.prefix}/`));
  expect(left).toEqual([]);
});
