import pg from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runSql } from '../support/database.ts';
import {
  type Answer,
  answerTo,
  everyRequest,
  isUnavailable,
  prepare,
  recovery,
  startForOutage,
} from '../support/outage.ts';
import { proxyTo } from '../support/postgres-proxy.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { getPage } from '../support/service.ts';

/** More than there are connections to the database. */
const CROWD = 20;
const ENDED_WELL = { code: 0, stdout: '', stderr: '' };

const soon = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 });

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgresServer();
});
afterAll(() => postgres.close());

describe('a database that only reads', () => {
  it('is answered with a 503 where it would have to write, and with what is there where not', async () => {
    const service = await startForOutage(postgres.url);
    await service.ready();
    const target = await prepare(service.url, postgres.url);
    const readOnly = async (on: boolean): Promise<void> => {
      await runSql(postgres.url, `ALTER SYSTEM SET default_transaction_read_only = ${on}`);
      await runSql(postgres.url, 'SELECT pg_reload_conf()');
    };
    await readOnly(true);
    onTestFinished(() => readOnly(false));
    const patch = (settings: object) => target.owner.patch(`/deploy/${target.form.id}`).send(settings);
    // On all connections of the service.
    await soon(async () => {
      const answers = await Promise.all(Array.from({ length: CROWD }, () => patch({ email_notifications: false })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    });
    const all = Object.entries(everyRequest(target));
    const answers = await Promise.all(all.map(([name, send]) => answerTo(name, send)));
    const reads = answers.filter(({ name }) => /^GET \/(deploy|submissions|webhooks)/.test(name));
    const writes = answers.filter(({ name }) => !name.startsWith('GET '));
    expect(reads.map(({ name, status }) => [name, status])).toEqual(reads.map(({ name }) => [name, 200]));
    expect(writes.filter((answer) => !isUnavailable(answer))).toEqual([]);
    await readOnly(false);
    await recovery(target, () => patch({}).expect(200));
    expect(await service.stop()).toEqual(ENDED_WELL);
  });
});

describe('a table that somebody has locked', () => {
  it('is answered with 503s, by more requests than there are connections too, and pages go on', async () => {
    const service = await startForOutage(postgres.url);
    await service.ready();
    const target = await prepare(service.url, postgres.url);
    const holder = new pg.Client({ connectionString: postgres.url });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE api_keys, deployments IN ACCESS EXCLUSIVE MODE');
    const submit = () => request(target.url).post(`/submit/${target.form.id}`).send({ a: 'b' });
    const asked = Array.from({ length: 2 * CROWD }, (_, n) =>
      n < CROWD ? answerTo('read', () => target.owner.get(`/deploy/${target.form.id}`)) : answerTo('submit', submit),
    );
    await getPage(target.url, target.form.slug).expect(200, 'kept');
    const answers = await Promise.all(asked);
    await holder.query('ROLLBACK');
    await recovery(target, () => target.owner.get(`/deploy/${target.form.id}`).expect(200));
    expect(answers.filter((answer) => !isUnavailable(answer))).toEqual([]);
    expect(await service.stop()).toEqual(ENDED_WELL);
  });
});

describe('a connection that is lost while Postgres commits', () => {
  it('is never answered with a success', async () => {
    let isArmed = false;
    let swallowed = 0;
    /** What the messages to Postgres end a piece of work with: the statement that writes by itself, or the COMMIT. */
    const commits = /COMMIT|store-submissions/i;
    const writesAlone = /\b(insert into|update|delete from) "?(deployments|pages|webhooks)\b/i;
    const proxy = await proxyTo(
      postgres.url,
      () => ({ isIn: false, isDoomed: false }),
      (link) => {
        link.client.on('data', (bytes: Buffer) => {
          const text = bytes.toString('latin1');
          if (/\bBEGIN\b/i.test(text)) link.isIn = true;
          if (isArmed && (commits.test(text) || (!link.isIn && writesAlone.test(text)))) link.isDoomed = true;
          if (/COMMIT|ROLLBACK/i.test(text)) link.isIn = false;
          link.postgres.write(bytes);
        });
        link.postgres.on('data', (bytes: Buffer) => {
          if (!link.isDoomed) link.client.write(bytes);
          else {
            swallowed += 1;
            link.end();
          }
        });
      },
    );
    onTestFinished(proxy.close);
    const service = await startForOutage(proxy.url);
    await service.ready();
    const target = await prepare(service.url, postgres.url);
    const writes = Object.entries(everyRequest(target)).filter(([name]) => !name.startsWith('GET '));
    const answers: Answer[] = [];
    // The deployment's own end comes last.
    const isLast = ([name]: [string, unknown]): number => Number(name === 'DELETE /deploy/:id');
    for (const [name, send] of writes.toSorted((a, b) => isLast(a) - isLast(b))) {
      isArmed = false;
      await soon(() => request(service.url).get('/readyz').expect(200));
      isArmed = true;
      answers.push(await answerTo(name, send));
    }
    isArmed = false;
    expect(answers.filter((answer) => !isUnavailable(answer))).toEqual([]);
    expect(swallowed).toBeGreaterThanOrEqual(writes.length);
    expect(await service.stop()).toEqual(ENDED_WELL);
  });
});
