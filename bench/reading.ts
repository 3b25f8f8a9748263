import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKey } from '../src/db/owners.ts';
import { alternate, compare, type Figures, isInstalled, type Row, run, wrk, wrkScript } from './measure.ts';
import { type Case, sql } from './stage.ts';

const ROWS = 1_000_000;
const LAST_PAGE = ROWS / 50;
const ID = `d_${'0'.repeat(24)}`;

/** One deployment with a million submissions: its list at both ends, and all of them as lines of JSON. */
export const reading: Case = async (stage, leaveOut) => {
  const key = await createKey(stage.db, { email: 'bench@test.example', plan: undefined, defaultPlan: 'unlimited' });
  await sql(
    stage.connection,
    `INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
     SELECT '${ID}', n, 'sub_' || lpad(n::text, 24, '0'),
            json_build_object('name', 'Visitor ' || n, 'email', n || '@example.org', 'message', 'Please send me the notes on the engine.'),
            '203.0.113.7', now() - (${ROWS} - n) * interval '1.001 s' FROM generate_series(1, ${ROWS}) AS n;
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
  async function copied(): Promise<Figures> {
    const beganAt = performance.now();
    const query = `COPY (SELECT id, data, ip_address, created_at FROM submissions WHERE deployment_id = '${ID}' ORDER BY number) TO STDOUT`;
    const psql = spawn('psql', ['-q', '-c', query, ...stage.reach], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(psql, 'exit');
    if (code !== 0) throw new Error('psql failed.');
    return { rate: ROWS / ((performance.now() - beganAt) / 1_000) };
  }

  const watched = () => ({ formhost: service.pid, postgres: stage.postmaster });
  const lists = await alternate({ first: await list(1), last: await list(LAST_PAGE) }, watched);
  const rows: Row[] = [
    compare(`list, page ${LAST_PAGE} of ${ROWS}`, { atMost: 1.2 }, lists('last'), lists('first'), {
      against: 'page 1',
      figure: 'median',
      unit: ' ms',
    }),
  ];
  if ((await isInstalled('psql')) && (await isInstalled('curl'))) {
    const all = await alternate({ exported, copied }, watched);
    rows.push(
      compare(`export.ndjson, ${ROWS} rows`, { atLeast: 0.5 }, all('exported'), all('copied'), { against: 'COPY' }),
    );
  } else leaveOut('export.ndjson to COPY: psql or curl is not installed');
  return rows;
};
