import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { done, failed, formhost, misusedFor, refusedFor, startCommand } from '../../support/run-command.ts';
import { emptyFolder, startBreakingProxy, startFormhost } from '../../support/run-formhost.ts';
import { ownerCommands, wait } from '../../support/run-owner-commands.ts';
import { UNKNOWN_ID } from '../../support/test-service.ts';

const { service, owner, account, run, inFolder, onTerminal, apiText, filled } = await ownerCommands();

const ESCAPES = '{"title":"\\u001b]0;owned\\u0007","rtl":"\u202egnp","c1":"\u009b31m","n":12345678901234567890}';

describe('formhost search', () => {
  it('goes on to the end, and shows fields as they were submitted', async () => {
    const id = await filled(6, (n) => (n % 2 ? `{"n":${n},"city":"London\\nUK"}` : `{"n":${n}}`));
    const first = await owner.get(`/submissions/${id}/search?q=london&limit=2`);
    const next = await owner.get(`/submissions/${id}/search?q=london&limit=2&cursor=${first.body.next_cursor}`);
    expect(await run(['search', id, 'LONDON', '--json'])).toEqual(done(`${first.text}\n${next.text}\n`));
    const shown = await run(['search', id, 'london']);
    expect(shown).toEqual(done(shown.stdout, 'formhost: 3 submissions found\n'));
    expect(shown.stdout.match(/ {2}city: London\n {8}UK\n/g)).toHaveLength(3);
    expect(await run(['search', id, 'Paris'])).toEqual(done('', 'formhost: 0 submissions found\n'));
    expect(await run(['search', id, '', '--from', 'yesterday'])).toEqual(
      failed('formhost: --from is invalid: give a time such as 2026-11-22T10:00:00Z or a day such as 2026-11-22.\n'),
    );
    expect(await run(['search', id, '', '--from', '2026-02-01', '--to', '2026-01-01'])).toEqual(
      refusedFor('--from is not before --to'),
    );
  });

  it.each([
    ['search', ['']],
    ['search', ['', '--json']],
    ['export', ['--format', 'csv']],
    ['export', ['--json']],
    ['tail', ['--after', '0']],
  ])('%s %j lets no submission control the terminal, and changes nothing in a pipe with --json', async (name, more) => {
    const id = await filled(1, () => ESCAPES);
    const { out, err, result } = onTerminal([name, id, ...more], { NO_COLOR: '1' });
    await wait(() => expect(out.text).toContain('12345678901234567890'));
    if (name === 'tail') process.emit('SIGINT');
    await result;
    expect(/\p{Bidi_Control}|(?!\n)\p{Cc}/u.exec((out.text + err.text).replaceAll('\r\u001b[K', ''))).toBe(null);
    expect(out.text).toContain('\\u202egnp');
    if (more.includes('--json')) expect((await run([name, id, ...more])).stdout).toContain(ESCAPES);
  });
});

describe('formhost tail', () => {
  it('prints submissions as they come, each once, across broken connections', async () => {
    const { id } = await owner.deploy();
    const proxy = await startBreakingProxy(service.url);
    await service.submit(id, '{"n":0}');
    const tail = startFormhost(['tail', id, '--json'], { settings: { ...account, FORMHOST_URL: proxy.url } });
    await wait(() => expect(tail.written.err).toContain('new submissions follow'));
    const lines = () => tail.written.out.split('\n').slice(0, -1);
    const expected: string[] = [];
    for (const n of [1, 2, 3]) {
      // While there is no connection, also before the first submission.
      proxy.breakNow();
      expected.push(await service.submit(id, `{ "n":${n} }`));
      await wait(() => expect(lines().map((line) => JSON.parse(line).id)).toEqual(expected));
    }
    expect(lines()[0]).toContain('"data":{ "n":1 }');
    expect(tail.written.err).toContain('trying again');
    tail.child.kill('SIGINT');
    expect((await tail.result).code).toBe(130);
  });

  it('ends with 1 when the page is deleted, and begins where --after says', async () => {
    const { id } = await owner.deploy();
    const first = await service.submit(id, '{"n":1}');
    const second = await service.submit(id, '{"n":2}');
    const { out, result } = startCommand(['tail', id, '--after', first], { settings: account });
    await wait(() => expect(out.text).toContain(second));
    expect(out.text).toMatch(new RegExp(`^${second} {2}\\S+Z {2}127.0.0.1\\n {2}n: 2\\n\\n$`));
    await owner.delete(`/deploy/${id}`).expect(200);
    expect((await result).code).toBe(1);
    const { id: other } = await owner.deploy();
    expect(await run(['tail', other, '--after', 'x'])).toEqual(
      refusedFor('--after is invalid: give 0, the id of a submission, or the cursor'),
    );
  });

  it('ends with 1 when the key is revoked', async () => {
    const { id } = await owner.deploy();
    const made = (await owner.post('/keys').send({ name: 'tail' }).expect(201)).body;
    const { err, result } = startCommand(['tail', id], { settings: { ...account, FORMHOST_KEY: made.key } });
    await wait(() => expect(err.text).toContain('new submissions follow'));
    await owner.delete(`/keys/${made.id}`).expect(200);
    expect(await result).toEqual(
      failed(expect.stringMatching(/\nformhost: the API key of FORMHOST_KEY is not valid at .*: set another\n$/)),
    );
  });
});

