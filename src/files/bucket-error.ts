/**
 * The bucket can't be reached, or refuses. `code`: S3's, such as AccessDenied, or the network's, such as ECONNREFUSED.
 * The message has neither credentials nor content.
 */
export class BucketError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}
