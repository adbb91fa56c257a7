import { expect, test } from 'vitest';
import {
  type CommitFacts,
  commitMessageIn,
  commitPrompt,
} from '../../../src/conversation/commit-prompt.ts';
import { letWork, Workspace } from './tool-use/workspace.ts';

/** What the button writes into the box. */
async function messageFor(facts: Partial<CommitFacts>): Promise<string> {
  const prompt = commitPrompt({ diff: '', recentSubjects: [], ...facts });
  const { rounds, answer } = await letWork(prompt, new Workspace());
  expect(rounds).toEqual([]);
  expect(commitMessageIn(answer)).toBe(answer);
  return answer;
}

const changed = (path: string, ...lines: readonly string[]): string =>
  [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    '@@ -1 +1 @@',
    ...lines,
  ].join('\n');

const added = 'diff --git a/src/ebb.ts b/src/ebb.ts\nnew file mode 100644\n@@ -0,0 +1 @@\n+run x';
const removed = added.replace('new file', 'deleted file');
const renamed =
  'diff --git a/src/ebb.ts b/src/flow.ts\nrename from src/ebb.ts\nrename to src/flow.ts';

test.each([
  [added, 'Add ebb.ts'],
  [removed, 'Remove ebb.ts'],
  [renamed, 'Rename ebb.ts to flow.ts'],
  [changed('a.ts', '+function high() {'), 'Add high to a.ts'],
  [changed('a.ts', '-function high() {'), 'Remove high from a.ts'],
  [changed('a.ts', '-function high() {', '+function low() {'), 'Rename high to low in a.ts'],
  [changed('a.ts', '-function high() {', '+function high(at) {'), 'Change high in a.ts'],
  [changed('a.md', '-Read it and go on', '+Fix it'), 'Change a.md'],
  [`${changed('a.md', '+b')}\n${added}`, 'Change a.md and ebb.ts'],
  [['a', 'b', 'c'].map((path) => changed(path, '+d')).join('\n'), 'Change a and 2 more'],
  ['', 'Change files'],
])('%j: %s', async (diff, message) => {
  expect(await messageFor({ diff })).toBe(message);
});

test.each([
  [['feat: begin', 'Other'], 'feat: add ebb.ts'],
  [['fix(tides)!: begin'], 'feat: add ebb.ts'],
  [['tides: begin'], 'tides: add ebb.ts'],
  [['Begin'], 'Add ebb.ts'],
])('after %j it is %s', async (recentSubjects, message) => {
  expect(await messageFor({ diff: added, recentSubjects })).toBe(message);
});

test('what the person began stays, and files that Git does not know count', async () => {
  const message = await messageFor({ newFiles: ['docs/new.md'], draft: 'Say more' });
  expect(message).toBe('Say more\n\nAdd new.md');
});
