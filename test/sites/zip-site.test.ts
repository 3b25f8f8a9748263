import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SiteError, type SiteLimits } from '../../src/sites/sent-files.ts';
import { openZip } from '../../src/sites/zip-site.ts';
import { type ZipEntry, zipFiles, zipOf } from '../support/zip-bytes.ts';

const LIMITS = { maxSiteFiles: 5, maxSiteFileBytes: 2_000_000, maxSiteBytes: 3_000_000, maxHtmlBytes: 1_000 };
const INDEX = { name: 'index.html', content: '<p>' };

/** The files of a zip with their contents, index.html too. */
const unpacked = (zip: Buffer) => unpackedWith(zip, LIMITS);

async function unpackedWith(zip: Buffer, limits: SiteLimits): Promise<Record<string, string>> {
  const { html, files } = await openZip(zip, limits);
  const contents: Record<string, string> = { 'index.html': html };
  for (const { path, bytes } of files.list) {
    const content = await files.read(path);
    expect(content.length).toBe(bytes);
    contents[path] = content.toString();
  }
  return contents;
}

/** The status and the message with which a zip is refused. */
async function refusal(zip: Buffer): Promise<string> {
  const error: unknown = await openZip(zip, LIMITS).catch((thrown: unknown) => thrown);
  if (error instanceof SiteError) return `${error.status} ${error.message}`;
  throw new Error('It was not refused.', { cause: error });
}

