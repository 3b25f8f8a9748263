import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { alternate, compare, type Figures, wrk, wrkScript } from './measure.ts';
import type { Case } from './stage.ts';
import { submitRound, submitScript } from './submit.ts';

const SECONDS = 3;

/** Two processes behind one port, to one. */
export const workers: Case = async (stage, leaveOut) => {
  // Each of them, Postgres and the load would use one.
  const hasFourProcessors = availableParallelism() >= 4;
  if (!hasFourProcessors) leaveOut('a goal for WORKERS=2: it takes four processors');
  const goal = hasFourProcessors ? ({ atLeast: 1.5 } as const) : undefined;
  await stage.db.raw(
    "INSERT INTO pages (deployment_id, html) SELECT id, convert_to(repeat('x', 8192), 'UTF8') FROM deployments ORDER BY id LIMIT 1",
  );
  const script = await submitScript(stage);
  const pageScript = join(stage.folder, 'page.lua');
  await writeFile(pageScript, wrkScript(1, '"GET / HTTP/1.1\\r\\nHost: bench-a.localhost\\r\\n\\r\\n"'));
  const [one, two] = [await stage.serve({ WORKERS: '1' }), await stage.serve({ WORKERS: '2' })];
  const submit = (port: number) => () => submitRound(stage, script, port, { seconds: SECONDS });
  const page = (port: number) => (): Promise<Figures> => wrk(pageScript, port, { seconds: SECONDS });
  const rounds = await alternate(
    { submit1: submit(one.port), submit2: submit(two.port), page1: page(one.port), page2: page(two.port) },
    () => ({ 'one process': one.pid, formhost: two.pid, postgres: stage.postmaster }),
  );
  const against = 'WORKERS=1';
  return [
    compare('submit, WORKERS=2', goal, rounds('submit2'), rounds('submit1'), { against }),
    compare('page, WORKERS=2', goal, rounds('page2'), rounds('page1'), { against }),
  ];
};
