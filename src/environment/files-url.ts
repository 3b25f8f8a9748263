import { isIP } from 'node:net';

/** Characters of the path in FILES_URL. */
const MAX_PREFIX_CHARS = 200;

/** The parts of FILES_URL, which says where files are. */
export type FilesUrl = {
  bucket: string;
  /** The prefix of every key: it is empty, or has a slash at its end. */
  prefix: string;
  region: string;
  /** True if new files are stored in the database, and the bucket only has old ones. */
  isForOldFiles: boolean;
  /** Where the bucket is: a URL whose path, if any, is that of the bucket. It ends with a slash. */
  url: string;
};

export type BucketCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined };

/** A bucket, and with which credentials it is used. */
export type BucketLocation = Readonly<FilesUrl & BucketCredentials>;

const PARAMETERS = ['endpoint', 'region', 'style', 'new'];

const assert = (isValid: boolean): void => {
  if (!isValid) throw new Error();
};

function parameter(url: URL, name: string): string | undefined {
  const values = url.searchParams.getAll(name);
  assert(values.length <= 1);
  return values[0];
}

/**
 * Parses `s3://bucket/prefix?endpoint=https://…&region=…&style=path|virtual&new=bucket|database`. Without an endpoint it is Amazon's, of the
 * region. With one, the bucket is in the path, which every server knows and which needs no certificate of its own.
 * Throws when it is wrong.
 */
export function parseFilesUrl(text: string): FilesUrl {
  const given = new URL(text);
  const { protocol, hostname: bucket, username, password, port, pathname, hash, searchParams } = given;
  assert(protocol === 's3:' && username === '' && password === '' && port === '' && hash === '');
  assert(/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket) && isIP(bucket) === 0);
  assert([...searchParams.keys()].every((name) => PARAMETERS.includes(name)));
  const folders = pathname.split('/').filter((folder) => folder !== '');
  assert(
    folders.every((folder) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(folder)) && pathname.length <= MAX_PREFIX_CHARS,
  );

  const endpoint = parameter(given, 'endpoint');
  const region = parameter(given, 'region') ?? (endpoint === undefined ? '' : 'us-east-1');
  assert(/^[A-Za-z0-9-]{1,40}$/.test(region));
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  assert(/^https?:$/.test(base.protocol) && base.href === `${base.origin}/`);
  // Amazon's certificates are for names with one label before the rest.
  const style = parameter(given, 'style') ?? (endpoint === undefined && !bucket.includes('.') ? 'virtual' : 'path');
  assert(style === 'path' || (style === 'virtual' && isIP(base.hostname.replace(/^\[|\]$/g, '')) === 0));
  const newFiles = parameter(given, 'new') ?? 'bucket';
  assert(newFiles === 'bucket' || newFiles === 'database');
  return {
    bucket,
    prefix: folders.map((folder) => `${folder}/`).join(''),
    region,
    isForOldFiles: newFiles === 'database',
    url: style === 'path' ? `${base.origin}/${bucket}/` : `${base.protocol}//${bucket}.${base.host}/`,
  };
}

/** Parses the address of backups, which has the form of FILES_URL. Without parameters, it is on the server of `files`. Throws when it is wrong. */
export function parseBackupUrl(text: string, files: FilesUrl | undefined): FilesUrl {
  if (!files || new URL(text).search !== '') return parseFilesUrl(text);
  const { bucket, prefix } = parseFilesUrl(`${text}?region=${files.region}`);
  const server = new URL(files.url);
  const isInPath = server.pathname !== '/';
  const host = isInPath ? server.host : `${bucket}.${server.host.slice(files.bucket.length + 1)}`;
  const url = `${server.protocol}//${host}/${isInPath ? `${bucket}/` : ''}`;
  return { bucket, prefix, region: files.region, isForOldFiles: false, url };
}
