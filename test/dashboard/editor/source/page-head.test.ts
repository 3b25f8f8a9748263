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
});
