import { colord } from 'colord';
import { describe, expect, it } from 'vitest';
import { editHead, head } from '../../../../src/dashboard/editor/source/page-head.ts';
import { readSource } from '../../../../src/dashboard/editor/source/page-source.ts';
import { applyEdits } from '../../../../src/dashboard/editor/source/source-edits.ts';

describe('the head of a page', () => {
  it.each([
    '<html><head><title>A</title><meta name="theme-color" content="#ffffff">Text</html>\r\n',
    '<html><head>Text',
    '<head><meta charset=utf-8>\n<body>Text',
    'Text',
  ])('is read as it was edited, in %j', (html) => {
    const wanted = { title: 'B & <c>', description: '"d"', color: '#123456' };
    expect(head(readSource(applyEdits(html, editHead(readSource(html), wanted))))).toEqual(wanted);
  });

  it.each([
    ['#1d4ed8', '#ffffff'],
    ['#ff0000', '#10151d'],
    ['#808080', '#10151d'],
    ['#777777', '#000000'],
    ['#ffe066', '#10151d'],
  ])('writes on the colour %s in one that can be read, %s', (color, text) => {
    const page = (accent: string, onAccent: string): string =>
      `<meta name="theme-color" content="${accent}"><style>:root { --accent: ${accent}; --on-accent: ${onAccent}; }</style>`;
    const before = page('#123456', '#ffffff');
    expect(applyEdits(before, editHead(readSource(before), { color }))).toBe(page(color, text));
    expect(colord(text).contrast(color)).toBeGreaterThanOrEqual(4.5);
  });
});
