import { expect, test } from 'vitest';
import { answer, conversationOf, user } from '../../test/support/conversation-builder.ts';
import { exportJson, exportMarkdown } from './export.ts';
import { excerptAround, searchSummaries, summarize } from './summary.ts';

const conversation = conversationOf(
  {
    ...user('u1', null, 'Why is it slow?'),
    attachments: [
      { id: 'x', kind: 'file', label: 'src/app.ts', language: 'typescript', text: 'let a;' },
    ],
  },
  { ...answer('a1', 'u1', 'Because of the **loop**.'), reasoning: 'It loops.', status: 'stopped' },
);
conversation.apply({ type: 'title-set', title: 'Slow\nthing' });

test('Markdown reads as a document', () => {
  expect(exportMarkdown(conversation)).toMatchInlineSnapshot(`
    "# Slow thing

    ## You

    Attached: \`src/app.ts\`

    Why is it slow?

    ## Assistant (Model One)

    <details><summary>Reasoning</summary>

    It loops.

    </details>

    Because of the **loop**.

    _Stopped._
    "
  `);
});

test('JSON holds every message of every branch', () => {
  const document: unknown = JSON.parse(exportJson(conversation));
  expect(document).toMatchObject({
    version: 1,
    head: 'a1',
    messages: [{ id: 'u1' }, { id: 'a1', parentId: 'u1' }],
  });
});

test('search finds what was said, in any case, and shows the place', () => {
  const summary = summarize(conversation);
  const all = summary === undefined ? [] : [summary];
  expect(searchSummaries(all, 'LOOP because')).toEqual(all);
  expect(searchSummaries(all, 'loop never')).toEqual([]);
  expect(searchSummaries(all, '  ')).toEqual(all);
  expect(
    excerptAround(
      all[0] ?? { id: '', title: '', updatedAt: 0, folder: null, text: '', folded: '' },
      'loop',
    ),
  ).toContain('loop');
});

test('a conversation without messages is not listed', () => {
  expect(summarize(conversationOf())).toBeUndefined();
});
