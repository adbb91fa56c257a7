import { expect, test } from 'vitest';
import { renderAnswers, renderBlocks, renderCommitAnswers } from './answer-forms.ts';
import { parseEdits, readCorpusText } from './corpus-text.ts';
import {
  type CorpusResult,
  measureAnswers,
  measureBlocks,
  measureCommits,
} from './measure-answers.ts';

const edits = parseEdits(readCorpusText(new URL('edits.txt', import.meta.url)));

/** Lists the results that differ from every accepted text. */
function listWrongResults(results: readonly CorpusResult[]): readonly string[] {
  return results
    .filter(({ rating }) => rating === 'wrong')
    .map(
      ({ form, source, answer, text = '' }) =>
        `${form}\n--- source\n${source}\n--- answer\n${answer}\n--- read\n${text}`,
    );
}

test('readEditAnswer reads or refuses 7,800 answers in 130 forms without a wrong result', () => {
  const results = edits.flatMap((edit) => measureAnswers(edit, renderAnswers(edit)));
  expect(results.length).toBeGreaterThan(7_800);
  expect(listWrongResults(results)).toEqual([]);
});

test.each([
  ['hand-written-code', 299, 205],
  ['hand-written-markup', 333, 225],
  ['hand-written-requests', 330, 245],
])(
  'readEditAnswer reads or refuses the answers in %s without a wrong result',
  (name, count, minRightCount) => {
    const corpus = parseEdits(readCorpusText(new URL(`${name}.txt`, import.meta.url)));
    const results = corpus.flatMap((edit) => measureAnswers(edit, edit.answers));
    expect(results).toHaveLength(count);
    expect(listWrongResults(results)).toEqual([]);
    const rightCount = results.filter(({ rating }) => rating === 'right').length;
    expect(rightCount).toBeGreaterThanOrEqual(minRightCount);
  },
);

test('applyBlock applies or refuses 1,800 code blocks in 32 forms without a wrong result', () => {
  const results = edits.flatMap((edit) => measureBlocks(edit, renderBlocks(edit)));
  expect(results.length).toBeGreaterThan(1_800);
  expect(listWrongResults(results)).toEqual([]);
});

test('applyBlock applies or refuses 143 hand-written code blocks without a wrong result', () => {
  const corpus = parseEdits(readCorpusText(new URL('hand-written-blocks.txt', import.meta.url)));
  const results = corpus.flatMap((edit) =>
    measureBlocks(
      edit,
      edit.answers.map(({ name, expectation, text, info = '' }) => ({
        name,
        expectation,
        code: text,
        info,
      })),
    ),
  );
  expect(results).toHaveLength(143);
  expect(listWrongResults(results)).toEqual([]);
  expect(results.filter(({ rating }) => rating === 'right').length).toBeGreaterThanOrEqual(100);
});

test('readCommitMessage reads or refuses 1,200 answers in 42 forms without a wrong result', () => {
  const messages = readCorpusText(new URL('commits.txt', import.meta.url))
    .split(/^§ /mu)
    .slice(1)
    .map((message) => message.trimEnd());
  const results = messages.flatMap((message, index) =>
    measureCommits(message, renderCommitAnswers(message, index)),
  );
  expect(results.length).toBeGreaterThan(1_200);
  expect(listWrongResults(results)).toEqual([]);
});

test('readCommitMessage reads or refuses 265 hand-written answers without a wrong result', () => {
  const commitEdits = parseEdits(
    readCorpusText(new URL('hand-written-commits.txt', import.meta.url)),
  );
  const results = commitEdits.flatMap((commitEdit) =>
    measureCommits(commitEdit.replacement.join('\n'), commitEdit.answers),
  );
  expect(results).toHaveLength(265);
  expect(listWrongResults(results)).toEqual([]);
  expect(results.filter(({ rating }) => rating === 'lost')).toEqual([]);
});
