import { printable, printableLines } from './lib/printable.ts';

/** Lines of stacks are ours; any other text may be a visitor's, who could write lines of the log in it. */
const asShown = (name: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  return name === 'stack' ? printableLines(value) : printable(value);
};

type Style = { hasColors: boolean; hasPid: boolean };

/** Returns what makes a line for a person on a terminal of a JSON line. `hasPid`: it names the process. */
export async function readableLines({ hasColors, hasPid }: Style): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const show = prettyFactory({
    colorize: hasColors,
    translateTime: 'SYS:HH:MM:ss',
    ignore: hasPid ? '' : 'pid',
    singleLine: true,
  });
  return (line) => show(JSON.parse(line, asShown));
}
