import { spawn } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeKey } from '../src/db/account/owner-queries.ts';
import { absolute, alternate, compare, type Figures, isInstalled, type Row, run, wrk, wrkScript } from './measure.ts';
import { type Case, sql } from './stage.ts';

const ROWS = 1_000_000;
const LAST_PAGE = ROWS / 50;
const ID = `d_${'0'.repeat(24)}`;

const WAITING = 1_000;
/** The database's statistics count a transaction up to 10 s after it. Both fit into the time that a request waits. */
const SETTLED_MS = 12_000;
const WATCHED_MS = 15_000;

/**
 * One deployment with a million submissions of a year: its list at both ends, all of them as lines of JSON, a search of
 * all, the statistics of all, and what it costs that many wait for the next.
 */
export const reading: Case = async (stage, leaveOut) => {
  const { key } = await makeKey(stage.db, { email: 'bench@test.example', defaultPlan: 'unlimited' });
  await sql(
    stage.connection,
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT '${ID}', n, 'sub_' || lpad(n::text, 24, '0'),
            json_build_object('name', 'Visitor ' || n, 'email', n || '@example.org', 'message', 'Please send me the notes on the engine.'),
            '203.0.113.7', now() - (${ROWS} - n) * interval '31.5 s' FROM generate_series(1, ${ROWS}) AS n;
     UPDATE deployments SET submission_count = ${ROWS}, last_submission_number = ${ROWS} WHERE id = '${ID}'`,
  );
  await sql(stage.connection, 'VACUUM ANALYZE submissions');
  const service = await stage.serve();
  const headers = { authorization: `Bearer ${key}` };

  const list = async (page: number): Promise<() => Promise<Figures>> => {
    const path = `/submissions/${ID}?page=${page}&limit=50`;
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers });
    const { submissions, total }: { submissions: { id: string }[]; total: number } = JSON.parse(await answer.text());
    if (total !== ROWS || submissions[0]?.id !== `sub_${String(ROWS - (page - 1) * 50).padStart(24, '0')}`) {
      throw new Error(`That is not page ${page}.`);
    }
    const script = join(stage.folder, `page-${page}.lua`);
    await writeFile(script, wrkScript(1, `wrk.format("GET", "${path}", { Authorization = "Bearer ${key}" })`));
    return () => wrk(script, service.port, { connections: 1, seconds: 1 });
  };

  /** Rows a second of all rows. */
  async function exported(): Promise<Figures> {
    const beganAt = performance.now();
    const url = `http://127.0.0.1:${service.port}/submissions/${ID}/export.ndjson`;
    const { stdout } = await run('sh', ['-c', `curl -sf -H "Authorization: Bearer $KEY" ${url} | wc -l`], {
      env: { ...process.env, KEY: key },
    });
    if (Number(stdout) !== ROWS) throw new Error(`${stdout.trim()} lines of ${ROWS}.`);
    return { rate: ROWS / ((performance.now() - beganAt) / 1_000) };
  }
  /** Searches all rows for a text that is in none, and returns the rows a second. */
  async function searched(): Promise<Figures> {
    const beganAt = performance.now();
    let [looked, cursor]: [number, string | null] = [0, ''];
    while (cursor !== null) {
      const path = `/submissions/${ID}/search?q=nowhere${cursor && `&cursor=${cursor}`}`;
      const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers });
      const part: { submissions: []; searched: number; next_cursor: string | null } = JSON.parse(await answer.text());
      if (part.submissions.length > 0) throw new Error('What is nowhere was found.');
      looked += part.searched;
      cursor = part.next_cursor;
    }
    if (looked !== ROWS) throw new Error(`${looked} were searched of ${ROWS}.`);
    return { rate: ROWS / ((performance.now() - beganAt) / 1_000) };
  }
  async function copied(): Promise<Figures> {
    const beganAt = performance.now();
    const query = `COPY (SELECT id, data, ip_address, created_at FROM submissions WHERE deployment_id = '${ID}' ORDER BY number) TO STDOUT`;
    const psql = spawn('psql', ['-q', '-c', query, ...stage.reach], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(psql, 'exit');
    if (code !== 0) throw new Error('psql failed.');
    return { rate: ROWS / ((performance.now() - beganAt) / 1_000) };
  }

  async function statistics(): Promise<() => Promise<Figures>> {
    const day = (before: number): string => new Date(Date.now() - before * 24 * 3_600_000).toISOString().slice(0, 10);
    const path = `/deploy/${ID}/stats?from=${day(365)}&to=${day(0)}`;
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers });
    const { buckets, total }: { buckets: unknown[]; total: number } = JSON.parse(await answer.text());
    if (buckets.length !== 365 || total < 0.9 * ROWS) throw new Error('That is not the year.');
    const script = join(stage.folder, 'statistics.lua');
    await writeFile(script, wrkScript(1, `wrk.format("GET", "${path}", { Authorization = "Bearer ${key}" })`));
    return () => wrk(script, service.port, { connections: 1, seconds: 1 });
  }

  /** Transactions a second of the database, as its statistics count them with some delay. */
  async function transactions(): Promise<number> {
    const count = async (): Promise<number> => {
      const { rows } = await stage.db.raw(
        'SELECT xact_commit::integer AS count FROM pg_stat_database WHERE datname = current_database()',
      );
      return rows[0].count;
    };
    const [before, beganAt] = [await count(), performance.now()];
    await delay(WATCHED_MS);
    return ((await count()) - before) / ((performance.now() - beganAt) / 1_000);
  }
  /** How many more queries there are while many wait for the next submission. */
  async function waited(): Promise<number> {
    await delay(SETTLED_MS);
    const idle = await transactions();
    const over = new AbortController();
    setMaxListeners(WAITING, over.signal);
    const waiting = Array.from({ length: WAITING }, async () => {
      const path = `/submissions/${ID}/after/${ROWS}?wait=30`;
      await fetch(`http://127.0.0.1:${service.port}${path}`, { headers, signal: over.signal }).catch(() => undefined);
    });
    await delay(SETTLED_MS);
    const busy = await transactions();
    over.abort();
    await Promise.all(waiting);
    return busy - idle;
  }

  const watched = () => ({ formhost: service.pid, postgres: stage.postmaster });
  const lists = await alternate({ first: await list(1), last: await list(LAST_PAGE) }, watched);
  const year = (await alternate({ year: await statistics() }, watched))('year');
  const rows: Row[] = [
    absolute(
      `statistics of a year, ${ROWS} submissions`,
      { atMost: 5 },
      year.map(({ figures }) => figures.median ?? Number.NaN),
      ' ms',
    ),
    absolute(`queries a second while ${WAITING} wait for a submission`, { atMost: 1 }, [await waited()], ''),
    compare(`list, page ${LAST_PAGE} of ${ROWS}`, { atMost: 1.2 }, lists('last'), lists('first'), {
      against: 'page 1',
      figure: 'median',
      unit: ' ms',
    }),
  ];
  if ((await isInstalled('psql')) && (await isInstalled('curl'))) {
    const all = await alternate({ exported, searched, copied }, watched);
    rows.push(
      compare(`export.ndjson, ${ROWS} rows`, { atLeast: 0.5 }, all('exported'), all('copied'), { against: 'COPY' }),
      compare(`search of ${ROWS}`, { atLeast: 0.3 }, all('searched'), all('copied'), { against: 'COPY' }),
    );
  } else leaveOut('export.ndjson and search to COPY: psql or curl is not installed');
  return rows;
};
