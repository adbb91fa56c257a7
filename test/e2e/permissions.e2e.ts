import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { agentModelSettings, openAgentChat, resetService } from './agent-session.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshotInAllThemes } from './appearance.ts';
import { ApprovalCard } from './pages/approval-card.ts';
import { getControl, useSession } from './session.ts';

const workspaceFiles: Readonly<Record<string, string>> = {
  'src/tide.ts': 'export const tide = 1;\n',
  'check.mjs': "console.log('all tests pass');\n",
  // These workspace settings must have no effect.
  '.vscode/settings.json': JSON.stringify({
    'inferenceService.agent.permissions': 'runCommands',
    'inferenceService.agent.allowReadingCommands': false,
  }),
};

const session = useSession({
  name: 'permissions',
  settings: agentModelSettings,
  files: workspaceFiles,
});

const createApprovalCard = (): ApprovalCard => new ApprovalCard(session().chat.content);
const getWorkspacePath = (file: string): string => join(session().folder, file);
const readWorkspaceFile = (file: string): Promise<string> =>
  readFile(getWorkspacePath(file), 'utf8');

beforeAll(() => openAgentChat(session()));

beforeEach(async () => {
  await resetService(session());
  for (const [file, text] of Object.entries(workspaceFiles))
    await writeFile(getWorkspacePath(file), text);
  await session().openNewChat();
});

/**
 * Scripts the next answers of the model: one per tool call, and then one without a tool call, which ends the turn.
 * @param calls name and arguments of each tool call
 */
async function addScriptedCalls(...calls: readonly (readonly [string, object])[]): Promise<void> {
  for (const [index, [name, args]] of calls.entries()) {
    await getControl(session()).addScripts({
      steps: [{ toolCall: { index: 0, id: `c${index}`, name, arguments: JSON.stringify(args) } }],
    });
  }
  await getControl(session()).addScripts({ steps: [{ content: 'Done.' }] });
}

const createEditCall = (from: number, to: number) =>
  [
    'edit_file',
    { path: 'src/tide.ts', edits: [{ search: `tide = ${from}`, replace: `tide = ${to}` }] },
  ] as const;
const createRenameCall = (path: string, search: string) =>
  ['edit_file', { path, edits: [{ search, replace: search.replace('tide', 'level') }] }] as const;

/**
 * Starts to count approval cards. Returns a function that returns the count. A card can be counted several times, but
 * the count is 0 only if no card appeared.
 */
async function startCountingCards(): Promise<() => Promise<number>> {
  const body = session().chat.content.locator('.pending');
  await body.evaluate((element) => {
    Reflect.set(globalThis, 'cards', 0);
    new MutationObserver(() => {
      const cardCount = element.querySelectorAll('.pending-card').length;
      Reflect.set(globalThis, 'cards', Number(Reflect.get(globalThis, 'cards')) + cardCount);
    }).observe(element, { childList: true, subtree: true });
  });
  return () => body.evaluate(() => Number(Reflect.get(globalThis, 'cards')));
}
const createCommandCall = (commandLine: string) =>
  ['run_command', { command: commandLine }] as const;

test('the agent edits a workspace file without approval, and the user can review and undo the edit', async () => {
  const { chat } = session();
  await addScriptedCalls(createEditCall(1, 2));
  await chat.sendText('Raise the tide');
  await chat.waitUntilIdle();
  expect(await readWorkspaceFile('src/tide.ts')).toBe('export const tide = 2;\n');
  const changedFiles = chat.content.getByRole('group', { name: 'Changed files' });
  await changedFiles.getByText('1 file changed').waitFor();
  await changedFiles.getByRole('button', { name: 'Undo all' }).click();
  await changedFiles.getByText('Undone').waitFor();
  expect(await readWorkspaceFile('src/tide.ts')).toBe(workspaceFiles['src/tide.ts']);
});

test('the agent renames a symbol in two files without approval, and the user reviews both files together', async () => {
  const { chat, page, workbench } = session();
  await writeFile(
    getWorkspacePath('src/use.ts'),
    "import { tide } from './tide.ts';\nconsole.log(tide);\n",
  );
  await addScriptedCalls(createRenameCall('src/tide.ts', 'const tide'), [
    'edit_file',
    {
      path: 'src/use.ts',
      edits: [
        { search: 'import { tide }', replace: 'import { level }' },
        { search: 'log(tide)', replace: 'log(level)' },
      ],
    },
  ]);
  const countNewCards = await startCountingCards();
  await chat.sendText('Rename tide to level');
  await chat.waitUntilIdle();
  expect(await countNewCards()).toBe(0);
  expect(await readWorkspaceFile('src/use.ts')).toContain('console.log(level)');
  expect(await chat.content.getByRole('group', { name: 'Changed files' }).count()).toBe(1);
  await chat.content.getByText('2 files changed').waitFor();

  // The buttons above the editor move from change to change, also to the other file.
  await workbench.openFile('tide.ts');
  const findAction = (name: string) =>
    page.locator('.editor-actions').getByRole('button', { name: new RegExp(`^${name}`, 'u') });
  await findAction('Go to Previous Change to Review').waitFor();
  await findAction('Keep All Changes in File').waitFor();
  await findAction('Undo All Changes in File').waitFor();
  await takeScreenshotInAllThemes(session(), 'review-bar');
  await findAction('Go to Next Change to Review').click();
  await page.locator('.tab.active').filter({ hasText: 'use.ts' }).waitFor();
  await findAction('Undo All Changes in File').click();
  await expect.poll(() => readWorkspaceFile('src/use.ts')).toContain('console.log(tide)');
  await findAction('Undo All Changes in File').waitFor({ state: 'detached' });
  await chat.content.getByRole('button', { name: 'Keep all' }).click();
  expect(await readWorkspaceFile('src/tide.ts')).toBe('export const level = 1;\n');
  await workbench.runCommand('View: Close All Editors');
});

