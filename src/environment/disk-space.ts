import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';

/** The bytes of the disk where `folder` is, or will be. `free`: for users who are not root. */
export async function diskSpace(folder: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(existsSync(folder) ? folder : '.');
  return { free: bavail * bsize, total: blocks * bsize };
}
