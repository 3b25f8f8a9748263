import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  alternate,
  compare,
  type Figures,
  isInstalled,
  median,
  percentile,
  run,
  withOmitted,
  wrk,
  wrkScript,
} from './measure.ts';
import {
  addDeployments,
  type Case,
  DEPLOYMENTS,
  freePort,
  reset,
  type Stage,
  SUBMISSIONS_A_MINUTE,
  sql,
  stored,
} from './stage.ts';

const SECONDS = 2;
const DATA = '{"name":"Ada Lovelace","email":"ada@example.org","message":"Please send me the notes on the engine."}';

const lua = (body: string): string => JSON.stringify(body).replaceAll('\\u', '\\\\u');
const post = (type: string, body: string): string =>
  `wrk.format("POST", string.format("/submit/d_%024d", n), { ["Content-Type"] = "${type}" }, ${lua(body)})`;

const FIELDS: readonly (readonly [string, string])[] = [
  ['name', 'Ada Lovelace'],
  ['email', 'ada@example.org'],
  ['message', 'Please send me the notes on the engine.'],
];
const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const PARTS = FIELDS.map(
  ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
);

const REQUESTS = {
  json: post('application/json', DATA),
  urlencoded: post('application/x-www-form-urlencoded', String(new URLSearchParams(FIELDS.map(([...field]) => field)))),
  multipart: post(`multipart/form-data; boundary=${BOUNDARY}`, `${PARTS.join('')}--${BOUNDARY}--\r\n`),
};
type Encoding = keyof typeof REQUESTS;

/** A script for wrk: a small form to each of so many deployments, round-robin. */
export async function submitScript(
  { folder }: Stage,
  encoding: Encoding = 'json',
  deployments = DEPLOYMENTS,
): Promise<string> {
  const script = join(folder, `${encoding}-${deployments}.lua`);
  await writeFile(script, wrkScript(deployments, REQUESTS[encoding]));
  return script;
}

/** One round: how many submissions were stored a second. Throws when fewer were than were answered. */
export async function submitRound(
  { db }: Stage,
  script: string,
  port: number,
  { seconds = SECONDS, connections = 64, mostOfForm = SUBMISSIONS_A_MINUTE } = {},
): Promise<Figures> {
  await reset(db);
  const { answers, p99, median } = await wrk(script, port, { seconds, connections });
  const rows = await stored(db, mostOfForm);
  if (rows < answers) throw new Error(`${answers} were answered, ${rows} stored.`);
  return { rate: rows / seconds, p99, median };
}

/** A statement that inserts and counts, and checks nothing. */
const insert = (deploymentId: string, data: string): string => `WITH counted AS (
  UPDATE deployments SET submission_count = submission_count + 1, last_submission_number = last_submission_number + 1
   WHERE id = ${deploymentId} RETURNING id, last_submission_number
) INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
  SELECT id, last_submission_number, 'sub_' || gen_random_uuid(), ${data}, '127.0.0.1', clock_timestamp() FROM counted`;

/** The statement that pgbench runs for each of so many deployments, prepared once. */
const insertInto = (deployments: number): string =>
  `\\set n random(0, ${deployments - 1})\n${insert("'d_' || lpad((:n)::text, 24, '0')", `'${DATA}'`)};\n`;

