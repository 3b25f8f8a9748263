import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a service process before the service: at SIGUSR2 it collects all garbage, so that the memory measured
 * afterwards is what the process needs.
 */

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
process.on('SIGUSR2', () => {
  for (let count = 0; count < 3; count += 1) collect();
});
