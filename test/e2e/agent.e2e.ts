import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../support/paths.ts';
import { agentModelSettings, openAgentChat, resetService } from './agent-session.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { takeScreenshotInAllThemes } from './appearance.ts';
import { ApprovalCard } from './pages/approval-card.ts';
import { NotificationCenter } from './pages/notification-center.ts';
import { pressIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

const createApprovalCard = (): ApprovalCard => new ApprovalCard(session().chat.content);
const getWorkspacePath = (file: string): string => join(session().folder, file);
const readWorkspaceFile = (file: string): Promise<string> =>
  readFile(getWorkspacePath(file), 'utf8');

/**
 * Workspace files by path. Three files define or use the same constant. `check.mjs` contains a failing test of
 * `src/add.mjs`.
 */
const workspaceFiles: Readonly<Record<string, string>> = {
  'src/units.ts': 'export const metresPerFoot = 0.3048;\n',
  'src/convert.ts':
    "import { metresPerFoot } from './units.ts';\n\nexport const toMetres = (feet: number): number => feet * metresPerFoot;\n",
  'src/report.ts':
    "import { metresPerFoot } from './units.ts';\n\nexport const note = `1 ft is ${metresPerFoot} m`;\n",
  'src/add.mjs': 'export function add(a, b) {\n  return a - b;\n}\n',
  'check.mjs':
    "import assert from 'node:assert/strict';\nimport { add } from './src/add.mjs';\n\nassert.equal(add(2, 3), 5);\nconsole.log('all tests pass');\n",
};

const session = useSession({
  name: 'agent',
  settings: { ...agentModelSettings, 'inferenceService.agent.permissions': 'ask' },
  files: workspaceFiles,
  otherExtensions: [join(root, 'test', 'support', 'tool-extension')],
});

beforeAll(() => openAgentChat(session()));

beforeEach(async () => {
  await resetService(session());
  await mkdir(getWorkspacePath('src'), { recursive: true });
  await Promise.all(
    Object.entries(workspaceFiles).map(([file, text]) => writeFile(getWorkspacePath(file), text)),
  );
  await session().openNewChat();
});

async function readChatRequests() {
  return (await getControl(session()).getRequests()).filter(({ path }) =>
    path.endsWith('/chat/completions'),
  );
}

describe('the agent with changes in several files', () => {
  test('renames a symbol in three files after one approval, shows the changes and undoes them', async () => {
    const { chat, workbench, page } = session();
    await chat.sendText(
      'Find where `metresPerFoot` is defined and rename it to `metresInFoot` in all files',
    );
    await createApprovalCard().approval.waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'agent-approval');
    expect(await readWorkspaceFile('src/units.ts')).toBe(workspaceFiles['src/units.ts']);
    await createApprovalCard().allowRequest('src/', 'Allow in this chat');
    await chat.waitUntilIdle();
    for (const file of ['src/units.ts', 'src/convert.ts', 'src/report.ts']) {
      expect(await readWorkspaceFile(file)).toBe(
        workspaceFiles[file]?.replaceAll('metresPerFoot', 'metresInFoot'),
      );
    }
    const changedFiles = chat.content.getByRole('group', { name: 'Changed files' });
    await changedFiles.getByText('3 files changed').waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    await takeScreenshotInAllThemes(session(), 'agent-changes');

    // The button opens a comparison with the file before the turn.
    await changedFiles.getByRole('button', { name: 'src/convert.ts' }).click();
    await page.locator('.tab.active').filter({ hasText: 'convert.ts' }).waitFor();
    await page.locator('.monaco-diff-editor').first().waitFor();

    await changedFiles.getByRole('button', { name: 'Undo all' }).click();
    await changedFiles.getByText('Undone').waitFor();
    for (const file of ['src/units.ts', 'src/convert.ts', 'src/report.ts']) {
      expect(await readWorkspaceFile(file)).toBe(workspaceFiles[file]);
    }
    await workbench.runCommand('View: Close All Editors');
  });

  test('lets the user accept one hunk and reject another', async () => {
    const { chat, page, workbench } = session();
    const twoFileText =
      'const a = 1;\nconst b = 2;\nconst c = 3;\nconst d = 4;\nconst e = 5;\nconst f = 6;\nconst g = 7;\n';
    await writeFile(getWorkspacePath('src/two.ts'), twoFileText);
    await getControl(session()).addScripts({
      steps: [
        {
          toolCall: {
            index: 0,
            id: 'edit-1',
            name: 'edit_file',
            arguments: JSON.stringify({
              path: 'src/two.ts',
              edits: [
                { search: 'const a = 1;', replace: 'const a = 10;' },
                { search: 'const g = 7;', replace: 'const g = 70;' },
              ],
            }),
          },
        },
      ],
    });
    await getControl(session()).addScripts({ steps: [{ content: 'Both are done.' }] });
    await chat.sendText('Make a and g ten times as large');
    await createApprovalCard().allowRequest('src/two.ts');
    await chat.waitUntilIdle();
    expect(await readWorkspaceFile('src/two.ts')).toBe(
      twoFileText.replace('= 1;', '= 10;').replace('= 7;', '= 70;'),
    );
    await workbench.openFile('two.ts');
    const findLenses = (name: string) =>
      page
        .locator('.editor-group-container.active .codelens-decoration a')
        .getByText(name, { exact: true });
    await findLenses('Keep').first().click();
    await findLenses('Keep').nth(1).waitFor({ state: 'detached' });
    await chat.content.getByText('1 of 2').waitFor();
    await findLenses('Undo').first().click();
    await expect
      .poll(() => readWorkspaceFile('src/two.ts'))
      .toBe(twoFileText.replace('= 1;', '= 10;'));
    await findLenses('Keep').first().waitFor({ state: 'detached' });
    await workbench.runCommand('View: Close All Editors');
    await rm(getWorkspacePath('src/two.ts'));
  });
});

