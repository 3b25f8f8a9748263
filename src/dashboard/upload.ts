import { TEMPLATE_TYPE } from '../problems/problem-document.ts';
import { readProblem } from '../problems/read-problem.ts';
import { ApiError, ConnectionError } from './api.ts';
import { t } from './texts/chosen-texts.ts';

/** How far a file is: sent in part, or all sent and worked on. */
export type Progress = { sent: number; total: number };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends a file, and says how far it is, which fetch cannot. Returns the answer. It is sent once. */
export function upload(
  path: string,
  file: Blob,
  { type, signal, onProgress }: { type: string; signal: AbortSignal; onProgress(progress: Progress): void },
): Promise<unknown> {
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onAbort = (): void => request.abort();
  signal.addEventListener('abort', onAbort);
  request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total });
  request.onload = () => {
    const answer = parsed(request.responseText);
    if (request.status === 200) resolve(answer);
    else reject(new ApiError(request.status, readProblem(answer)));
  };
  request.onerror = () => reject(new ConnectionError(t.page.files.notSent));
  request.onabort = () => reject(signal.reason);
  request.open('POST', path);
  request.setRequestHeader('Content-Type', type);
  request.setRequestHeader('Accept', `${TEMPLATE_TYPE}, */*`);
  request.send(file);
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}
