import { afterAll, afterEach, expect } from 'vitest';
import { takeProblems } from './reference.ts';

/* A set-up file: a test fails when an answer of a service that it started is not as the reference says. */

const expectNone = (): void => expect(takeProblems(), 'answers that are not as the reference says').toEqual([]);
afterEach(expectNone);
afterAll(expectNone);
