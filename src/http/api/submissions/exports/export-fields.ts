import { z } from 'zod';

/** The media type of CSV and its parameters (RFC 4180). */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

const switchedOn = (name: string, description: string) =>
  z.literal('1', `${name} is invalid: send ${name}=1, or leave it out.`).optional().meta({ description });

/*
 * Parameters of what has a header row.
 */
export const labelsField = {
  labels: switchedOn(
    'labels',
    'With `1`, the header row has the labels of the live page instead of the names of the fields. A field without a label ' +
      'keeps its name, and where two would be the same, each has its name behind it: `E-mail (email2)`.',
  ),
};
export const bomField = {
  bom: switchedOn('bom', 'With `1`, the file begins with a byte order mark, by which Excel knows that it is UTF-8.'),
};
