import { loadTexts } from '../../src/dashboard/texts/chosen-texts.ts';

/* Modules of the dashboard for tests without a browser. They use its texts while they are evaluated. */

await loadTexts();

export const { formProblem, inViewWords } = await import('../../src/dashboard/dashboard-words.ts');
export const { FIELDS, LABELS, sentenceOf } = await import('../../src/dashboard/setting-fields.ts');
