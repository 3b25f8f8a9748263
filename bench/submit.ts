import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../src/db/connect.ts';
import { openEmbeddedPostgres } from '../src/db/embedded-postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import { compare, DEPLOYMENTS, freePort, reset, run, SECONDS, seed, start, stop, stored, wrk } from './measure.ts';

/** What wrk sends: a small JSON form to each deployment in turn. */
export async function writeSubmitScript(folder: string): Promise<string> {
  const script = join(folder, 'submit.lua');
  await writeFile(
    script,
    `local n = 0
local body = '{"name":"Ada Lovelace","email":"ada@example.org","message":"Please send me the notes on the engine."}'
local headers = { ["Content-Type"] = "application/json" }
request = function()
  n = (n + 1) % ${DEPLOYMENTS}
  return wrk.format("POST", string.format("/submit/d_%024d", n), headers, body)
end
`,
  );
  return script;
}

export async function submit(folder: string): Promise<void> {
  const embedded = await openEmbeddedPostgres(join(folder, 'submit'));
  const { host, port, user, database } = embedded.connection;
  await migrate(embedded.connection);
  const db = connect(embedded.connection);
  await seed(db);

  const insert = join(folder, 'insert.sql');
  await writeFile(
    insert,
    String.raw`\set n random(0, ${DEPLOYMENTS - 1})
WITH counted AS (
  UPDATE deployments SET submission_count = submission_count + 1, last_submission_number = last_submission_number + 1
   WHERE id = 'd_' || lpad((:n)::text, 24, '0') RETURNING id, last_submission_number
) INSERT INTO submissions (deployment_id, number, id, data, ip_address, created_at)
  SELECT id, last_submission_number, 'sub_' || gen_random_uuid(), '{"name":"Ada Lovelace","email":"ada@example.org","message":"Please send me the notes on the engine."}', '127.0.0.1', clock_timestamp() FROM counted;
`,
  );
  const script = await writeSubmitScript(folder);

  const httpPort = await freePort();
  const url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const service = await start(
    ['src/main.ts'],
    { PORT: String(httpPort), DATABASE_URL: url, LOG_LEVEL: 'warn' },
    `http://127.0.0.1:${httpPort}/healthz`,
  );
  const p99: number[] = [];
  try {
    await compare(
      'submit, JSON, to pgbench',
      async () => {
        await reset(db);
        await run('pgbench', [
          '-n',
          '-M',
          'prepared',
          '-c',
          '16',
          '-j',
          '1',
          '-T',
          String(SECONDS),
          '-f',
          insert,
          '-h',
          host,
          '-p',
          String(port),
          '-U',
          user,
          database,
        ]);
        return (await stored(db)) / SECONDS;
      },
      async () => {
        await reset(db);
        const { failures, p99: slow } = await wrk(script, httpPort);
        p99.push(slow);
        if (failures > 0) console.log(`(${failures} answers were not 2xx)`);
        return (await stored(db)) / SECONDS;
      },
    );
    console.log(`submit, p99 of the rounds: ${p99.slice(1).join(' ')} ms`);
  } finally {
    await stop(service);
    await db.close();
    await embedded.close();
  }
}
