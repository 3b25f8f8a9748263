import type { ServerResponse } from 'node:http';

/** Settles when a response takes more, or its client has left. To be asked at once when `write` has said that it takes no more. */
export const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