const redirectReason = 'It reads from or writes to a file by redirection.';

test('the agent runs a read-only command without approval by default, but requires approval for a redirect and states the reason in one sentence', async () => {
  const { chat } = session();
  await addScriptedCalls(createCommandCall('ls src'), createCommandCall('ls </dev / null'));
  await chat.sendText('List the files');
  const card = createApprovalCard().approval;
  await card.getByText(redirectReason).waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshotInAllThemes(session(), 'redirect-approval');
  await createApprovalCard().denyRequest('/dev / null');
  await chat.waitUntilIdle();
  const bodies = (await getControl(session()).getRequests()).map(({ body }) =>
    JSON.stringify(body),
  );
  expect(bodies.at(-1)).toContain('tide.ts');
  expect(bodies.at(-1)).toContain(`The user denied this call. ${redirectReason}`);
  await chat.content.getByText('Denied', { exact: true }).waitFor();
  await chat.content.getByRole('button', { name: /^Details of .*dev \/ null/u }).click();
  await chat.content.getByText(`The user denied this call. ${redirectReason}`).waitFor();
  await takeScreenshotInAllThemes(session(), 'redirect-refusal');
});

test('after an unreviewed edit, the agent requires one approval before an allowed command runs', async () => {
  const { chat } = session();
  await addScriptedCalls(
    createCommandCall('node check.mjs'),
    createEditCall(1, 2),
    createCommandCall('node check.mjs'),
    createCommandCall('node check.mjs'),
  );
  await chat.sendText('Check, raise the tide, and check again');
  await createApprovalCard().allowRequest('node check.mjs', 'Allow in this chat');
  const sentence = 'It runs after edits that you have not reviewed: src/tide.ts.';
  await createApprovalCard().approval.getByText(sentence).waitFor();
  await createApprovalCard().allowRequest('node check.mjs');
  await chat.waitUntilIdle();
  const lastRequest = (await getControl(session()).getRequests()).findLast(({ path }) =>
    path.endsWith('/chat/completions'),
  );
  expect(JSON.stringify(lastRequest?.body).match(/all tests pass/gu)).toHaveLength(3);
});

test('the agent edits a file outside the workspace if the user allowed the file for this chat, and requires approval for another file', async () => {
  const { chat, folder } = session();
  const [allowedPath, otherPath] = ['allowed.ts', 'other.ts'].map(
    (name) => `${folder}-outside-${name}`,
  );
  if (allowedPath === undefined || otherPath === undefined) throw new Error('No path.');
  for (const path of [allowedPath, otherPath]) await writeFile(path, 'export const tide = 1;\n');
  await addScriptedCalls(
    ...[createEditCall(1, 2), createEditCall(2, 3)].map(
      ([name, args]) => [name, { ...args, path: allowedPath }] as const,
    ),
    createRenameCall(otherPath, 'tide'),
  );
  await chat.sendText('Raise the tide outside');
  await createApprovalCard().allowRequest('outside-allowed.ts', 'Allow in this chat');
  await createApprovalCard().denyRequest('outside-other.ts');
  await chat.waitUntilIdle();
  expect(await readFile(allowedPath, 'utf8')).toBe('export const tide = 3;\n');
  expect(await readFile(otherPath, 'utf8')).toBe('export const tide = 1;\n');
});

test('a permission level that the user sets in the composer requires approval of edits in this chat but not in the next chat', async () => {
  const { chat } = session();
  await chat.content.getByRole('button', { name: 'Permissions: Apply edits', exact: true }).click();
  await chat.content.getByRole('menuitemradio', { name: 'Ask before changes' }).click();
  await chat.content.getByRole('button', { name: 'Permissions: Ask before changes' }).waitFor();
  await addScriptedCalls(createEditCall(1, 2));
  await chat.sendText('Raise the tide');
  await createApprovalCard().approval.getByText('src/tide.ts').first().waitFor();
  expect(await readWorkspaceFile('src/tide.ts')).toBe(workspaceFiles['src/tide.ts']);
  await createApprovalCard().denyRequest('src/tide.ts');
  await chat.waitUntilIdle();
  await session().openNewChat();
  await chat.content
    .getByRole('button', { name: 'Permissions: Apply edits', exact: true })
    .waitFor();
});
