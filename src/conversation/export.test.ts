import { expect, test } from 'vitest';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../test/support/conversation-builder.ts';
import { exportJson, exportMarkdown } from './export.ts';
import { extractTextAroundMatch, searchSummaries, summarizeConversation } from './summary.ts';

const conversation = createConversation(
  {
    ...createUserMessage('u1', null, 'Why is it slow?'),
    attachments: [
      { id: 'x', kind: 'file', label: 'src/app.ts', language: 'typescript', text: 'let a;' },
    ],
  },
  {
    ...createTextAnswer('a1', 'u1', 'Because of the **loop**.'),
    reasoning: 'It loops.',
    status: 'stopped',
  },
);
conversation.applyRecord({ type: 'title-set', title: 'Slow\nthing' });

test('exportMarkdown exports the title, the messages and an attachment as Markdown', () => {
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

test('exportJson exports all messages as JSON with ids, parents and times', () => {
  const document: unknown = JSON.parse(exportJson(conversation));
  expect(document).toMatchObject({
    version: 1,
    head: 'a1',
    messages: [
      { id: 'u1', createdAt: '1970-01-01T00:00:00.010Z' },
      { id: 'a1', parentId: 'u1' },
    ],
  });
});

test('searchSummaries finds a conversation by words regardless of letter case, and returns an excerpt with the match', () => {
  const summary = summarizeConversation(conversation);
  const summaries = summary === undefined ? [] : [summary];
  expect(searchSummaries(summaries, 'LOOP because')).toEqual(summaries);
  expect(searchSummaries(summaries, 'loop never')).toEqual([]);
  expect(searchSummaries(summaries, '  ')).toEqual(summaries);
  expect(
    extractTextAroundMatch(
      summaries[0] ?? {
        id: '',
        title: '',
        updatedAt: 0,
        folder: null,
        text: '',
        snippet: '',
        foldedText: '',
      },
      'loop',
    ),
  ).toContain('loop');
});

test('extractTextAroundMatch returns the first line of the first answer without Markdown if there is no query', () => {
  const summary = summarizeConversation(
    createConversation(
      createUserMessage('u1', null, 'Why?'),
      createTextAnswer('a1', 'u1', '```\n\n## **Because** of `it`\nMore.'),
    ),
  );
  expect(summary && extractTextAroundMatch(summary, '')).toBe('Because of it');
});

test('summarizeConversation returns undefined for a conversation without messages', () => {
  expect(summarizeConversation(createConversation())).toBeUndefined();
});

test('exportMarkdown closes the open code fence of a truncated answer', () => {
  const truncatedConversation = createConversation(
    createUserMessage('u1', null, 'Code'),
    { ...createTextAnswer('a1', 'u1', 'Here:\n\n````ts\n```\nlet a;'), status: 'stopped' },
    createUserMessage('u2', 'a1', 'And now?'),
  );
  expect(exportMarkdown(truncatedConversation)).toContain(
    'let a;\n````\n\n_Stopped._\n\n## You\n\nAnd now?',
  );
});

test('exportMarkdown removes escape sequences', () => {
  expect(
    exportMarkdown(createConversation(createUserMessage('u1', null, 'a\u001b]52;c;x\u0007b'))),
  ).toContain('a]52;c;xb');
});

test('exportMarkdown lists tool runs as inline code, even if a target contains backticks', () => {
  const run = {
    callId: 't1',
    uri: 'file:///a',
    readOnly: false,
    output: '',
    startedAt: 0,
  } as const;
  const conversation = createConversation(createUserMessage('u1', null), {
    ...createTextAnswer('a1', 'u1', 'Done.'),
    toolRuns: [
      { ...run, status: 'done', verb: 'Edit', target: 'src/app.ts' },
      { ...run, callId: 't2', status: 'denied', verb: 'Run', target: 'echo `id`' },
      { ...run, callId: 't3', status: 'not-run', verb: 'Read', target: 'a.ts' },
    ],
  });
  expect(exportMarkdown(conversation)).toContain(
    'Done.\n\n- Edit `src/app.ts`\n- Run `` echo `id` `` (Denied)\n- Read `a.ts` (Not run)\n',
  );
});
