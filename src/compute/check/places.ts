import { SIZES } from '../../sizes.ts';
import type { Found, Problem } from './answer.ts';

/** The problems in the order of the source, each once, at most SIZES.check.maxProblemsPerCode of each code. */
export function toProblems(problems: Iterable<Found>, source: string): Problem[] {
  const found = new Map<string, Found>();
  const counts = new Map<Found['code'], number>();
  for (const problem of problems) {
    const count = counts.get(problem.code) ?? 0;
    // A form of several ways can have a fault in each of them, at one place.
    const key = `${problem.code} ${problem.at} ${problem.message}`;
    if (count === SIZES.check.maxProblemsPerCode || found.has(key)) continue;
    counts.set(problem.code, count + 1);
    found.set(key, problem);
  }
  const sorted = [...found.values()].toSorted((one, other) => one.at - other.at);
  let [line, lineStart] = [1, 0];
  const lineEnd = /\r\n?|\n/g;
  let next = lineEnd.exec(source);
  return sorted.map(({ code, severity, message, at }) => {
    for (; next && lineEnd.lastIndex <= at; next = lineEnd.exec(source)) {
      line += 1;
      lineStart = lineEnd.lastIndex;
    }
    return { code, severity, message, line, column: at - lineStart + 1 };
  });
}

/** The line of an index of a source. */
export const lineAt = (source: string, at: number): number => source.slice(0, at).split(/\r\n?|\n/).length;
