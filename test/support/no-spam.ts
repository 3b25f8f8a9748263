/** What an intake needs for forms whose rules say what is spam, in tests without such forms. */
const notCalled = () => Promise.reject(new Error('Not called.'));
export const NO_SPAM = {
  screening: { altcha: notCalled, ask: notCalled, checkRate: notCalled },
  keepSpam: notCalled,
  findRulesVersions: notCalled,
};
