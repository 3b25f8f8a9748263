import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** An idle process that measures for how long the machine itself does not run a process. */
const PROGRAM = `
  let last = performance.now();
  let longest = 0;
  setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 10);
    last = now;
  }, 10);
  process.on('message', () => process.send(longest));`;

export async function startPulse(): Promise<{ longest(): Promise<number>; stop(): void }> {
  const child = spawn(process.execPath, ['--eval', PROGRAM], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'spawn');
  return {
    /** The longest standstill so far, in milliseconds. */
    async longest() {
      const told = once(child, 'message');
      child.send('?');
      const [longest] = await told;
      return Number(longest);
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
