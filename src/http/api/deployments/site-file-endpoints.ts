import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { Owner } from '../../../db/account/owner-queries.ts';
import { findDraftedPaths } from '../../../db/deployments/drafts/draft-queries.ts';
import { findSite, type SiteFile } from '../../../db/deployments/site-file-queries.ts';
import type { ReadPiece } from '../../../db/files/file-content-queries.ts';
import { refused, refusedIssue } from '../../../problems/refusal.ts';
import {
  checkCharset,
  checkedPath,
  largestFile,
  maxBytesOf,
  SiteError,
  sentFilesOf,
  sha256Of,
  toReadFile,
} from '../../../sites/sent-files.ts';
import { INDEX, siteFileType, sitePath } from '../../../sites/site-paths.ts';
import { SIZES } from '../../../sizes.ts';
import type { App } from '../../app.ts';
import type { ToolCall } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { changedMeanwhile, ETAG_HEADER, ifMatch, wantedTags } from '../../request/conditions.ts';
import { invalidField } from '../../request/json-body.ts';
import { answerObject, countField, positiveField, textField } from '../../request/shared-fields.ts';
import { HttpError, storageFull } from '../../response/errors.ts';
import { NOTICE_HEADER } from '../../response/notice-header.ts';
import { sendFile } from '../submissions/submission-file-endpoints.ts';
import { foundOr404, missing, ownDeployment } from './own-deployment.ts';
import { publishPage } from './publish-page.ts';

