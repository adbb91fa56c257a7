import { expect, test } from 'vitest';
import { AnswerLines } from '../../../src/editor/answer-lines.ts';
import { type EditAsk, editRequest } from '../../../src/editor/edit-request.ts';
import { letWork, Workspace } from './tool-use/workspace.ts';

const flood = '  function flood(at) {\n    var low = at - 1;\n    return low;\n  }';

/** What the editor puts in place of the lines. */
async function edited(instruction: string, ask: Partial<EditAsk> = {}): Promise<string> {
  const { messages } = editRequest({
    model: 'm',
    path: 'src/tide.ts',
    language: 'typescript',
    text: flood,
    before: 'class Tide {',
    after: '}',
    instruction,
    ...ask,
  });
  const content = messages.at(-1)?.content;
  const request = typeof content === 'string' ? content : '';
  const { rounds, answer } = await letWork(request, new Workspace());
  expect(rounds).toEqual([]);
  const lines = new AnswerLines(ask.language ?? 'typescript');
  lines.push(answer);
  lines.end();
  expect(lines.lines.join('\n')).toBe(answer);
  return answer;
}

test.each([
  ['Rename flood to ebb', flood.replace('flood', 'ebb')],
  ['Please replace `at - 1` with `at + 1`.', flood.replace('at - 1', 'at + 1')],
  ['Use const instead of var', flood.replace('var', 'const')],
  [
    'Document the code in the lines, with comments in the form that is usual in the language.',
    `  /**\n   * Works out the flood.\n   * @param at The at to work on.\n   */\n${flood}`,
  ],
  ['Read a.ts, then make it faster', `  // To do: Read a.ts, then make it faster\n${flood}`],
  ['Rename ebb to flow', `  // To do: Rename ebb to flow\n${flood}`],
])('the lines alone are the answer to %j', async (instruction, lines) => {
  expect(await edited(instruction)).toBe(lines);
});

test('an obvious problem is fixed', async () => {
  const problems = ["Error at line 4: Cannot find name 'lov'. Did you mean 'low'?"];
  const text = flood.replace('return low', 'return lov');
  expect(await edited('Fix the problems of the lines.', { text, problems })).toBe(flood);
});

test.each([
  ['Remove all comments', 'python', '# high\nx = 1', 'x = 1'],
  ['Remove the comments', 'css', '/* high */\na {}', 'a {}'],
  ['Sort the lines', 'plaintext', 'b\na', 'a\nb'],
  ['Say hello', 'html', '<p></p>', '<!-- To do: Say hello -->\n<p></p>'],
  ['Say hello', 'python', '', '# To do: Say hello'],
])('%s in %s', async (instruction, language, text, lines) => {
  expect(await edited(instruction, { language, text })).toBe(lines);
});
