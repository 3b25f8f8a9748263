import type { z } from 'zod';
import { Refusal } from './refusal.ts';
import { valueTemplate } from './sentence.ts';
import { type Fault, MAX_VALUE_ERRORS, type Place, type ValueError } from './value-errors.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Names the place of the value at a path. */
export type PlaceOf = (path: Path) => Place;

const valueAt = (values: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, step) => (value instanceof Object ? Reflect.get(value, step) : undefined), values);

/** A limit of zod that excludes itself is one of whole numbers. */
function sizeFault(kind: 'high' | 'low', { origin, inclusive = true }: Sized, bound: number): Fault {
  const limit = inclusive ? bound : bound + (kind === 'high' ? -1 : 1);
  const isNumber = ['number', 'int', 'bigint', 'date'].includes(origin);
  if (kind === 'high') return { code: isNumber ? 'too-high' : 'too-long', limit };
  return { code: isNumber ? 'too-low' : 'too-short', limit };
}
type Sized = { origin: string; inclusive?: boolean | undefined };

function faultOf(issue: Issue, value: unknown): Fault {
  if (issue.code === 'custom' && issue.params instanceof Refusal) return issue.params.fault;
  if (value === undefined) return { code: 'missing' };
  switch (issue.code) {
    case 'too_big':
      return sizeFault('high', issue, Number(issue.maximum));
    case 'too_small':
      return sizeFault('low', issue, Number(issue.minimum));
    case 'invalid_value':
      return { code: issue.values.some((one) => typeof one === typeof value) ? 'unknown-value' : 'wrong-type' };
    case 'invalid_type':
    case 'invalid_union':
      return { code: 'wrong-type' };
    case 'unrecognized_keys':
    case 'not_multiple_of':
      return { code: 'not-allowed' };
    default:
      return { code: 'wrong-format' };
  }
}

/** Returns the stricter of two faults of one value: zod has limits of its own, which say less. */
function stricter(fault: Fault, other: Fault): Fault {
  if (!('limit' in fault && 'limit' in other) || fault.code !== other.code) return fault;
  const isUpper = fault.code === 'too-high' || fault.code === 'too-long';
  return { ...fault, limit: (isUpper ? Math.min : Math.max)(fault.limit, other.limit) };
}

/** Returns the template of the sentence about what a schema refuses. */
export const issueTemplate = ({ path, message }: Issue): string => valueTemplate(path, message);

/** Each of the members that an object does not have is a value of its own. */
const pathsOf = (issue: Issue): Path[] =>
  issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];

/**
 * Returns the values that a schema refuses, each with its first error, in the order of the schema. `values`: what was
 * checked; `names`: the fields of the schema.
 */
export function valueErrors(
  issues: readonly Issue[],
  values: unknown,
  names: readonly string[],
  placeOf: PlaceOf,
): ValueError[] {
  const rank = new Map(names.map((name, at): [PropertyKey, number] => [name, at]));
  const rankOf = ({ path: [name = ''] }: Issue): number => rank.get(name) ?? names.length;
  const errors = new Map<string, ValueError>();
  for (const issue of issues.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    for (const path of pathsOf(issue)) {
      const place = placeOf(path);
      const value = valueAt(values, path);
      const isTwice = !('pointer' in place) && Array.isArray(value);
      const fault: Fault = isTwice ? { code: 'not-allowed' } : faultOf(issue, value);
      const key = JSON.stringify(place);
      const before = errors.get(key);
      if (!before && errors.size === MAX_VALUE_ERRORS) return [...errors.values()];
      errors.set(
        key,
        before ? { ...before, ...stricter(before, fault) } : { ...place, ...fault, detail: issueTemplate(issue) },
      );
    }
  }
  return [...errors.values()];
}