describe('a zip of a site', () => {
  it('has its index.html at the root, or in the one folder that contains everything', async () => {
    const site = { 'index.html': '<p>', 'a/b.css': 'b' };
    expect(await unpacked(zipFiles(site))).toEqual(site);
    const inFolder = { 'site/': '', 'site/a/b.css': 'b', 'site/index.html': '<p>' };
    const ofMac = { '__MACOSX/site/._index.html': 'x', '.DS_Store': 'x', 'site/a/.DS_Store': 'x' };
    expect(await unpacked(zipFiles({ ...ofMac, ...inFolder }))).toEqual(site);
    const message = '400 The zip has no index.html at its root, or in the one folder that contains everything: add it.';
    expect(await refusal(zipFiles({ 'a/index.html': '', 'b/c': '' }))).toBe(message);
    expect(await refusal(zipFiles({ 'a.html': '' }))).toBe(message);
    expect(await refusal(zipFiles({}))).toBe(message);
    expect(await refusal(zipFiles({ '.git/index.html': '<p>' }))).toBe(message);
    for (const path of ['../index.html', 'a/../index.html', '/index.html']) {
      expect(await refusal(zipFiles({ [path]: '<p>' }))).toContain(`400 The file "${path}" is refused`);
    }
    expect(await refusal(zipFiles({ '../a': '', 'site/index.html': '<p>' }))).toContain(
      '400 The file "../a" is refused',
    );
    expect(await refusal(zipFiles({ 'site/index.html': '<p>', '../a': '' }))).toContain(
      '400 The file "../a" is refused',
    );
  });

  it.each(['', 'site/', 'no-index/'])(
    'in the folder %j has its names read in turns with other work',
    async (folder) => {
      const index = folder === 'no-index/' ? {} : { [`${folder}index.html`]: '<p>' };
      const others = Array.from({ length: 300 }, (_, at) => [`${folder}${at}`, 'a']);
      const zip = zipFiles({ ...index, ...Object.fromEntries(others) });
      const normalize = vi.spyOn(String.prototype, 'normalize');
      onTestFinished(() => normalize.mockRestore());
      let isRead = false;
      const reading = openZip(zip, { ...LIMITS, maxSiteFiles: 400 })
        .catch((error: unknown) => expect(error).toBeInstanceOf(SiteError))
        .finally(() => {
          isRead = true;
        });
      const perTurn: number[] = [];
      while (!isRead) {
        const before = normalize.mock.calls.length;
        await nextTurn();
        perTurn.push(normalize.mock.calls.length - before);
      }
      await reading;
      expect(normalize.mock.calls.length).toBeGreaterThanOrEqual(300);
      expect(Math.max(...perTurn)).toBeLessThanOrEqual(150);
    },
  );

  it('has .well-known at its root, in a folder or not, and nowhere else', async () => {
    const site = { 'index.html': '<p>', '.well-known/security.txt': 'a' };
    expect(await unpacked(zipFiles(site))).toEqual(site);
    expect(await unpacked(zipFiles({ 'www/.well-known/security.txt': 'a', 'www/index.html': '<p>' }))).toEqual(site);
    const others = { '.well-known': 'a', 'b/.well-known/c': 'a', 'd/.well-known': 'a' };
    expect(await unpacked(zipFiles({ ...others, 'index.html': '<p>' }))).toEqual({ 'index.html': '<p>' });
    expect(await unpacked(zipFiles({ 'www/b/.well-known/c': 'a', 'www/index.html': '<p>' }))).toEqual({
      'index.html': '<p>',
    });
  });

  it('leaves out what systems and tools write for themselves, whatever is wrong with it', async () => {
    const ignored = ['Icon\r', 'a/Icon\r', '._index.html', 'a/._b.css', '.nojekyll', '.git/config', '.github/x.yml'];
    const more = ['.DS_Store', '__MACOSX/a', 'a/__MACOSX/b', '.htaccess', '.hidden/\u0000', '.a\\b'];
    const entries = [...ignored, ...more].map((name) => ({ name, flags: 1 }));
    const inFolder = entries.map((entry) => ({ ...entry, name: `site/${entry.name}` }));
    expect(await unpacked(zipOf([...entries.slice(0, 5), INDEX]))).toEqual({ 'index.html': '<p>' });
    expect(await unpacked(zipOf([...entries.slice(5), { name: 'site/index.html', content: '<p>' }]))).toEqual({
      'index.html': '<p>',
    });
    expect(await unpacked(zipOf([...inFolder.slice(5), { name: 'site/index.html', content: '<p>' }]))).toEqual({
      'index.html': '<p>',
    });
    for (const name of ['Icon', 'a/icon\r', '..']) {
      const [, ...why] = (await refusal(zipOf([{ name }, INDEX])).catch(() => '200 served')).split(' ');
      expect([name, why.join(' ')]).toEqual([name, expect.stringMatching(name === 'Icon' ? /^served$/ : /refused/)]);
    }
  });

  it('may begin its paths with ./', async () => {
    const site = { 'index.html': '<p>', 'a/b.css': 'b' };
    expect(await unpacked(zipFiles({ './': '', './a/b.css': 'b', './index.html': '<p>' }))).toEqual(site);
    expect(await unpacked(zipFiles({ './site/a/b.css': 'b', '././site/index.html': '<p>' }))).toEqual(site);
    expect(await refusal(zipFiles({ './index.html': '<p>', './a': '', a: '' }))).toContain('"a" is there twice');
    expect(await refusal(zipFiles({ 'index.html': '<p>', './../a': '' }))).toContain('The file "../a" is refused');
  });

  it('separates names by backslashes where it was made on Windows', async () => {
    const names = ['site\\', 'site\\a\\b.css', 'site\\index.html'];
    for (const system of [0, 6, 10, 11, 14]) {
      const zip = zipOf(names.map((name) => ({ name, content: name.endsWith('\\') ? '' : 'x', system })));
      expect(await unpacked(zip)).toEqual({ 'index.html': 'x', 'a/b.css': 'x' });
    }
    for (const system of [3, 19]) {
      expect(await refusal(zipOf([INDEX, { name: 'a\\b.css', system }]))).toContain('the path has a backslash');
    }
    expect(await refusal(zipOf([INDEX, { name: '..\\a', system: 0 }]))).toContain('The file "../a" is refused');
  });

  it('is named by a valid Unicode Path', async () => {
    const raw = Buffer.from([0x81, 0x2e, 0x74]);
    const ascii = { name: '#U0142.txt', unicodePath: 'ł.txt', isUtf8: false };
    const code437 = { name: raw, unicodePath: 'dir/Ω.t', isUtf8: false };
    const windows = { name: '_.t', unicodePath: 'c\\ź.t', system: 0 };
    const stale = { name: 'renamed.txt', unicodePath: 'before.txt', unicodePathOf: 'before.txt' };
    const broken = { name: 'kept.txt', unicodePath: Buffer.from([0xff]) };
    const empty = { name: 'also.txt', unicodePath: '' };
    const zip = zipOf([INDEX, ascii, code437, windows, stale, broken, empty]);
    const paths = ['index.html', 'ł.txt', 'dir/Ω.t', 'c/ź.t', 'renamed.txt', 'kept.txt', 'also.txt'];
    expect(Object.keys(await unpackedWith(zip, { ...LIMITS, maxSiteFiles: 9 }))).toEqual(paths);
    expect(await refusal(zipOf([INDEX, { name: 'a', unicodePath: '../a' }]))).toContain('"../a" is refused');
  });

  it('may be made by Finder, Explorer, PowerShell, 7-Zip, Info-ZIP, Python or PHP', async () => {
    const site = { 'index.html': '<p>', 'bücher/ä.css': 'b' };
    const entries = (
      folder: string,
      form: Partial<ZipEntry>,
      name: (path: string) => string | Buffer = (path) => path,
    ) => zipOf(Object.entries(site).map(([path, content]) => ({ name: name(folder + path), content, ...form })));
    const in437 = (path: string) => Buffer.from(path.replaceAll('ü', '\u0081').replaceAll('ä', '\u0084'), 'latin1');
    const zips = {
      finder: entries('site/', { isUtf8: false, hasDescriptor: true, system: 3 }, (path) => path.normalize('NFD')),
      explorer: entries('', { isUtf8: false, system: 0 }, in437),
      powershell: entries('site/', { system: 0 }, (path) => path.replaceAll('/', '\\')),
      sevenZip: entries('', { system: 10 }),
      infoZip: zipOf(
        Object.entries(site).map(([path, content]) => ({
          ...{ name: path.replaceAll(/[^!-~]/g, '?'), content, isUtf8: false },
          ...(/[^!-~]/.test(path) && { unicodePath: path }),
        })),
      ),
      python: entries('./', { hasDescriptor: true, isZip64: true, system: 3 }),
      php: entries('', { isUtf8: false, isStored: true, system: 3 }),
    };
    for (const [maker, zip] of Object.entries(zips)) expect([maker, await unpacked(zip)]).toEqual([maker, site]);
  });

  it('is refused for a path that is too long before anything is done with it', async () => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    const marks = '\u0345'.repeat(800) + '\u0334'.repeat(800);
    for (const name of [`a${marks}`, `${'a/'.repeat(2_000)}b`, 'a'.repeat(60_000)]) {
      expect(await refusal(zipOf([INDEX, { name }]))).toMatch(/^400 .* is longer than (255|1000) bytes\.$/);
    }
    expect(normalize.mock.contexts.filter((text) => String(text).length > 1_000)).toEqual([]);
    // Too many files are refused before their paths are looked at.
    const many = Array.from({ length: 40 }, (_, at) => ({ name: `${at}/é${'\u0345'.repeat(100)}` }));
    normalize.mockClear();
    expect(await refusal(zipOf([...many, INDEX]))).toMatch(/^413 /);
    expect(normalize).not.toHaveBeenCalled();
    normalize.mockRestore();
  });

  it('may be stored, have data descriptors, and be ZIP64', async () => {
    const forms: Partial<ZipEntry>[] = [{}, { isStored: true }, { hasDescriptor: true }, { isZip64: true }];
    for (const form of forms) {
      const entries = [INDEX, { name: 'a.txt', content: 'a'.repeat(1_000) }].map((entry) => ({ ...entry, ...form }));
      expect(await unpacked(zipOf(entries))).toEqual({ 'index.html': '<p>', 'a.txt': 'a'.repeat(1_000) });
    }
  });

  it('has names in UTF-8, whether it says so or not, or in code page 437', async () => {
    const names = [
      { name: 'ü.txt' },
      { name: 'e\u0301.txt', isUtf8: false },
      { name: Buffer.from([0x84, 0x2e, 0x74]), isUtf8: false },
    ];
    expect(Object.keys(await unpacked(zipOf([INDEX, ...names])))).toEqual(['index.html', 'ü.txt', 'é.txt', 'ä.t']);
    expect(await refusal(zipOf([INDEX, { name: Buffer.from([0x84]) }]))).toBe(
      '400 The file "\ufffd" is refused: its path is not UTF-8.',
    );
  });

  it.each<[string, ZipEntry[], string]>([
    ['a path out of the site', [{ name: '../a' }], '400 The file "../a" is refused: the path has the name "..".'],
    ['an absolute path', [{ name: '/a' }], '400 The file "/a" is refused: a name in the path is empty.'],
    [
      'a backslash',
      [{ name: 'a\\b' }],
      '400 The file "a\\\\b" is refused: the path has a backslash: separate names with /.',
    ],
    ['a path twice', [{ name: 'a' }, { name: 'a' }], '400 The file "a" is there twice: send it once.'],
    [
      'a path twice in NFC',
      [{ name: 'e\u0301' }, { name: '\u00e9' }],
      '400 The file "é" is there twice: send it once.',
    ],
    ['an encrypted file', [{ name: 'a', flags: 1 }], '400 The file "a" is refused: it is encrypted.'],
    ['a symbolic link', [{ name: 'a', mode: 0o120777 }], '400 The file "a" is refused: it is a symbolic link.'],
    [
      'another compression',
      [{ name: 'a', method: 12 }],
      '400 The file "a" is refused: its compression is not supported: use deflate, or none.',
    ],
    [
      'more bytes than declared',
      [{ name: 'a', content: Buffer.alloc(1_000_000), bytes: 10 }],
      '400 The file "a" is refused: it has another size than the zip says.',
    ],
    [
      'fewer bytes than declared',
      [{ name: 'a', content: 'abc', bytes: 4 }],
      '400 The file "a" is refused: it has another size than the zip says.',
    ],
    [
      'a wrong size of a stored file',
      [{ name: 'a', content: 'abc', bytes: 4, isStored: true }],
      '400 The file "a" is refused: it has another size than the zip says.',
    ],
    [
      'a wrong checksum',
      [{ name: 'a', content: 'abc', crc: 1 }],
      '400 The file "a" is refused: it has another checksum than the zip says.',
    ],
    [
      'content that is no deflate',
      [{ name: 'a', content: '\xff\xff\xff', isStored: true, method: 8 }],
      '400 The file "a" is refused: it is damaged.',
    ],
    [
      'files that overlap',
      [
        { name: 'a', content: 'x' },
        { name: 'b', content: 'x', offset: 0 },
      ],
      '400 The file "b" is refused: it overlaps another file of the zip.',
    ],
    [
      'a file of more bytes than a site may have',
      [{ name: 'a', content: Buffer.alloc(2_000_001) }],
      '413 The file "a" is too large: send at most 2000000 bytes.',
    ],
    [
      'a page of more bytes than a page may have',
      [{ name: 'a.html', content: Buffer.alloc(1_001) }],
      '413 The file "a.html" is too large: send at most 1000 bytes.',
    ],
    [
      'a bomb that says how large it is',
      [{ name: 'a', content: '', bytes: 2 ** 40, isZip64: true }],
      '413 The file "a" is too large: send at most 2000000 bytes.',
    ],
    [
      'too many bytes in all',
      [
        { name: 'a', content: Buffer.alloc(1_500_000) },
        { name: 'b', content: Buffer.alloc(1_500_000) },
      ],
      '413 The site is too large: send at most 3000000 bytes in all.',
    ],
    [
      'too many files',
      Array.from({ length: 5 }, (_, at) => ({ name: `${at}` })),
      '413 The site has too many files: send at most 5, with index.html.',
    ],
    [
      'very many entries',
      Array.from({ length: 1_000 }, (_, at) => ({ name: `${at}/` })),
      '413 The site has too many files: send at most 5, with index.html.',
    ],
  ])('is refused with %s', async (_, entries, message) => {
    // A file that overlaps index.html is named first when it lies behind that.
    expect(await refusal(zipOf([...entries, INDEX]))).toBe(message);
  });

  it('is refused when its page is empty, or no UTF-8', async () => {
    expect(await refusal(zipFiles({ 'index.html': '' }))).toBe('400 The file "index.html" is refused: it is empty.');
    expect(await refusal(zipFiles({ 'index.html': Buffer.from([0xff]) }))).toBe(
      '400 The file "index.html" is not UTF-8: save it as UTF-8, and send it again.',
    );
    const page = Buffer.from('<p>Füße', 'latin1');
    expect(await refusal(zipFiles({ 'index.html': 'x', 'a.txt': page, 'b/über.htm': page }))).toBe(
      '400 The file "b/über.htm" is not UTF-8: save it as UTF-8, and send it again.',
    );
  });

  it('is refused wherever it was cut, or changed into something else', async () => {
    const zip = zipOf([INDEX, { name: 'a.txt', content: 'abc', hasDescriptor: true }]);
    for (let length = 0; length < zip.length; length += 1) {
      expect(await refusal(zip.subarray(0, length))).toMatch(/^400 /);
    }
    await fc.assert(
      fc.asyncProperty(fc.nat(zip.length - 1), fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(zip);
        changed[at] = byte;
        await openZip(changed, LIMITS).catch((error: unknown) => expect(error).toBeInstanceOf(SiteError));
      }),
    );
  });

  it('comes out as it went in', async () => {
    const content = fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes).toString('hex'));
    const name = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const form = fc.record({ isStored: fc.boolean(), hasDescriptor: fc.boolean(), isZip64: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, fc.tuple(content, form), { maxKeys: 4, noNullPrototype: true }),
        async (files) => {
          const entries = Object.entries(files);
          const zip = zipOf([...entries.map(([path, [text, how]]) => ({ name: path, content: text, ...how })), INDEX]);
          const expected = Object.fromEntries(entries.map(([path, [text]]) => [path, text]));
          expect(await unpacked(zip)).toEqual({ ...expected, 'index.html': '<p>' });
        },
      ),
    );
  });
});
