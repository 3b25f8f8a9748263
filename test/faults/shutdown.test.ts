import { spawn } from 'node:child_process';
import { once } from 'node:events';
import request from 'supertest';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { testDatabase } from '../support/fresh-database.ts';
import { freePort, PROJECT, startServiceProcess } from '../support/process.ts';
import { startSmtpServer } from '../support/smtp.ts';
import { keyIn } from '../support/test-process.ts';
import { asOwner, BASE_URL, getPage, JSON_TYPE, openSocket, PAGES_DOMAIN } from '../support/test-service.ts';

/** Connections of each kind. */
const CLIENTS = 6;
/** More than there are connections to the database. */
const READERS = 40;
const FILE_BYTES = 8 * 1024 * 1024;

const soon = (check: () => unknown) => vi.waitFor(check, { timeout: 240_000, interval: 20 });

const database = await testDatabase();
const settings = { BASE_URL, PAGES_DOMAIN, DATABASE_URL: database.url };
const key = await keyIn(database.url);
let slug: string;
/** So many that none comes to its limit. */
const forms: string[] = [];
/** The path of a file that was submitted. */
let film: string;
beforeAll(async () => {
  const { url, ready, stop } = await startServiceProcess({ ...settings, LOG_LEVEL: 'silent' });
  await ready();
  const owner = asOwner(url, key);
  ({ slug } = await owner.deploy());
  while (forms.length < 2 * CLIENTS) forms.push((await owner.deploy()).id);
  const form = await owner.deploy();
  const content = Buffer.alloc(FILE_BYTES);
  const { body } = await request(url).post(`/submit/${form.id}`).attach('film', content, 'a.bin').expect(200);
  film = (await owner.get(`/submissions/${form.id}/${body.id}`).expect(200)).body.data.film.url;
  await stop();
});

async function start(workers: string, more: Record<string, string> = {}) {
  const service = await startServiceProcess({ ...settings, WORKERS: workers, ...more });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  let log = '';
  service.child.stderr?.on('data', (text) => {
    log += text;
  });
  const said = (message: string): number => log.split(`"msg":"${message}"`).length - 1;
  await service.ready();
  // Each of its processes.
  await expect.poll(() => said('ready')).toBe(Number(workers));
  return {
    ...service,
    said,
    /** Settles when each process has got its signal. */
    stopping: () => soon(() => expect(said('stopping')).toBe(Number(workers))),
    /** Lines of the log that tell errors, or are none of the log's. */
    errors: () => log.split('\n').filter((line) => line !== '' && !/"level":[34]0/.test(line)),
  };
}

/** A connection, and what it was answered until its end. */
async function talkTo(url: string) {
  const socket = openSocket(url);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.on('error', (error) => {
    answer += error.message;
  });
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  const statuses = (): string[] => Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status = '']) => status);
  return {
    /** Settles when the kernel has the bytes. */
    send: (bytes: string) => new Promise<void>((resolve) => socket.write(bytes, () => resolve())),
    statuses,
    /** The statuses of its answers, when it has been closed. */
    end: () => ended.then(statuses),
  };
}

const BODY = '{"slow":"upload"}';
const submitHead = (form: string | undefined, more = ''): string =>
  `POST /submit/${form} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n${more}\r\n`;

/** A submission that is under way: `finish` sends the rest of it. */
async function beginUpload(url: string, form: string | undefined) {
  const upload = await talkTo(url);
  await upload.send(submitHead(form, 'Expect: 100-continue\r\n'));
  await expect.poll(() => upload.statuses()).toEqual(['100']);
  await upload.send(BODY.slice(0, 4));
  return { finish: () => upload.send(BODY.slice(4)), end: upload.end };
}

describe.each(['1', '2'])('signals with WORKERS=%s', (workers) => {
  it('one lets all be answered that is under way or was sent before', async () => {
    const service = await start(workers, { SHUTDOWN_DELAY_MS: '50' });
    const every = Array.from({ length: CLIENTS });
    const uploads = await Promise.all(every.map((_, n) => beginUpload(service.url, forms[n])));
    const page = `GET / HTTP/1.1\r\nHost: ${slug}.${PAGES_DOMAIN}\r\n\r\n`;
    const kept = await Promise.all(every.map(() => talkTo(service.url)));
    await Promise.all(kept.map(({ send }) => send(page)));
    await expect.poll(() => kept.map(({ statuses }) => statuses())).toEqual(every.map(() => ['200']));
    const download = await fetch(service.url + film, { headers: { Authorization: `Bearer ${key}` } });
    const made = await Promise.all(every.map(() => talkTo(service.url)));
    await Promise.all([
      ...kept.map(({ send }) => send(page)),
      ...made.map(({ send }, n) => send(submitHead(forms[CLIENTS + n]) + BODY)),
    ]);
    service.child.kill('SIGTERM');
    await service.stopping();
    await Promise.all(uploads.map(({ finish }) => finish()));
    expect(await Promise.all(uploads.map(({ end }) => end()))).toEqual(every.map(() => ['100', '200']));
    expect(await Promise.all(kept.map(({ end }) => end()))).toEqual(every.map(() => ['200', '200']));
    expect(await Promise.all(made.map(({ end }) => end()))).toEqual(every.map(() => ['200']));
    expect([download.status, (await download.arrayBuffer()).byteLength]).toEqual([200, FILE_BYTES]);
    const { code, stdout } = await service.result;
    expect([code, stdout, service.errors()]).toEqual([0, '', []]);
  });

  it('a second one ends the process at once', async () => {
    const service = await start(workers);
    // Whose end would be waited for.
    await beginUpload(service.url, forms[0]);
    service.child.kill('SIGTERM');
    await service.stopping();
    expect(service.child.exitCode).toBe(null);
    // Signals within milliseconds of the first count as one with it.
    await soon(() => {
      service.child.kill('SIGTERM');
      expect(service.child.exitCode).not.toBe(null);
    });
    // After waiting it would be 0.
    expect(service.child.exitCode).toBe(1);
    expect(service.said('stopped')).toBeLessThan(Number(workers));
    // Nobody is left on its port.
    await soon(() => expect(fetch(service.url)).rejects.toThrow());
  });
});

