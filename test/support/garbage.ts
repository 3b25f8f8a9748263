import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a service process ahead of it: at SIGUSR2 it lets go of everything that nobody holds any more, so that what its
 * memory is then is what it needs.
 */

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
process.on('SIGUSR2', () => {
  for (let count = 0; count < 3; count += 1) collect();
});
