import { LIMITS } from '../../src/limits.ts';
import { lengthenDeadlines } from './test-limits.ts';

/*
 * Node loads this file before the program of a test that is about no deadline: `--import ./test/support/patient-process.ts`. A process
 * takes no limits from outside.
 */

lengthenDeadlines(LIMITS);
