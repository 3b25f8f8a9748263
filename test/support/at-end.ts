import { afterAll, onTestFinished, TestRunner } from 'vitest';

/** Has something done when the test is over; at the top of a file, when all of its tests are. */
export function atEnd(work: () => unknown): void {
  const done = async (): Promise<void> => void (await work());
  if (TestRunner.getCurrentTest()) onTestFinished(done);
  else afterAll(done);
}
