import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/** The result of one round of one side: operations a second, milliseconds, megabytes. */
export type Figures = Readonly<Record<string, number>>;

/** Processor time in seconds by who used it, and how long the round took. */
type Used = { seconds: number; by: ReadonlyMap<string, number> };

export type Round = { figures: Figures; used: Used };

/** Process ids by the name that the table gives them; what they have started counts as theirs. */
export type Watched = () => Readonly<Record<string, number>>;

/**
 * The goal: for rates the lowest ratio, for times the highest ratio, or a figure
 * itself.
 */
export type Goal = { atLeast: number } | { atMost: number } | undefined;

export type Row = {
  path: string;
  ours: string;
  against: string;
  ratio: number;
  least: number;
  most: number;
  goal: Goal;
  processor: string;
};

const TICKS = 100;

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The value that a share of all are at or below. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

/**
 * Corrects the times of another program as wrk corrects its own: during an answer that takes longer than twice the `usual`
 * time, a client would have waited for further ones. They are added, each shorter by the usual time than the one before.
 */
export function withOmitted(milliseconds: readonly number[], usual: number): number[] {
  const all = [...milliseconds];
  for (const one of milliseconds) {
    if (one < 2 * usual) continue;
    for (let rest = one - usual; rest > usual; rest -= usual) all.push(rest);
  }
  return all;
}

/** Processor seconds that a process and all that it has started have used so far (Linux; else 0). */
export function processorOf(roots: Readonly<Record<string, number>>): Map<string, number> {
  const seconds = new Map(Object.keys(roots).map((name) => [name, 0]));
  if (process.platform !== 'linux') return seconds;
  const stats = new Map<number, { parent: number; ticks: number }>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      // After the name in parentheses: state, parent, ..., and from the 12th on user, system, and those of ended
      // children.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      stats.set(Number(entry), { parent: Number(fields[1]), ticks });
    } catch {
      // It has ended meanwhile.
    }
  }
  const nameOf = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]));
  for (const [pid, { ticks }] of stats) {
    let ancestor = pid;
    while (ancestor > 1 && !nameOf.has(ancestor)) ancestor = stats.get(ancestor)?.parent ?? 0;
    const name = nameOf.get(ancestor);
    if (name !== undefined) seconds.set(name, (seconds.get(name) ?? 0) + ticks / TICKS);
  }
  return seconds;
}

async function measured(side: () => Promise<Figures>, watched: Watched): Promise<Round> {
  // The load is this process and the programs that it waits for.
  const before = processorOf({ ...watched(), load: process.pid });
  const beganAt = performance.now();
  const figures = await side();
  const after = processorOf({ ...watched(), load: process.pid });
  const by = new Map(Array.from(after, ([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]));
  return { figures, used: { seconds: (performance.now() - beganAt) / 1_000, by } };
}

/** Runs all sides one after another, several times; the first round warms up and doesn't count. */
export async function alternate(
  sides: Readonly<Record<string, () => Promise<Figures>>>,
  watched: Watched,
  rounds = 5,
): Promise<(name: string) => readonly Round[]> {
  const results = new Map<string, Round[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, side] of Object.entries(sides)) {
      const result = await measured(side, watched);
      if (round > 0) results.set(name, [...(results.get(name) ?? []), result]);
    }
  }
  return (name) => results.get(name) ?? [];
}

const figuresOf = (rounds: readonly Round[], key: string): number[] =>
  rounds.map(({ figures }) => figures[key] ?? Number.NaN);

const shown = (value: number, unit: string): string => `${value >= 100 ? value.toFixed(0) : value.toFixed(2)}${unit}`;

/** The share of the machine's processors that each process used while ours was measured. */
function processor(rounds: readonly Round[]): string {
  const names = [...new Set(rounds.flatMap(({ used }) => [...used.by.keys()]))];
  const shares = names.map((name) => ({
    name,
    share: median(rounds.map(({ used }) => (used.by.get(name) ?? 0) / used.seconds)),
  }));
  const busy = shares.filter(({ share }) => share >= 0.01);
  return busy.map(({ name, share }) => `${name} ${(share * 100).toFixed(0)} %`).join(', ');
}

