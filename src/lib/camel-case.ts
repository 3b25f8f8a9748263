/** A name of the API in the spelling of the code: `createdAt` for `created_at`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

export type InCamelCase<Row> = { [Name in keyof Row & string as CamelCase<Name>]: Row[Name] };

/** Returns a row with its names in the spelling of the code. */
export const inCamelCase = <Row extends object>(row: Row): InCamelCase<Row> =>
  Object.fromEntries(Object.entries(row).map(([name, value]): unknown[] => [camelCase(name), value]));