async function pgbench({ db, reach, folder }: Stage, clients: number, deployments = DEPLOYMENTS): Promise<Figures> {
  await reset(db);
  const script = join(folder, 'insert.sql');
  await writeFile(script, insertInto(deployments));
  const prefix = join(folder, 'pgbench');
  await run('pgbench', [
    ...['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(SECONDS), '-f', script],
    ...['-l', `--log-prefix=${prefix}`, ...reach],
  ]);
  const logs = (await readdir(folder)).filter((name) => name.startsWith('pgbench.'));
  const milliseconds: number[] = [];
  for (const name of logs) {
    const lines = (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n');
    // Client, transaction, microseconds, and so on.
    for (const line of lines) milliseconds.push(Number(line.split(' ')[2]) / 1_000);
    await rm(join(folder, name));
  }
  const all = withOmitted(milliseconds, (SECONDS * 1_000 * clients) / milliseconds.length);
  return { rate: (await stored(db)) / SECONDS, p99: percentile(all, 0.99), median: median(all) };
}

/** Fills the window of every deployment; how many submissions came late from the round before. */
async function fill({ db }: Stage): Promise<number> {
  await reset(db);
  await db.raw('UPDATE deployments SET recent_submissions = array_fill(clock_timestamp(), ARRAY[10])');
  await db.raw('VACUUM deployments');
  return stored(db);
}

/** Submissions, to pgbench on the same server, and refused ones, to accepted ones. */
export const submit: Case = async (stage, leaveOut) => {
  // The second remembers the forms that it has refused.
  const [service, refusing] = [await stage.serve(), await stage.serve()];
  const scripts = {
    json: await submitScript(stage),
    urlencoded: await submitScript(stage, 'urlencoded'),
    multipart: await submitScript(stage, 'multipart'),
  };
  const round =
    (encoding: Encoding, options = {}) =>
    () =>
      submitRound(stage, scripts[encoding], service.port, options);
  const barePort = await freePort();
  await stage.start(
    [process.execPath, 'bench/bare-submit.ts', String(barePort), stage.url, insert('$1', '$2')],
    `http://127.0.0.1:${barePort}`,
  );
  async function refused(): Promise<Figures> {
    const before = await fill(stage);
    const send = () => wrk(scripts.json, refusing.port, { seconds: SECONDS, refused: true });
    // The first refusal of each deployment needs the database: a slow machine would measure little else.
    await send();
    const { rate } = await send();
    if ((await stored(stage.db)) !== before) throw new Error('A full deployment took a submission.');
    return { rate };
  }
  const hasPgbench = await isInstalled('pgbench');
  if (!hasPgbench) leaveOut('submissions to pgbench: pgbench is not installed');
  const yardstick = (clients: number) => () => (hasPgbench ? pgbench(stage, clients) : Promise.resolve<Figures>({}));
  const watched = () => ({ formhost: service.pid, refusing: refusing.pid, postgres: stage.postmaster });
  const rounds = await alternate(
    {
      pgbench: yardstick(16),
      json: round('json'),
      urlencoded: round('urlencoded'),
      multipart: round('multipart'),
      refused,
      pgbench1: yardstick(1),
      json1: round('json', { connections: 1 }),
      bare1: () => submitRound(stage, scripts.json, barePort, { connections: 1 }),
    },
    watched,
  );
  const against = 'pgbench';
  const toPgbench = [
    compare('submit, JSON', { atLeast: 1.25 }, rounds('json'), rounds('pgbench'), { against }),
    compare('submit, urlencoded', { atLeast: 1 }, rounds('urlencoded'), rounds('pgbench'), { against }),
    compare('submit, multipart', { atLeast: 0.7 }, rounds('multipart'), rounds('pgbench'), { against }),
    compare('submit, p99', { atMost: 4 }, rounds('json'), rounds('pgbench'), { against, figure: 'p99', unit: ' ms' }),
    compare('bare node:http and pg, one connection, median', undefined, rounds('bare1'), rounds('pgbench1'), {
      against,
      figure: 'median',
      unit: ' ms',
    }),
  ];
  const refusals = compare('submit, refused (429)', { atLeast: 1.4 }, rounds('refused'), rounds('json'), {
    against: 'accepted',
  });
  const alone = compare('submit, one connection, median', { atMost: 1.3 }, rounds('json1'), rounds('bare1'), {
    against: 'node:http and pg',
    figure: 'median',
    unit: ' ms',
  });
  return [...(hasPgbench ? toPgbench : []), alone, refusals];
};

/** Numbers of forms that get submissions in turn: the process has all in memory, some, or few. */
const FORMS = [1_000, 20_000, 200_000];
/** The rate limit of these forms: a round sends more than 10 to each of a few. */
const RAISED_LIMIT = 100;

/** Submissions to few, many and very many forms in turn, to pgbench on the same server. */
export const forms: Case = async (stage, leaveOut) => {
  if (!(await isInstalled('pgbench'))) {
    leaveOut('submissions to many forms: pgbench is not installed');
    return [];
  }
  await addDeployments(stage.connection, DEPLOYMENTS, Math.max(...FORMS));
  await sql(stage.connection, `UPDATE deployments SET submissions_per_minute = ${RAISED_LIMIT}`);
  await sql(stage.connection, 'VACUUM (FULL, ANALYZE) deployments');
  const service = await stage.serve();
  const sides: Record<string, () => Promise<Figures>> = {};
  for (const count of FORMS) {
    const script = await submitScript(stage, 'json', count);
    sides[`pgbench ${count}`] = () => pgbench(stage, 16, count);
    sides[`json ${count}`] = () => submitRound(stage, script, service.port, { mostOfForm: RAISED_LIMIT });
  }
  const rounds = await alternate(sides, () => ({ formhost: service.pid, postgres: stage.postmaster }));
  return FORMS.map((count) =>
    compare(`submit, ${count} forms in turn`, { atLeast: 0.9 }, rounds(`json ${count}`), rounds(`pgbench ${count}`), {
      against: 'pgbench',
    }),
  );
};
