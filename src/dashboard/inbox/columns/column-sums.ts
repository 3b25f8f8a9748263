import { useMemo } from 'preact/hooks';
import { locale } from '../../texts/chosen-texts.ts';
import { lineNamed, type Submission } from '../read-submissions.ts';
import { type Labels, labelOf } from './column-labels.ts';

/** The total of a number field. */
export type Sum = { name: string; label: string; text: string };

/** A number as forms and JSON send it, without an exponent. A zero at the beginning is that of a code, not of a number. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.(\d{1,10}))?$/;
/** Types of controls in which people enter a number. */
const NUMBER_TYPES: ReadonlySet<string> = new Set(['number', 'range']);
/** Types of controls whose options may be numbers. */
const CHOICE_TYPES: ReadonlySet<string> = new Set(['select', 'radio']);
const DECIMALS = 10;

const format = new Intl.NumberFormat(locale, { maximumFractionDigits: DECIMALS });

/** A number of a text in units of its tenth decimal: a sum of these is exact. */
function unitsOf(text: string): bigint | undefined {
  const found = NUMBER.exec(text);
  if (!found) return undefined;
  const [, decimals = ''] = found;
  return BigInt(text.replace('.', '') + '0'.repeat(DECIMALS - decimals.length));
}

/** The units in words of the browser's language. */
function inWords(units: bigint): string {
  const scale = 10n ** BigInt(DECIMALS);
  const isNegative = units < 0n;
  const [whole, rest] = isNegative ? [-units / scale, -units % scale] : [units / scale, units % scale];
  const decimals = String(rest).padStart(DECIMALS, '0').replace(/0+$/, '');
  const point = format.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  return `${isNegative ? '−' : ''}${format.format(whole)}${decimals === '' ? '' : point + decimals}`;
}

/** The sum of a field over submissions; undefined where none has a number, or, for a choice, where one has another text. */
function sumOf(name: string, isStrict: boolean, rows: readonly Submission[]): bigint | undefined {
  let sum: bigint | undefined;
  for (const row of rows) {
    const text = lineNamed(row, name).trim();
    if (text === '') continue;
    const units = unitsOf(text);
    if (units === undefined && isStrict) return undefined;
    if (units !== undefined) sum = (sum ?? 0n) + units;
  }
  return sum;
}

/** The sums of the number fields of a form, in its order. A test is no submission of a visitor. */
function sumsOf(labels: Labels, rows: readonly Submission[]): readonly Sum[] {
  const counted = rows.filter(({ isTest }) => !isTest);
  return Array.from(labels, ([name, { type }]): Sum | undefined => {
    const isChoice = CHOICE_TYPES.has(type);
    if (!isChoice && !NUMBER_TYPES.has(type)) return undefined;
    const units = sumOf(name, isChoice, counted);
    return units === undefined ? undefined : { name, label: labelOf(labels, name), text: inWords(units) };
  }).filter((sum) => sum !== undefined);
}

export const useSums = (labels: Labels, rows: readonly Submission[]): readonly Sum[] =>
  useMemo(() => sumsOf(labels, rows), [labels, rows]);
