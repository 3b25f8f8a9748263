/** What an intake needs for forms whose rules say what is spam, and for files in a bucket, in tests without either. */
const notCalled = () => Promise.reject(new Error('Not called.'));
export const NO_SPAM = {
  screening: { altcha: notCalled, ask: notCalled, checkRate: notCalled },
  keepSpam: notCalled,
  bucket: undefined,
  findRulesVersions: notCalled,
};
