import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Limits } from '../limits.ts';
import { SIZES } from '../sizes.ts';

/** A token of ALTCHA's widget has about 700 characters. A longer one is not read. */
const MAX_TOKEN_CHARS = 4_096;

/*
 * ALTCHA: a visitor's browser proves by some work that a form is worth it. No third party is asked, and nothing is stored
 * for a challenge: its signature says that it was made here.
 */

const ALGORITHM = 'PBKDF2/SHA-256';

/** The challenge that the widget gets, and sends back with its solution. */
export const Challenge = z.strictObject({
  parameters: z.strictObject({
    algorithm: z.string().meta({ example: ALGORITHM }),
    cost: z.int().meta({ example: 5_000 }),
    data: z.strictObject({ deployment: z.string().meta({ example: 'd_0VbbZBZKKTcBD17YQfyDgVGm' }) }),
    expiresAt: z.int().meta({ example: 1_795_968_000 }),
    keyLength: z.int().meta({ example: 32 }),
    keyPrefix: z.string().meta({ example: '9f0c1d5b7c3e4a8fb2d60c1e7a9b3f55' }),
    keySignature: z.string().meta({ example: 'c2b1f0a9e8d7c6b5a4938271605f4e3d2c1b0a9f8e7d6c5b4a39281706f5e4d3' }),
    nonce: z.string().meta({ example: '0b6f7a1c9d2e4f508192a3b4c5d6e7f8' }),
    salt: z.string().meta({ example: '5f4e3d2c1b0a99887766554433221100' }),
  }),
  signature: z.string().meta({ example: '1f2e3d4c5b6a798897a6b5c4d3e2f1000f1e2d3c4b5a69788796a5b4c3d2e1f0' }),
});
const Token = z.object({
  challenge: Challenge,
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
});

/** A solution that may count once. `hash`: 32 bytes that no other challenge has. */
export type Solution = { hash: Buffer; expiresAt: Date };

export type Altcha = {
  /** A challenge for the form of one deployment. */
  challenge(deploymentId: string): Promise<z.infer<typeof Challenge>>;
  /** The solution that a form has sent; undefined when it is wrong, expired, or of another deployment's challenge. */
  check(deploymentId: string, token: string): Promise<Solution | undefined>;
};

function parse(token: string): z.infer<typeof Token> | undefined {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  try {
    return Token.safeParse(JSON.parse(Buffer.from(token, 'base64').toString())).data;
  } catch {
    return undefined;
  }
}

/** `secret`: the same for all processes. Keys for this purpose alone are derived from it. */
export function createAltcha(secret: Buffer, limits: Limits): Altcha {
  const keyFor = (purpose: string): string =>
    createHmac('sha256', secret).update(`formhost altcha: ${purpose}`).digest('hex');
  const secrets = {
    hmacSignatureSecret: keyFor('challenge'),
    hmacKeySignatureSecret: keyFor('key'),
  };

  return {
    async challenge(deploymentId) {
      // Loaded when a form needs it.
      const [{ createChallenge, randomInt }, { deriveKey }] = await Promise.all([
        import('altcha-lib'),
        import('altcha-lib/algorithms/pbkdf2'),
      ]);
      const challenge = await createChallenge({
        ...secrets,
        algorithm: ALGORITHM,
        cost: limits.spam.challengeCost,
        counter: randomInt(limits.spam.maxChallengeCounter, limits.spam.minChallengeCounter),
        data: { deployment: deploymentId },
        expiresAt: Math.floor(Date.now() / 1_000) + SIZES.captcha.challengeMinutes * 60,
        deriveKey,
      });
      return Challenge.parse(challenge);
    },
    async check(deploymentId, token) {
      const parsed = parse(token);
      if (parsed?.challenge.parameters.data.deployment !== deploymentId) return undefined;
      const [{ verifySolution }, { deriveKey }] = await Promise.all([
        import('altcha-lib'),
        import('altcha-lib/algorithms/pbkdf2'),
      ]);
      // The key's signature is compared: no work is done again.
      const { verified } = await verifySolution({ ...secrets, ...parsed, deriveKey });
      if (!verified) return undefined;
      const { signature, parameters } = parsed.challenge;
      return {
        hash: createHash('sha256').update(signature).digest(),
        expiresAt: new Date(parameters.expiresAt * 1_000),
      };
    },
  };
}