describe('the agent with commands', () => {
  test('runs a failing command, explains the failure, and fixes the cause', async () => {
    const { chat } = session();
    await chat.sendText('Run `node check.mjs` and fix what fails');
    await createApprovalCard().allowRequest('node check.mjs');
    await createApprovalCard().allowRequest('src/add.mjs');
    await createApprovalCard().allowRequest('node check.mjs');
    await chat.waitUntilIdle();
    expect(await readWorkspaceFile('src/add.mjs')).toBe(
      workspaceFiles['src/add.mjs']?.replace('a - b', 'a + b'),
    );
    await chat.content.getByText('Run', { exact: true }).first().waitFor();
    await chat.content.getByText('Exit code 1').first().waitFor();
    const lastRequest = (await readChatRequests()).at(-1);
    expect(JSON.stringify(lastRequest?.body)).toContain('all tests pass');
  });

  test('marks hidden characters of a command in the approval, and sends the reason for a denial to the model', async () => {
    const { chat } = session();
    await getControl(session()).addScripts({
      steps: [
        {
          toolCall: {
            index: 0,
            id: 'run-1',
            name: 'run_command',
            arguments: JSON.stringify({
              command: `ls${' '.repeat(300)}; touch pwned`,
              requires_approval: false,
            }),
          },
        },
      ],
    });
    await getControl(session()).addScripts({ steps: [{ content: 'I will not.' }] });
    await chat.sendText('List the files');
    await createApprovalCard().approval.getByText('300 spaces').waitFor();
    await createApprovalCard().denyRequest('touch pwned', 'Use the tool that lists folders');
    await chat.waitUntilIdle();
    const lastRequest = (await readChatRequests()).at(-1);
    expect(JSON.stringify(lastRequest?.body)).toContain('Use the tool that lists folders');
    await expect(readWorkspaceFile('pwned')).rejects.toThrow();
  });

  test('kills the running command when the user clicks Stop', async () => {
    const { chat } = session();
    await chat.sendText('Run `sleep 600`');
    await chat.content.getByRole('button', { name: /Cancel .*sleep 600/u }).waitFor();
    await chat.locateButton('Stop').click();
    await chat.locateButton('Send').waitFor();
    await chat.content.getByText('Canceled').first().waitFor();
    await chat.lastAnswer.getByText('Stopped', { exact: true }).waitFor();
    expect(await chat.content.getByText('Interrupted before the end').count()).toBe(0);
    expect(await readChatRequests()).toHaveLength(1);
    await getControl(session()).addScripts({ steps: [{ content: 'Then I go on without it.' }] });
    await chat.locateButton('Continue').click();
    await chat.lastAnswer.getByText('Then I go on without it.').waitFor();
    await chat.waitUntilIdle();
  });
});

test("the extension lets another extension send requests to a model only after the user's consent", async () => {
  const { page, workbench } = session();
  await getControl(session()).addScripts({ steps: [{ content: 'High water is at noon.' }] });
  await workbench.runCommand('Tide: Ask a Model');
  const question = page.getByRole('dialog').filter({ hasText: 'use the service once?' });
  await question.getByText('tide-tools').first().waitFor();
  expect(await readChatRequests()).toEqual([]);
  await question.getByRole('button', { name: 'Allow Once', exact: true }).click();
  await workbench.editor.getByText('High water is at noon.').waitFor();
  expect(JSON.stringify((await readChatRequests())[0]?.body)).toContain('When is high water?');
});

