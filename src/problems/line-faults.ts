import { sentenceReader } from './coded-sentences.ts';

/*
 * The faults of lines of a file, with the sentence of each by its code. `{value}` is the place of a number or of a text of the file.
 */

export const LINE_FAULTS = {
  'open-quote': 'A quote that begins a cell here is never closed: close it, or double the quotes inside the cell.',
  'early-quote': 'A quoted cell goes on after its closing quote: double the quotes inside the cell.',
  'inner-quote': 'A quote is in the middle of a cell: put the cell in quotes, and double the quotes inside it.',
  'long-row': 'The row is too large: shorten its values, or check the quotes before it.',
  'unreadable-row': 'The row can’t be read: check its quotes.',
  'long-line': 'The line is too long: at most {value} bytes are possible.',
  'no-id': 'The row has no id of a submission, as the first row has.',
  'too-many-cells': 'The row has more cells than the header row: check its quotes and separators.',
  'changed-export': 'The column “{value}” is not as it was exported.',
  'unnamed-column': 'A cell stands in a column without a name: give the column a name.',
  'no-object': 'The line is not a JSON object.',
  'no-json': 'The line is not valid JSON.',
  'too-deep': 'The line is nested too deeply: at most {value} levels are possible.',
  'too-many-fields': 'The row has too many fields: at most {value} are possible.',
  'too-many-values': 'The row has too many values: at most {value} are possible.',
  'too-large': 'The row is too large: at most {value} bytes are possible.',
  'no-ip-address': '“{value}” is not an IP address.',
  'no-time': '“{value}” is not a time that can be read: write it as 2024-05-01T13:45:10Z.',
  'before-1970': 'The time is before 1970.',
  'in-future': 'The time is in the future.',
  'month-first': 'The time has its month first.',
  'day-first': 'The time has its day first.',
  'other-order': 'The time has its day and its month in another order than that of line {value}.',
  'either-order':
    'The day or the month could come first here, as in all times of the file: say which, day-first or month-first.',
  'impossible-order':
    'The time is in the future, or before 1970, with its day and month in the order of the other rows.',
} as const;

export type LineFault = keyof typeof LINE_FAULTS;

/** Finds the fault that the message of a line tells. */
export const faultOf = sentenceReader<LineFault>(LINE_FAULTS);

/** A line that can't be imported. `value`: for the place in the sentence. */
export type Problem = { line: number; problem: LineFault; value?: string | number };

/** An error in a line of a file. */
export type LineError = { line: number; message: string };

export const toLineError = ({ line, problem, value = '' }: Problem): LineError => ({
  line,
  message: LINE_FAULTS[problem].replace('{value}', () => String(value)),
});
