/** A multipart body with the boundary `b`; a part is its Content-Disposition's parameters and its content. */
export const multipartBody = (...parts: [parameters: string, content: string | Buffer][]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([parameters, content]) => [
      Buffer.from(`--b\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--b--\r\n'),
  ]);
