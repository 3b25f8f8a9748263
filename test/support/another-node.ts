import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { emptyFolder } from './run-formhost.ts';

/*
 * A `node` that passes for another one, first in a PATH: this Node, which says of itself what the test wants. Nodes that it starts by
 * their paths are as they are.
 */

type As = { version?: string; platform?: string };

/** The PATH. Without a `version`, it can't replace its process, as on Windows. */
export async function pathWithNode({ version = process.versions.node, platform = process.platform }: As) {
  const folder = await emptyFolder();
  const changes = `for (const [object, name, value] of [
    [process.versions, 'node', '${version}'], [process, 'version', 'v${version}'], [process, 'platform', '${platform}'], [process, 'execve'],
  ]) Object.defineProperty(object, name, { value });`;
  await writeFile(join(folder, 'changes.mjs'), changes);
  const script = `#!/bin/sh\nexec '${process.execPath}' --import='${join(folder, 'changes.mjs')}' "$@"\n`;
  await writeFile(join(folder, 'node'), script, { mode: 0o755 });
  return `${folder}${delimiter}${process.env.PATH}`;
}