/** Compares one figure of two sides: the ratio of their medians, and the least and the most that one round gave. */
export function compare(
  path: string,
  goal: Goal,
  ours: readonly Round[],
  theirs: readonly Round[],
  { figure = 'rate', unit = '/s', against }: { figure?: string; unit?: string; against: string },
): Row {
  const [a, b] = [figuresOf(ours, figure), figuresOf(theirs, figure)];
  const ratios = a.map((value, round) => value / (b[round] ?? Number.NaN));
  return {
    path,
    goal,
    ours: shown(median(a), unit),
    against: `${against} ${shown(median(b), unit)}`,
    ratio: median(a) / median(b),
    least: Math.min(...ratios),
    most: Math.max(...ratios),
    processor: processor(ours),
  };
}

/** A figure that is compared with a number. */
export function absolute(path: string, goal: { atMost: number }, values: readonly number[], unit: string): Row {
  return {
    path,
    goal,
    ours: shown(median(values), unit),
    against: `${goal.atMost}${unit}`,
    ratio: median(values) / goal.atMost,
    least: Math.min(...values) / goal.atMost,
    most: Math.max(...values) / goal.atMost,
    processor: '',
  };
}

/** Returns the verdict on a median: it reaches its goal, is within the run's spread of it, or neither. */
export function verdict({ goal, ratio, least, most, against }: Row): string {
  if (goal === undefined) return '';
  const figure = 'atLeast' in goal ? goal.atLeast : goal.atMost;
  const wanted = against.startsWith(String(figure)) ? 1 : figure;
  if ('atLeast' in goal ? ratio >= wanted : ratio <= wanted) return 'reached';
  return ('atLeast' in goal ? most >= wanted : least <= wanted) ? 'within the spread' : 'not reached';
}

export async function isInstalled(command: string): Promise<boolean> {
  return run('sh', ['-c', `command -v ${command}`]).then(
    () => true,
    () => false,
  );
}

/**
 * Sends what a script says for some seconds over kept connections: answers a second, and how long they take, in
 * milliseconds. Throws when an answer is an error, unless `refused`: then when one isn't.
 */
export async function wrk(
  script: string,
  port: number,
  { connections = 64, seconds, refused = false }: { connections?: number; seconds: number; refused?: boolean },
): Promise<{ rate: number; answers: number; median: number; p99: number }> {
  const { stdout } = await run('wrk', [
    ...['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency', '-s', script],
    `http://127.0.0.1:${port}`,
  ]);
  const milliseconds = (share: number): number => {
    const [, time, unit] = new RegExp(`${share}%\\s+([0-9.]+)(us|ms|s)`).exec(stdout) ?? [];
    return Number(time) * (unit === 's' ? 1_000 : unit === 'us' ? 0.001 : 1);
  };
  const count = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1] ?? 0);
  const answers = count(/(\d+) requests in/);
  const errors = count(/Non-2xx or 3xx responses: (\d+)/);
  if (errors !== (refused ? answers : 0) || /Socket errors/.test(stdout))
    throw new Error(`Not the answers expected:\n${stdout}`);
  return { rate: count(/Requests\/sec:\s+([0-9.]+)/), answers, median: milliseconds(50), p99: milliseconds(99) };
}

/**
 * A script for wrk that sends these requests (Lua expressions of `n`, 0 to `count` - 1) in turn from the `first` on, all
 * made beforehand.
 */
export const wrkScript = (count: number, request: string, first = 0): string => `local requests = {}
init = function()
  for n = 0, ${count - 1} do requests[n] = ${request} end
end
local n = ${first}
request = function()
  n = (n + 1) % ${count}
  return requests[n]
end
`;

/** The memory that a process uses now, in MB. */
export async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}
