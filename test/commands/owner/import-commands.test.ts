import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COMMAND_LIMITS } from '../../../src/commands/command-limits.ts';
import { done, failed, misusedFor, refusedFor } from '../../support/run-command.ts';
import { emptyFolder } from '../../support/run-formhost.ts';
import { ownerCommands } from '../../support/run-owner-commands.ts';

const { owner, run, inFolder } = await ownerCommands();

/** Longer than any test. */
const NEVER_MS = 1_000_000_000;
const { importNoticeMs } = COMMAND_LIMITS;
beforeAll(() => void Object.assign(COMMAND_LIMITS, { importNoticeMs: NEVER_MS }));
afterAll(() => void Object.assign(COMMAND_LIMITS, { importNoticeMs }));

const sending = 'formhost: sending 0.0 MB\n';
const dataOf = async (id: string): Promise<unknown[]> =>
  (await owner.get(`/submissions/${id}?limit=100`).expect(200)).body.submissions.map(
    ({ created_at: at, data }: { created_at: string; data: unknown }) => [at, data],
  );

describe('formhost submissions import', () => {
  it('imports a file by the slug of the page, with what its columns are', async () => {
    const { id, slug } = await owner.deploy();
    const folder = await emptyFolder();
    const rows = 'When;From;Name;State;Note\n2/3/2024 10:00;203.0.113.4;Ada;new;x\n1/3/2024;;Bea;old;y\n';
    await writeFile(join(folder, 'answers.csv'), rows);
    const options = ['--time', 'When', '--ip', 'From', '--leave-out', 'State', '--leave-out', 'Note'];
    const zoned = [...options, '--time-zone', 'Europe/Berlin', '--date-order', 'day-first'];
    expect(await inFolder(folder, 'submissions', 'import', slug, 'answers.csv', ...zoned)).toEqual(
      done('2\n', `${sending}formhost: imported 2 submissions\n`),
    );
    expect(await dataOf(id)).toEqual([
      ['2024-03-02T09:00:00.000Z', { Name: 'Ada' }],
      ['2024-02-29T23:00:00.000Z', { Name: 'Bea' }],
    ]);
  });

  it('reads standard input, lines of JSON, and prints JSON', async () => {
    const { id } = await owner.deploy();
    const lines = '{"a":1,"created_at":"2024-05-01"}\n{"a":[2],"created_at":"2024-05-02"}\n';
    const answered = await run(['submissions', 'import', id, '-', '--format', 'ndjson', '--json'], lines);
    expect(answered).toMatchObject({ code: 0, stdout: '{"imported":2,"errors":[]}\n' });
    expect(await dataOf(id)).toEqual([
      ['2024-05-02T00:00:00.000Z', { a: [2] }],
      ['2024-05-01T00:00:00.000Z', { a: 1 }],
    ]);
  });

  it('names the lines that are wrong, and imports nothing', async () => {
    const { id } = await owner.deploy();
    const file = 'created_at,a\nsoon,1\n2024-05-01,2\n2999-05-01,3\n';
    expect(await run(['submissions', 'import', id, '-', '--format', 'csv'], file)).toEqual(
      failed(
        `${sending}formhost: line 2: “soon” is not a time that can be read: write it as 2024-05-01T13:45:10Z.\n` +
          'formhost: line 4: The time is in the future.\n' +
          'formhost: nothing was imported: correct these lines of the file, or say what its columns are\n',
      ),
    );
    const json = await run(['submissions', 'import', id, '-', '--format', 'csv', '--json'], file);
    expect([json.code, JSON.parse(json.stdout).errors.length]).toEqual([1, 2]);
    expect(await dataOf(id)).toEqual([]);
  });

  it('speaks of its options, and needs a format that it can know', async () => {
    const { id } = await owner.deploy();
    const attempt = (...more: string[]) => run(['submissions', 'import', id, '-', ...more], 'a\n1\n');
    expect((await attempt('--format', 'csv', '--time', 'When')).stderr).toContain(
      '--time names a column that the file does not have: “When”.',
    );
    expect((await attempt('--format', 'csv', '--leave-out', 'b')).stderr).toContain('--leave-out names a column');
    expect((await attempt('--format', 'csv', '--time-zone', 'Nowhere')).stderr).toContain('--time-zone is invalid');
    expect(await attempt()).toEqual(misusedFor('--format is needed for standard input'));
    expect(await run(['submissions', 'import', id, 'a.xlsx'])).toEqual(misusedFor('--format is needed for a.xlsx'));
    expect(await run(['submissions', 'import', id, 'none.csv'])).toEqual(refusedFor('there is no file none.csv'));
    await run(['submissions', 'import', id, '-', '--format', 'csv'], 'a\n1\n');
    expect((await attempt('--format', 'csv')).stderr).toContain('each row needs a time: name its column with --time');
  });

  it('says that it goes on while it takes long', async () => {
    onTestFinished(() => void Object.assign(COMMAND_LIMITS, { importNoticeMs: NEVER_MS }));
    Object.assign(COMMAND_LIMITS, { importNoticeMs: 1 });
    const { id } = await owner.deploy();
    const file = `created_at,a\n${'2024-05-01,1\n'.repeat(5_000)}`;
    const { code, stderr } = await run(['submissions', 'import', id, '-', '--format', 'csv'], file);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^formhost: sending 0\.1 MB\n(?:formhost: the import goes on, after \d+ s\n)+formhost: imported 5,000 submissions\n$/,
    );
  });
});
