/*
 * Loaded into a service process ahead of it: at SIGUSR2 something goes wrong that nothing catches, in the way of a
 * statement that failed: the error carries what was sent (CARRIED).
 */

process.on('SIGUSR2', () => {
  const carried = process.env.CARRIED;
  const parameters = [carried];
  const headers = { authorization: `Bearer ${carried}` };
  throw Object.assign(new Error('provoked'), {
    detail: `Failing row contains (${carried})`,
    where: carried,
    parameters,
    headers,
  });
});
