import { inParallel } from './figures.ts';
import { JSON_TYPE, type Owner } from './service.ts';

const POSTS = 50;
/** RATE_LIMIT in the code. */
const ALLOWED = 10;
/** Several deployments at a time, so that batches mix them. */
const AT_ONCE = 4;

/** Sends 50 submissions at once, by turns to each process, to each of so many deployments; the rounds that did not take exactly 10. */
export async function wrongRounds(owner: Owner, urls: readonly string[], rounds: number): Promise<object[]> {
  const wrong: object[] = [];
  await inParallel(Array.from({ length: rounds }), AT_ONCE, async () => {
    const { id } = await owner.deploy();
    const answers = Array.from({ length: POSTS }, async (_, n) => {
      const sent = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ n }) };
      const response = await fetch(`${urls[n % urls.length]}/submit/${id}`, sent);
      await response.arrayBuffer();
      return response.status;
    });
    const statuses = await Promise.all(answers);
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    const accepted = statuses.filter((status) => status === 200).length;
    const refused = statuses.filter((status) => status === 429).length;
    if (accepted !== ALLOWED || refused !== POSTS - ALLOWED || body.total !== ALLOWED) {
      wrong.push({ accepted, refused, listed: body.total });
    }
  });
  return wrong;
}