describe('formhost export', () => {
  let id: string;
  beforeAll(async () => {
    // It can't be compressed to less than what passes before a connection breaks.
    const random = (): string => randomBytes(150).toString('base64');
    id = await filled(400, (n) =>
      JSON.stringify({ n, text: `"a",\r\n${n % 7 ? 'é' : '"'}${random()}`, ...(n > 390 && { late: n }) }),
    );
  });

  const exported = async (format: string): Promise<Buffer> => {
    const headers = { Authorization: `Bearer ${owner.key}` };
    const response = await fetch(`${service.url}/submissions/${id}/export.${format}`, { headers });
    return Buffer.from(await response.arrayBuffer());
  };
  const inTo = (cwd: string, format: string, output: string) =>
    inFolder(cwd, 'export', id, '--format', format, '--output', output);

  it.each(['csv', 'ndjson'])('writes %s to standard output and to a file as the API has it', async (format) => {
    const folder = await emptyFolder();
    const whole = (await exported(format)).toString();
    const printed = await run(['export', id, '--format', format]);
    expect(printed.stdout === whole && printed.code === 0).toBe(true);
    expect((await inTo(folder, format, '-')).stdout === whole).toBe(true);
    await writeFile(join(folder, 'all'), 'before', { mode: 0o640 });
    expect(await inTo(folder, format, 'all')).toEqual(
      done('', expect.stringMatching(/^formhost: wrote [\d.]+ MB to all\n$/)),
    );
    expect((await stat(join(folder, 'all'))).mode & 0o777).toBe(0o640);
    expect((await readFile(join(folder, 'all'), 'utf8')) === whole).toBe(true);
    expect(await readdir(folder)).toEqual(['all']);
  });

  it('writes a workbook to a file and to a pipe, and none on a terminal', async () => {
    const folder = await emptyFolder();
    expect((await inTo(folder, 'xlsx', 'all.xlsx')).code).toBe(0);
    const workbook = await readFile(join(folder, 'all.xlsx'));
    expect(workbook.toString('latin1', 0, 2)).toBe('PK');
    const args = ['export', id, '--format', 'xlsx'];
    const piped = startCommand(args, { settings: account });
    await piped.result;
    expect(piped.out.bytes.length).toBe(workbook.length);
    expect(await onTerminal(args).result).toEqual(misusedFor('--output FILE'));
  });

  it.each(['all', '-'])('goes on with NDJSON into %s where a connection broke', async (output) => {
    const folder = await emptyFolder();
    const whole = (await exported('ndjson')).toString();
    const proxy = await startBreakingProxy(service.url);
    // The first answer is that of GET /deploy/:id.
    proxy.breakAfter(9_000, 150, 20_000, 5_001);
    const { code, stdout, stderr } = await formhost(['export', id, '--format', 'ndjson', '--output', output], {
      settings: { ...account, FORMHOST_URL: proxy.url },
      cwd: folder,
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('the connection broke')]);
    expect((output === '-' ? stdout : await readFile(join(folder, output), 'utf8')) === whole).toBe(true);
    expect(proxy.state.connections).toBeGreaterThan(4);
  });

  it.each(['csv', 'xlsx'])('fails where the connection of %s breaks', async (format) => {
    const proxy = await startBreakingProxy(service.url);
    proxy.breakAfter(5_000);
    const cwd = await emptyFolder();
    const settings = { ...account, FORMHOST_URL: proxy.url };
    expect(await formhost(['export', id, '--format', format, '--output', 'all'], { settings, cwd })).toEqual(
      refusedFor('the connection broke'),
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it('leaves nothing behind when it fails or is interrupted, and keeps the file that was there', async () => {
    const cwd = await emptyFolder();
    const file = join(cwd, 'all.csv');
    await writeFile(file, 'before');
    expect((await run(['export', UNKNOWN_ID, '--format', 'csv', '--output', file])).code).toBe(1);
    const proxy = await startBreakingProxy(service.url);
    proxy.holdAfter(9_000);
    const settings = { ...account, FORMHOST_URL: proxy.url };
    const { err, result } = startCommand(['export', id, '--format', 'ndjson', '--output', file], { settings });
    await wait(() => expect(err.text).toContain('going on'));
    process.emit('SIGINT');
    expect((await result).code).toBe(130);
    expect([await readdir(cwd), await readFile(file, 'utf8')]).toEqual([['all.csv'], 'before']);
    expect((await inTo(cwd, 'csv', cwd)).stderr).toContain('is a folder');
    expect((await inTo(cwd, 'csv', '/dev/null')).code).toBe(0);
    expect((await stat('/dev/null')).isFile()).toBe(false);
  });
});

describe('formhost stats', () => {
  it('draws a chart as wide as the terminal; a pipe gets lines, and --json the answer', async () => {
    const id = await filled(30, () => '{}');
    const range = ['--from', '2026-01-01', '--to', '2026-01-03'];
    await service.db.raw(
      `UPDATE submissions SET created_at = CASE WHEN number <= 20 THEN timestamptz '2026-01-01T12:00:00Z'
         ELSE timestamptz '2026-01-02T12:00:00Z' END WHERE deployment_id = ?`,
      [id],
    );
    const lines = '2026-01-01T00:00:00.000Z\t20\n2026-01-02T00:00:00.000Z\t10\n';
    expect(await run(['stats', id, ...range])).toEqual(done(lines));
    const text = await apiText(`/deploy/${id}/stats?from=2026-01-01&to=2026-01-03`);
    expect(await run(['stats', id, ...range, '--json'])).toEqual(done(`${text}\n`));
    const bars = 60 - '2026-01-01 20 '.length - 1;
    expect(await onTerminal(['stats', id, ...range], { NO_COLOR: '1' }).result).toEqual(
      done(`2026-01-01 20 ${'█'.repeat(bars)}\n2026-01-02 10 ${'█'.repeat(Math.round(bars / 2))}\ntotal      30\n`),
    );
  });
});

describe('formhost spam', () => {
  it('lists all spam with the reasons, newest first, and releases a submission', async () => {
    const { id, slug } = await owner.deploy();
    await owner.patch(`/deploy/${id}`).send({ spam: { blocklist: ['casino'] } });
    for (const n of [1, 2, 3]) await service.submit(id, `{"n":${n},"text":"Casino Street"}`);
    const { submissions } = (await owner.get(`/deploy/${id}/spam`)).body;
    const shown = submissions.map(
      ({ id, created_at, data }: { id: string; created_at: string; data: { n: number } }) =>
        `${id}  ${created_at}  127.0.0.1  blocklist\n  n: ${data.n}\n  text: Casino Street\n\n`,
    );
    expect(await run(['spam', 'list', slug])).toEqual(done(shown.join('')));
    const pages = [await apiText(`/deploy/${id}/spam?limit=2`), await apiText(`/deploy/${id}/spam?page=2&limit=2`)];
    expect(await run(['spam', 'list', id, '--json'])).toEqual(done(`${pages.join('\n')}\n`));

    const [{ id: released }] = submissions;
    expect(await run(['spam', 'release', slug, released])).toEqual(
      done(`${released}\n`, expect.stringContaining('released')),
    );
    expect(await run(['spam', 'release', slug, released])).toEqual(
      refusedFor('No such spam: check the ids, .* `formhost spam list` has what can be released'),
    );
    expect((await owner.get(`/submissions/${id}`)).body.submissions).toMatchObject([{ id: released }]);
  });
});

describe('formhost files get', () => {
  it('gets a file as it was sent, by the url in its submission', async () => {
    const cwd = await emptyFolder();
    const { id } = await owner.deploy();
    const content = randomBytes(200_000);
    const body = new FormData();
    body.append('cv', new Blob([content]), 'cv.pdf');
    await fetch(`${service.url}/submit/${id}`, { method: 'POST', body });
    const { url } = (await owner.get(`/submissions/${id}`)).body.submissions[0].data.cv;
    const { out, result } = startCommand(['files', 'get', url], { settings: account });
    expect((await result).code).toBe(0);
    expect(out.bytes.equals(content)).toBe(true);
    expect(await inFolder(cwd, 'files', 'get', `${service.url}${url}`, '--output', 'cv.pdf', '--json')).toEqual(
      done('{"file":"cv.pdf"}\n', '{"message":"wrote 0.2 MB to cv.pdf"}\n'),
    );
    expect((await readFile(join(cwd, 'cv.pdf'))).equals(content)).toBe(true);

    expect(await onTerminal(['files', 'get', url]).result).toEqual(misusedFor('add --output FILE'));
    expect(await run(['files', 'get', `${url}x`])).toEqual(refusedFor('No such file'));
    for (const wrong of [`https://e.example${url}`, '/me', 'cv.pdf']) {
      expect(await run(['files', 'get', wrong])).toEqual(refusedFor('is not a file at'));
    }
  });
});
