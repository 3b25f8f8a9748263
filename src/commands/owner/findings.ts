import type { Schemas } from '../../client/client.ts';
import { printable, styled } from './output.ts';

type Problem = Schemas['Problem'];

/** Problems of a page as compilers write them: file, line, column, what it is. */
export const showProblems = (name: string, problems: readonly Problem[], stream: NodeJS.WriteStream): string[] =>
  problems.map(({ line, column, severity, code, message }) => {
    const kind = styled(severity === 'error' ? 'red' : 'yellow', severity, stream);
    return `${printable(name)}:${line}:${column} ${kind} ${printable(code)}: ${printable(message)}`;
  });

export const countOf = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