describe('a chat with tools', () => {
  test('sends no tool with side effects after a keyboard shortcut selects Ask mode', async () => {
    const { chat } = session();
    await pressIn(chat.composer, 'Control+.');
    await chat.content.getByRole('button', { name: 'Mode: Ask' }).waitFor();
    await chat.sendText('Read src/units.ts');
    await chat.waitUntilIdle();
    const names = (
      JSON.parse(JSON.stringify((await readChatRequests())[0]?.body)) as {
        tools: { function: { name: string } }[];
      }
    ).tools.map((tool) => tool.function.name);
    expect(names).toContain('read_file');
    for (const name of ['edit_file', 'create_file', 'delete_file', 'rename_file', 'run_command']) {
      expect(names).not.toContain(name);
    }
    await chat.content.getByRole('button', { name: 'Mode: Ask' }).click();
    await chat.content.getByRole('menuitemradio', { name: 'Agent', exact: true }).click();
    await chat.content.getByRole('button', { name: 'Mode: Agent' }).waitFor();
  });

  test('sends the tools of other extensions with their schemas, and runs an allowed call', async () => {
    const { chat } = session();
    await chat.sendText('Call tool tide_height with {"station": "Harbour"}');
    await createApprovalCard().allowRequest('tide_height');
    await chat.waitUntilIdle();
    const [firstRequest, lastRequest] = [
      (await readChatRequests())[0],
      (await readChatRequests()).at(-1),
    ];
    expect(JSON.stringify(firstRequest?.body)).toContain(
      '"parameters":{"type":"object","properties":{"station":{"type":"string","description":"Name of the station"}},"required":["station"]}',
    );
    expect(JSON.stringify(lastRequest?.body)).toContain('At Harbour the tide is at 3.4 m.');
    // The extension does not send VS Code's tools, because their definitions cost more than most messages.
    expect(JSON.stringify(firstRequest?.body)).not.toContain('run_in_terminal');
  });

  test("runs another extension's tool, which shows its own confirmation, and sends the user's choice to the model", async () => {
    const { chat, page } = session();
    const dialog = page.getByRole('dialog').filter({ hasText: 'Set a tide alarm?' });
    for (const [button, expectedText] of [
      ['Yes', 'The alarm for Harbour is set.'],
      ['Cancel', 'the user did not confirm it'],
    ] as const) {
      await getControl(session()).addScripts({
        steps: [{ call: { name: 'tide_alarm', arguments: { station: 'Harbour' } } }],
      });
      await getControl(session()).addScripts({ steps: [{ content: 'I see.' }] });
      await chat.sendText('Wake me at high water');
      await createApprovalCard().allowRequest('tide_alarm');
      await dialog.getByText('It rings at high water at Harbour.').waitFor();
      await dialog.getByRole('button', { name: button, exact: true }).click();
      await chat.waitUntilIdle();
      expect(JSON.stringify((await readChatRequests()).at(-1)?.body)).toContain(expectedText);
    }
  });

  test("sends the workspace's instruction files, and lists these files", async () => {
    const { chat } = session();
    await writeFile(getWorkspacePath('AGENTS.md'), 'Write British English.\n');
    await session().openNewChat();
    await chat.sendText('Read src/units.ts');
    await chat.waitUntilIdle();
    expect(JSON.stringify((await readChatRequests())[0]?.body)).toContain('Write British English.');
    await chat.content.getByText('AGENTS.md').first().waitFor();
    await rm(getWorkspacePath('AGENTS.md'));
  });
});

test("a chat loads a skill, sends only the chosen agent's tools, and lists a malformed file with its line number", async () => {
  const { chat } = session();
  const agentFiles = {
    '.agents/skills/tides/SKILL.md':
      '---\nname: tides\ndescription: Predicts tides\n---\nUse the harmonic method.\n',
    '.github/agents/reader.agent.md': '---\nname: reader\ntools: [read]\n---\nCite lines.\n',
    '.github/agents/broken.agent.md': '---\nname: broken\ntools: [read\n---\nBroken.\n',
  };
  for (const [file, text] of Object.entries(agentFiles)) {
    await mkdir(join(getWorkspacePath(file), '..'), { recursive: true });
    await writeFile(getWorkspacePath(file), text);
  }
  await session().openNewChat();
  await getControl(session()).addScripts(
    {
      userMessage: 'When is high tide?',
      steps: [{ call: { name: 'load_skill', arguments: { name: 'tides' } } }],
    },
    { afterResultOf: 'load_skill', steps: [{ content: 'At noon.' }] },
  );
  await chat.sendText('When is high tide?');
  await chat.lastAnswer.getByText('At noon.').waitFor();
  await chat.waitUntilIdle();
  expect(JSON.stringify((await readChatRequests()).at(-1)?.body)).toContain('harmonic method');
  const chips = chat.content.getByRole('list', { name: 'Instructions' });
  await chips.getByText('.agents/skills/tides/SKILL.md').waitFor();
  await chips.getByText(/^\.github\/agents\/broken\.agent\.md:\d+$/u).waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);

  await chat.locateButton('Options').click();
  const options = chat.content.getByRole('dialog', { name: 'Options' });
  await options.getByText('Advanced', { exact: true }).click();
  await options.getByRole('combobox', { name: 'Agent' }).selectOption('reader');
  await chips.getByText('.github/agents/reader.agent.md').waitFor();
  await options.getByRole('combobox', { name: 'Agent' }).focus();
  await pressIn(options.getByRole('combobox', { name: 'Agent' }), 'Escape');
  await options.waitFor({ state: 'hidden' });
  await getControl(session()).addScripts({ steps: [{ content: 'Line 1.' }] });
  await chat.sendText('Where?');
  await chat.lastAnswer.getByText('Line 1.').waitFor();
  await chat.waitUntilIdle();
  const request = JSON.stringify((await readChatRequests()).at(-1)?.body);
  expect(request).toContain('Cite lines.');
  expect(request).toContain('"name":"read_file"');
  expect(request).not.toContain('"name":"edit_file"');
  for (const folder of ['.agents', '.github'])
    await rm(getWorkspacePath(folder), { recursive: true });
});