it('a signal ends a mail whose server is late: the next process sends it at once, as its first try', async () => {
  const smtp = await startSmtpServer();
  onTestFinished(smtp.close);
  const service = await start('1', { SMTP_URL: smtp.url });
  const { id } = await asOwner(service.url, key).deploy();
  await asOwner(service.url, key).change(id, { email_notifications: true });
  smtp.makeTrouble({ at: 'message', does: 'hang' });
  await request(service.url).post(`/submit/${id}`).send({ a: 'b' }).expect(200);
  await soon(() => expect(smtp.met()).toBe(1));
  service.child.kill('SIGTERM');
  const { code } = await service.result;
  // After ten seconds it would be 1.
  expect([code, service.errors()]).toEqual([0, []]);
  smtp.makeTrouble();
  const next = await start('1', { SMTP_URL: smtp.url });
  const log = async () => (await asOwner(next.url, key).get(`/deploy/${id}/mails`)).body.deliveries;
  await soon(async () => expect(await log()).toMatchObject([{ status: 'succeeded', attempts: 1 }]));
  expect(smtp.received.length).toBe(1);
});

describe('signals with WORKERS=2', () => {
  const workers = '2';

  it('one takes it out of a balancer, and leaves it serving for SHUTDOWN_DELAY_MS', async () => {
    const service = await start(workers, { SHUTDOWN_DELAY_MS: '300000' });
    service.child.kill('SIGTERM');
    await service.stopping();
    const { body } = await request(service.url).get('/readyz').expect(503);
    expect(body).toEqual({ error: 'This process is stopping: use another one.' });
    await request(service.url).post(`/submit/${forms[3]}`).send({ a: 'b' }).expect(200);
    await getPage(service.url, slug).expect(200);
  });

  it('two within milliseconds are one', async () => {
    const service = await start(workers);
    const upload = await beginUpload(service.url, forms[1]);
    // It gets both when it goes on.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) service.child.kill(signal);
    await service.stopping();
    await upload.finish();
    expect(await upload.end()).toEqual(['100', '200']);
    expect((await service.result).code).toBe(0);
  });

  it('Ctrl-C in a terminal, which all processes of npm start get, ends them in order', async () => {
    const port = await freePort();
    const child = spawn('npm', ['start'], {
      cwd: PROJECT,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings, PORT: String(port), WORKERS: workers },
      detached: true,
      stdio: 'ignore',
    });
    const { pid } = child;
    if (pid === undefined) throw new Error('npm did not start');
    const ended = once(child, 'exit');
    onTestFinished(() => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
    });
    const url = `http://127.0.0.1:${port}`;
    await soon(() => request(url).get('/readyz').expect(200));
    await getPage(url, slug).expect(200);
    const sent = { method: 'POST', headers: JSON_TYPE, body: '{"a":"b"}' };
    expect((await fetch(`${url}/submit/${forms[2]}`, sent)).status).toBe(200);
    process.kill(-pid, 'SIGINT');
    await ended;
    expect([child.exitCode, child.signalCode]).toEqual([0, null]);
  });
});

it('one ends it although more readers stand still than there are connections to the database', async () => {
  const end = async (workers: string): Promise<void> => {
    const service = await start(workers);
    const { host } = new URL(service.url);
    /** Begins to read, and stops; returns the status. */
    const beginToRead = async (): Promise<string> => {
      const socket = openSocket(service.url).on('error', () => undefined);
      socket.write(`GET ${film} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      const [first] = await once(socket, 'data');
      socket.pause();
      return String(first).slice(9, 12);
    };
    // One after another: requests of one owner that wait for long are refused. A busy machine refuses some with a 503.
    for (let readers = 0; readers < READERS; ) {
      const status = await beginToRead();
      if (status === '200') readers += 1;
      else expect(status).toBe('503');
    }
    service.child.kill('SIGTERM');
    const { code, stdout } = await service.result;
    expect([code, stdout, service.said('stopped'), service.errors()]).toEqual([0, '', Number(workers), []]);
  };
  await Promise.all(['1', '2'].map(end));
});
