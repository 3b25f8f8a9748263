/**
 * The bucket can't be reached, or refuses. `code`: S3's, such as AccessDenied, or the network's, such as ECONNREFUSED.
 * `status`: of an answer. The message has neither credentials nor content.
 */
export class BucketError extends Error {
  readonly code: string;
  readonly status: number | undefined;

  constructor(message: string, code: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
