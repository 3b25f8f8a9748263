import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { z } from 'zod';
import { Challenge } from '../../src/forms/altcha.ts';

type Given = z.infer<typeof Challenge>;

export const challengeFor = async (url: string, deployment: string): Promise<Given> => {
  const response = await fetch(`${url}/altcha/challenge?${new URLSearchParams({ deployment })}`);
  return Challenge.parse(await response.json());
};

/** The widget sends this when it has solved a challenge. */
export async function tokenOf(challenge: Given): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

/** A new challenge's solution. */
export const solve = async (url: string, deployment: string): Promise<string> =>
  tokenOf(await challengeFor(url, deployment));
