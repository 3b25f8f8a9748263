const WATCH_MS = 500;

/**
 * Calls `stop` when the process is gone that would have passed a signal on: bin/formhost.js, which waits where it could not become
 * this process, or else the one with the number `parent`, the shell of npm.
 */
export function onLauncherLost(stop: () => void, parent?: string | undefined): void {
  if (process.channel) {
    process.once('disconnect', stop);
    process.channel.unref();
  } else if (parent !== undefined) {
    const watch = setInterval(() => {
      if (String(process.ppid) === parent) return;
      clearInterval(watch);
      stop();
    }, WATCH_MS).unref();
  }
}