test('a notification appears when a hidden chat waits for approval', async () => {
  const { chat, workbench } = session();
  await getControl(session()).addScripts({
    steps: [
      { hold: 'until hidden' },
      {
        toolCall: {
          index: 0,
          id: 'run-1',
          name: 'run_command',
          arguments: JSON.stringify({ command: 'node --version' }),
        },
      },
    ],
  });
  await getControl(session()).addScripts({ steps: [{ content: 'Then not.' }] });
  await chat.sendText('Which Node is it?');
  await session().openNewChat();
  await getControl(session()).releasePause('until hidden');
  const notificationCenter = new NotificationCenter(workbench);
  await notificationCenter.pressButton('waits for your answer.', 'Show');
  await createApprovalCard().denyRequest('node --version');
  await chat.waitUntilIdle();
  // Notifications could cover the chat in the next test.
  await notificationCenter.clear();
});

test("the agent summarizes a chat that exceeds the model's context, and the transcript stays complete", async () => {
  const { chat } = session();
  // The model's real limit is smaller than the limit in the model list.
  await getControl(session()).changeModel({
    model: 'assistant-large-480b',
    contextTokens: 14_000,
    listed: false,
  });
  await getControl(session()).addScripts({
    steps: [{ content: `The tide story. ${'ebb and flow '.repeat(2_600)}` }],
  });
  await chat.sendText('Tell a long story about tides');
  await chat.waitUntilIdle();
  await chat.sendText('Read src/units.ts');
  await chat.waitUntilIdle();
  await chat.content
    .getByText('From here on the model gets a summary of what came before.')
    .waitFor();
  expect(await chat.lastAnswer.getByRole('group', { name: 'Problem' }).count()).toBe(0);
  await chat.transcript.getByText('The tide story.').first().waitFor();
  const requestLengths = (await readChatRequests()).map(({ body }) => JSON.stringify(body).length);
  expect(requestLengths.at(-1)).toBeLessThan(Math.max(...requestLengths));
});

test("the chat shows a question of the model and sends the user's answer", async () => {
  const { chat } = session();
  await getControl(session()).addScripts({
    steps: [
      {
        toolCall: {
          index: 0,
          id: 'ask-1',
          name: 'ask_user',
          arguments: JSON.stringify({ question: 'Metres or feet?', choices: ['Metres', 'Feet'] }),
        },
      },
    ],
  });
  await getControl(session()).addScripts({ steps: [{ content: 'Feet it is.' }] });
  await chat.sendText('Which unit do you need?');
  await createApprovalCard()
    .locateQuestion('Metres or feet?')
    .getByRole('button', { name: 'Feet' })
    .click();
  await chat.lastAnswer.getByText('Feet it is.').waitFor();
  await chat.waitUntilIdle();
  expect(JSON.stringify((await readChatRequests()).at(-1)?.body)).toContain('"content":"Feet"');
});

test('a pending tool call does not run after a reload, and is shown as not run', async () => {
  const { chat, workbench } = session();
  await chat.sendText('Create the file src/new.ts with `export const x = 1;`');
  await createApprovalCard().approval.waitFor();
  await workbench.waitForStoredSideBar();
  await session().reloadWindow();
  await chat.content.getByText('Not run').first().waitFor();
  expect(await createApprovalCard().approval.count()).toBe(0);
  await expect(readWorkspaceFile('src/new.ts')).rejects.toThrow();
  await chat.locateButton('Continue').click();
  await createApprovalCard().allowRequest('src/new.ts');
  await chat.waitUntilIdle();
  expect(await readWorkspaceFile('src/new.ts')).toContain('export const x = 1;');
  await rm(getWorkspacePath('src/new.ts'));
});