const File = answerObject('SiteFile', {
  path: textField('Its path at the address of the page.', 'styles/main.css'),
  bytes: countField('Its length.', 24),
  content_type: textField('The type under which visitors get it: its extension says it.', 'text/css; charset=utf-8'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({
      description: 'The SHA-256 of its content, in hex.',
      example: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
    }),
  draft: z.literal(true).optional().meta({ description: 'Only where you have a draft of it, which is not published.' }),
});
export const Files = answerObject('SiteFiles', {
  files: z.array(File),
  total_bytes: positiveField('The length of all files.', 137),
});
const Removed = answerObject('SiteFileRemoved', {
  message: z.literal('File removed'),
  path: textField('The path that the file had.', 'styles/main.css'),
});

const noSuchFile = missing(
  'NoSuchSiteFile',
  'or no such file of its page',
  'No such file: choose one that {GET /deploy/:id/files} lists.',
);

const toWire = ({ path, bytes, sha256 }: SiteFile): z.infer<typeof File> => ({
  ...{ path, bytes, sha256 },
  content_type: siteFileType(path),
});

/** A page and its other files. */
type PageFiles = { html: Buffer; files?: readonly SiteFile[] | undefined };

/** All files of a page, index.html first. */
const allFiles = ({ html, files = [] }: PageFiles): readonly SiteFile[] => [
  { path: INDEX, bytes: html.length, sha256: sha256Of(html) },
  ...files,
];

/** The answer that lists the files of a page. */
export function listFiles(page: PageFiles): z.infer<typeof Files> {
  const all = allFiles(page);
  return { files: all.map(toWire), total_bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** A file of a page with its first piece; throws `error` where the page has no such file. */
export async function openFile(
  { files: { openSiteFile } }: Pick<App, 'files'>,
  owner: Owner,
  page: PageFiles,
  given: string,
  error = noSuchFile,
): Promise<OpenFile> {
  const read = sitePath(given);
  const file = foundOr404('path' in read ? allFiles(page).find(({ path }) => path === read.path) : undefined, error);
  const readPiece: ReadPiece =
    file.path === INDEX ? async (from) => page.html.subarray(from) : openSiteFile(owner.id, file);
  return { file, first: foundOr404(await readPiece(0), error), readPiece };
}
type OpenFile = { file: SiteFile; first: Buffer; readPiece: ReadPiece };

/** Sends a file of a page, piece by piece. */
export function sendSiteFile(
  { owner, response, queue }: Pick<ToolCall, 'owner' | 'response' | 'queue'>,
  { file, first, readPiece }: OpenFile,
  { requests: { responseWriter } }: Pick<App, 'requests'>,
): Promise<void> {
  const stored = { filename: file.path, contentType: siteFileType(file.path), size: file.bytes };
  const read: ReadPiece = (...part) => queue(() => readPiece(...part));
  return sendFile(response, { responseWriter, client: owner.id }, { file: stored, first, read });
}

const FILE_PATH = '/deploy/:id/files/*path';

/** The entity tag of a file; that of `index.html` is the one of the page. */
const tagOf = ({ sha256 }: Pick<SiteFile, 'sha256'>): string => `"${sha256}"`;

/** A file of a page as an answer, for declarations. */
export const siteFileAnswer = {
  description: 'The file.',
  headers: { 'Content-Disposition': { description: '`attachment`, and its name.', schema: { type: 'string' } } },
  type: '*/*',
  schema: z.string().meta({ format: 'binary' }),
  example: 'body { color: #123 }',
} as const;

/** The columns and rows of a list of files on the command line. */
export const filesTable = {
  columns: ['PATH', 'BYTES', 'TYPE', 'SHA-256'],
  rows: ({ files }: z.infer<typeof Files>) =>
    files.map(({ path, bytes, content_type, sha256 }) => [path, bytes, content_type, sha256]),
};

const listOperation = operation('GET', '/deploy/:id/files', 'listFiles', {
  scope: 'any',
  tool: { name: 'list_files', description: 'The paths, sizes and types of the files of a page.', isBounded: true },
  guests: 'editor',
  command: {
    usage: 'site list <id>',
    text: 'List the files of a page',
    table: filesTable,
  },
  summary: 'List the files of a {deployment}',
  description: 'With its `index.html`, which is first; the others follow by their paths. A single page has no others.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The files.', schema: Files },
  async handle({ owner, resource: { id } }, { db }) {
    const { files, ...all } = listFiles(foundOr404(await findSite(db, owner.id, id)));
    const drafted = await findDraftedPaths(db, { deploymentId: id, ownerId: owner.id, guestId: owner.guest?.id });
    return {
      ...all,
      files: files.map((file) => (drafted.has(file.path) ? { ...file, draft: true as const } : file)),
    };
  },
});

const getOperation = operation('GET', '/deploy/:id/files/*path', 'getSiteFile', {
  scope: 'any',
  tool: {
    name: 'read_page_file',
    description:
      'The content of a file of a page, in parts as get_html has it; with encoding base64 where it is no text.',
    inParts: 'content',
  },
  guests: 'editor',
  noCommand: '`formhost site get` writes it to a file, and `formhost pull` all files of a page.',
  summary: 'Get a file of a {deployment}',
  description: 'As it was sent, and always as an attachment.',
  find: async (owner, { id, path }, app) =>
    openFile(app, owner, foundOr404(await findSite(app.db, owner.id, id)), path),
  answer: { ...siteFileAnswer, headers: { ...siteFileAnswer.headers, ...ETAG_HEADER } },
  errors: [noSuchFile],
  takesLong: true,
  handle({ resource, ...call }, app) {
    call.setHeaders({ ETag: tagOf(resource.file) });
    return sendSiteFile(call, resource, app);
  },
  async handleTool({ resource: { file, first, readPiece }, queue }, { config }) {
    const most = Math.max(config.maxHtmlBytes, SIZES.mcp.maxAnswerChars);
    if (file.bytes > most) throw new HttpError(413, `The file has more than ${most} bytes: read it over the HTTP API.`);
    const pieces = [first];
    let read = first.length;
    while (read < file.bytes) {
      const from = read;
      const piece = foundOr404(await queue(() => readPiece(from)), noSuchFile);
      pieces.push(piece);
      read += piece.length;
    }
    return { ...toWire(file), ...readable(Buffer.concat(pieces)) };
  },
});

/** The text of a file, or its content in base64: no text has a NUL, or is not UTF-8. */
const readable = (content: Buffer) =>
  isUtf8(content) && !content.includes(0)
    ? { content: content.toString() }
    : { content: content.toString('base64'), encoding: 'base64' as const };

/** A page has to be one that POST and PUT of the whole deployment would accept. */
function checkIndex(content: Buffer): void {
  if (content.length === 0) throw new SiteError(400, `The file "${INDEX}" is empty: send the page.`);
  checkCharset(INDEX, content);
}

const NO_CONTENT = 'content is required: send it as a text.';
const NOT_BASE64 = 'content is not base64: encode it with padding, or leave encoding out.';

/** The content of a file: the body of a request, or a text of an agent. */
const Content = z.object({
  content: z
    .unknown()
    .transform((given, context) => {
      if (given instanceof Buffer || typeof given === 'string') return given;
      context.addIssue(refusedIssue(refused('wrong-type', NO_CONTENT)));
      return z.NEVER;
    })
    .meta({ short: '', override: { type: 'string' } }),
  encoding: z.literal('base64', 'encoding is not known: send base64, or leave it out.').optional(),
});

/** The bytes of a text; throws 400. */
function bytesOf({ content, encoding }: z.infer<typeof Content>): Buffer {
  if (typeof content !== 'string') return content;
  const bytes = Buffer.from(content, encoding);
  const message = encoding ? NOT_BASE64 : 'content has a lone surrogate: send it in base64.';
  if (bytes.toString(encoding) === content) return bytes;
  throw invalidField([
    { pointer: '/content', code: 'wrong-format', detail: `{content}${message.slice('content'.length)}` },
  ]);
}

const putOperation = operation('PUT', '/deploy/:id/files/*path', 'putSiteFile', {
  scope: 'publish',
  audit: 'page.publish',
  tool: {
    name: 'write_page_file',
    description: 'Adds or replaces a file of a page. restore_version undoes it.',
  },
  guests: 'editor',
  noCommand: '`formhost site put` calls it with a file.',
  summary: 'Add or replace a file of a {deployment}',
  description:
    'The body is the content, whatever its content type: the extension of the path says the type. It makes a new version, ' +
    `as each change does. \`${INDEX}\` is the page itself.`,
  find: async (owner, { id, path }, app) => ({
    deployment: await ownDeployment(app.db, owner, id),
    path: checkedPath(path),
  }),
  requestHeaders: ifMatch(FILE_PATH),
  body: (app) => ({
    schema: Content,
    example: { content: Buffer.from('body { color: #123 }') },
    others: [
      {
        name: 'the content',
        fields: ['content'],
        maxBytes: largestFile(app.config),
        read: async (content) => ({ content }),
      },
    ],
  }),
  answer: { description: 'The file is live.', schema: File },
  errors: [storageFull, changedMeanwhile],
  async handle({ owner, response, headers, resource: { deployment, path }, body, notify }, app) {
    const content = bytesOf(body);
    const etags = wantedTags(headers['If-Match']);
    const file = { path, bytes: content.length, sha256: sha256Of(content) };
    if (file.bytes > maxBytesOf(path, app.config)) {
      throw new SiteError(413, `The body is too large: send at most ${maxBytesOf(path, app.config)} bytes.`);
    }
    if (path === INDEX) {
      checkIndex(content);
      await publishPage(app, { owner, response, notify }, deployment, { html: content }, etags);
    } else {
      const sent = sentFilesOf([toReadFile(path, content)]);
      const files = (now: readonly SiteFile[]) => {
        const before = now.find((one) => one.path === path);
        if (etags && !(before && etags.includes(tagOf(before)))) throw changedMeanwhile(FILE_PATH);
        return [...now.filter((one) => one !== before), file];
      };
      await publishPage(app, { owner, response, notify }, deployment, { sent, files });
    }
    return toWire(file);
  },
});

const deleteOperation = operation('DELETE', '/deploy/:id/files/*path', 'deleteSiteFile', {
  scope: 'publish',
  audit: 'page.publish',
  tool: { name: 'remove_page_file', description: 'Removes a file of a page. restore_version undoes it.' },
  guests: 'editor',
  command: {
    usage: 'site remove <id> <path>',
    text: 'Remove a file of a page',
    texts: { path: 'path of the file at the address of the page' },
    prints: ({ path }) => path,
    says: (_answer, { id }) => `removed: formhost rollback ${id} brings it back`,
  },
  summary: 'Remove a file of a {deployment}',
  description: `It makes a new version. \`${INDEX}\` stays: delete the deployment instead.`,
  find: (owner, { id }, app) => ownDeployment(app.db, owner, id),
  answer: { description: 'The file is gone.', headers: NOTICE_HEADER, schema: Removed },
  errors: [noSuchFile],
  async handle({ owner, response, params, resource, notify }, app) {
    const read = sitePath(params.path);
    const path = 'path' in read ? read.path : params.path;
    if (path === INDEX) throw new HttpError(400, `The file "${INDEX}" can't be removed: delete the {deployment}.`);
    function files(now: readonly SiteFile[]): readonly SiteFile[] {
      if (!now.some((file) => file.path === path)) throw noSuchFile();
      return now.filter((file) => file.path !== path);
    }
    await publishPage(app, { owner, response, notify }, resource, { files });
    return { message: 'File removed' as const, path };
  },
});

/** The files of a page, one by one. */
export const siteFileOperations = [listOperation, getOperation, putOperation, deleteOperation];
