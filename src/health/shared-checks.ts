import type { Config } from '../config.ts';
import { type NamedFinding, type OpenedDatabase, type Run, startChecks } from './start-checks.ts';

/** The checks of a running service. Those who ask at once share a run, so that a process has one at most. */
export class SharedChecks {
  readonly #config: Config;
  readonly #opened: OpenedDatabase;
  #run: Run | undefined;

  constructor(config: Config, opened: OpenedDatabase) {
    this.#config = config;
    this.#opened = opened;
  }

  /** Returns what is found now, within seconds. */
  findings(): Promise<NamedFinding[]> {
    this.#run ??= this.#start();
    return this.#run.findings;
  }

  #start(): Run {
    const end = (): void => {
      this.#run = undefined;
    };
    const run = startChecks(this.#config, this.#opened);
    run.settled.then(end, end);
    return run;
  }
}
