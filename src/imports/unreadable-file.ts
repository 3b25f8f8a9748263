/** No row of a file can be read. `message`: a template of the sentence that says what to do. `parameter`: the one that is wrong, if it is one. */
export class UnreadableFile extends Error {
  readonly parameter: string | undefined;

  constructor(message: string, parameter?: string) {
    super(message);
    this.parameter = parameter;
  }
}
