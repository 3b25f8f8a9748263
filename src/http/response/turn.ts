/** The turn of the event loop that is under way. */
export class Turn {
  #end: Promise<void> | undefined;

  /** Settles when everything that has arrived for this turn was read. All callers of a turn share one promise. */
  end(): Promise<void> {
    this.#end ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#end = undefined;
        resolve();
      });
    });
    return this.#end;
  }
}
