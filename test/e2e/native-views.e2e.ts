import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { eventually } from '../support/eventually.ts';
import { agentModelSettings, openAgentChat, resetService } from './agent-session.ts';
import { Animation, takeDocsScreenshots, writeScreenshot } from './appearance.ts';
import { ApprovalCard } from './pages/approval-card.ts';
import { NativeChatPage } from './pages/native-chat-page.ts';
import { NotificationCenter } from './pages/notification-center.ts';
import { StudioPage } from './pages/studio-page.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { getControl, useSession } from './session.ts';

// Opens the extension's views beside VS Code's own ones, for the screenshots in `docs/screenshots`.

const nativeChatSettings = { 'chat.disableAIFeatures': false };
const narrowWidth = 300;
/**
 * Total width of the activity bar and all borders, in pixels. The window must be wider than the settings editor by this
 * margin, because a single editor fills the rest of the window.
 */
const settingsMargin = 58;
const tideQuestion = 'Which tide comes next?';
/** Part of the request in which VS Code's built-in chat asks a model for the title of a conversation. */
const titleRequestText = 'brief title';
const tideAnswer =
  'High water is at **noon**. `nextTide(port)` returns it:\n\n```ts\nconst { time, height } = nextTide(port);\nconsole.log(`${height} m at ${time}`);\n```\n\n- Spring tides follow a new or full moon.\n- Neap tides follow a quarter moon.';

describe("the views beside VS Code's own chat", () => {
  const session = useSession({
    name: 'native-views',
    settings: nativeChatSettings,
    files: {
      'src/tides.ts':
        'export const metresPerFoot = 0.3048;\n\nexport const toMetres = (feet: number): number => feet * metresPerFoot;\n',
      'src/report.ts':
        "import { metresPerFoot } from './tides.ts';\n\nexport const rate = `1 ft = ${metresPerFoot} m`;\n",
    },
  });
  const createNativeChatPage = (): NativeChatPage => new NativeChatPage(session().page, 'editor');

  beforeAll(async () => {
    const { workbench, page } = session();
    await workbench.runCommand("Inference Service: Use in VS Code's Chat…");
    await workbench.locateFocusedOption(/\$/u).waitFor();
    await page.keyboard.press('Enter');
    await workbench.locateDialogButton('Apply').click();
    const notificationCenter = new NotificationCenter(workbench);
    await notificationCenter.waitForNotification(/own agent is off/u);
    await notificationCenter.clear();
    await workbench.runCommand('Extensions: Enable All Extensions');
    await session().reloadWindow();
    await workbench.runCommand('Chat: New Chat Editor');
    await createNativeChatPage().pickedModel.waitFor();
  });

  beforeEach(async () => {
    const control = new Control(session().service.controlUrl);
    await control.reset();
    await control.setResponsePace('instant');
  });

  test("show an answer in the same text sizes as VS Code's own chat", async () => {
    const { chat, service } = session();
    const control = new Control(service.controlUrl);
    await eventually(async (timeout) => {
      await control.addScripts(
        { userMessage: titleRequestText, steps: [{ content: 'Time of the next tide' }] },
        { userMessage: tideQuestion, steps: [{ content: tideAnswer }] },
      );
      // VS Code offers its own sign-in if the models of the extension are not registered yet.
      await session().page.keyboard.press('Escape');
      await createNativeChatPage().sendText(tideQuestion);
      await createNativeChatPage()
        .locateAnswer('Neap tides')
        .waitFor({ timeout: 2 * timeout });
    });
    await session().openNewChat();
    await session().workbench.resizeSecondarySideBar(480);
    await control.addScripts({ userMessage: tideQuestion, steps: [{ content: tideAnswer }] });
    await chat.sendText(tideQuestion);
    await chat.lastAnswer.getByText('Neap tides').waitFor();
    await chat.waitUntilIdle();
    const nativeAnswer = createNativeChatPage().locateAnswer('Neap tides');
    expect(await readFontSize(chat.lastAnswer.locator('p').first())).toBe(
      await readFontSize(nativeAnswer.locator('.rendered-markdown p').first()),
    );
    expect(await readFontSize(chat.lastAnswer.locator('p code').first())).toBeCloseTo(
      await readFontSize(nativeAnswer.locator('.rendered-markdown p code').first()),
      0,
    );
    await takeDocsScreenshots(session(), 'chat', {
      makeNarrow: () => session().workbench.resizeSecondarySideBar(narrowWidth),
    });
    expect(await isWiderThanItsFrame(chat.content.locator('body'))).toBe(false);
  });

  test('show an agent turn with two changed files without a card around the turn', async () => {
    const { chat, workbench } = session();
    const control = new Control(session().service.controlUrl);
    await workbench.runCommand('View: Close All Editors');
    await workbench.runCommand('Chat: New Chat Editor');
    await createNativeChatPage().pickedModel.waitFor();
    await control.addScripts(
      { userMessage: titleRequestText, steps: [{ content: 'Time of high water' }] },
      {
        userMessage: 'When is high water?',
        withTools: true,
        steps: [
          { call: { name: 'inferenceService_searchWeb', arguments: { query: 'tide tables' } } },
        ],
      },
      {
        afterResultOf: 'inferenceService_searchWeb',
        steps: [{ content: 'High water is at noon, says the table.' }],
      },
    );
    await createNativeChatPage().sendText('When is high water?');
    await createNativeChatPage().locateToolConfirmation('Search the web for $0.01?').waitFor();
    await createNativeChatPage().confirmTool();
    await createNativeChatPage().locateAnswer('High water is at noon').waitFor();
    await session().openNewChat();
    await workbench.resizeSecondarySideBar(480);
    await chat.sendText(
      'Find where `metresPerFoot` is defined and rename it to `metresInFoot` in all files',
    );
    await chat.waitUntilIdle();
    const changedFiles = chat.content.getByRole('group', { name: 'Changed files' });
    await changedFiles.getByText('2 files changed').waitFor();
    expect(await chat.content.getByRole('group', { name: 'Approval' }).count()).toBe(0);
    await takeDocsScreenshots(session(), 'agent', {
      makeNarrow: () => workbench.resizeSecondarySideBar(narrowWidth),
    });
    expect(await isWiderThanItsFrame(chat.content.locator('body'))).toBe(false);
  });

  test('list at most 34 settings of the extension in the Settings editor', async () => {
    const { page, workbench } = session();
    await workbench.resizeSecondarySideBar(narrowWidth);
    await workbench.runCommand('Preferences: Open Settings (UI)');
    const searchField = page.locator('.settings-editor .suggest-input-container');
    await searchField.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('@ext:inference-service.inference-service');
    const countLabel = page.locator('.settings-count-widget');
    await eventually(async () => {
      const settingCount = Number(/\d+/u.exec(await countLabel.innerText())?.[0]);
      expect(settingCount).toBeGreaterThan(20);
      expect(settingCount).toBeLessThanOrEqual(34);
    });
    await takeDocsScreenshots(session(), 'settings', {
      // VS Code gives its Settings editor at least 375 pixels, and scrolls it in a narrower group.
      makeNarrow: async () => {
        await workbench.runCommand('View: Hide Secondary Side Bar');
        await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
        await page.setViewportSize({ width: narrowWidth + settingsMargin, height: 800 });
        await eventually(async () => {
          const bounds = await page.locator('.settings-editor').boundingBox();
          expect(bounds?.width).toBe(narrowWidth);
        });
      },
    });
    await page.setViewportSize({ width: 1280, height: 800 });
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
  });

  test('include the image studio, which has no horizontal scroll bar at a width of 300 pixels', async () => {
    const { workbench } = session();
    await workbench.runCommand('View: Close All Editors');
    // The options are visible in a wide editor.
    await workbench.runCommand('Inference Service: Open Image Studio');
    const studio = new StudioPage(workbench.locateWebview('editor'));
    await fillField(studio.prompt, 'Four boats in a harbour');
    await studio.selectVariants(4);
    await studio.locateButton('Generate · $0.04').click();
    const images = studio.locateJobImages('Four boats in a harbour');
    await images.nth(3).waitFor();
    // An element is visible before its image is.
    await images
      .locator('img')
      .evaluateAll((items: HTMLImageElement[]) => Promise.all(items.map((item) => item.decode())));
    await writeScreenshot(session().page, 'media/screenshots/studio-dark.png');
    await takeDocsScreenshots(session(), 'studio', {
      content: studio.content,
      makeNarrow: () => resizeEditor(session().page, narrowWidth),
    });
    expect(await isWiderThanItsFrame(studio.content.locator('body'))).toBe(false);
  });
});

describe('the wallet', () => {
  const session = useSession({ name: 'native-views-wallet', needsChain: true });

  test("shows its balances in the same kind of list as VS Code's own commands", async () => {
    const { page, workbench } = session();
    await workbench.runCommand('Inference Service: Open Chat');
    await session().chat.composer.waitFor();
    await workbench.runCommand('Inference Service: Show Wallet');
    await workbench.locateOption('Private key or recovery phrase').click();
    await workbench.locateDialogButton('I Use a Dedicated Wallet').click();
    await fillField(workbench.quickInput, session().service.chain!.accounts[4]!.privateKey);
    await pressIn(workbench.quickInput, 'Enter');
    await page.locator('.quick-input-list').getByText('staked', { exact: false }).first().waitFor();
    await takeDocsScreenshots(session(), 'wallet', {
      makeNarrow: () => page.setViewportSize({ width: narrowWidth + 48, height: 800 }),
    });
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe('a question about a selection', () => {
  const session = useSession({ name: 'native-views-selection', settings: nativeChatSettings });

  test('shows the selection, and its answer shows folded reasoning, code and a table', async () => {
    const { page, workbench, chat, service } = session();
    const control = new Control(service.controlUrl);
    await control.setResponsePace('instant');
    await page.setViewportSize({ width: 1400, height: 860 });
    await control.addScripts({
      steps: [{ reasoning: 'The function counts periods.' }, { content: selectionAnswer }],
    });
    await workbench.openFile('tide.ts');
    await workbench.selectLines(11, 17);
    await workbench.runCommand('Inference Service: Ask About Selection');
    await chat.content.getByText('src/tide.ts:11-17').waitFor();
    await workbench.resizeSecondarySideBar(520);
    await chat.sendText('How does this predict the next tides, and what should I watch out for?');
    await chat.waitUntilIdle();
    await chat.lastAnswer.getByRole('table').waitFor();
    await chat.lastAnswer.getByText(/^Thought/u).waitFor();
    // Code is highlighted after the answer.
    await chat.lastAnswer.locator('pre span').first().waitFor();
    await writeScreenshot(page, 'media/screenshots/chat-dark.png');
    await chat.modelPicker.click();
    await chat.content.getByRole('option', { name: /Reasoner Deep/u }).waitFor();
    await writeScreenshot(page, 'media/screenshots/models-dark.png');
  });
});

describe('a turn of the agent', () => {
  const session = useSession({
    name: 'native-views-turn',
    settings: { ...nativeChatSettings, ...agentModelSettings },
    files: { 'src/tides.mjs': tidesSource, 'check.mjs': checkScript },
  });

  test('applies an edit, runs a command after approval, and ends after the user keeps the change', async () => {
    const { page, workbench, chat, folder } = session();
    const keepLens = page.locator('.codelens-decoration a').getByText('Keep', { exact: true });
    await openAgentChat(session());
    await resetService(session());
    const control = getControl(session());
    await control.addScripts(
      {
        userMessage: taskText,
        steps: [
          { reasoning: 'The check belongs before `first`.' },
          { content: 'I will read the function first.' },
          { call: { name: 'read_file', arguments: { path: 'src/tides.mjs' } } },
          { hold: 'reading' },
        ],
      },
      {
        afterResultOf: 'read_file',
        steps: [
          {
            call: {
              name: 'edit_file',
              arguments: {
                path: 'src/tides.mjs',
                edits: [{ search: textBeforeEdit, replace: textAfterEdit }],
              },
            },
          },
        ],
      },
      {
        afterResultOf: 'edit_file',
        steps: [{ call: { name: 'run_command', arguments: { command: 'node check.mjs' } } }],
      },
      {
        afterResultOf: 'run_command',
        steps: [
          {
            content:
              'A negative `count` is now a `RangeError`, and `check.mjs` passes. The new line is `src/tides.mjs:6`.',
          },
        ],
      },
    );
    const animation = new Animation(page);
    await page.setViewportSize({ width: 1400, height: 800 });
    await workbench.openFile('tides.mjs');
    await workbench.locateStatusBarItem(/Analyzing/u).waitFor({ state: 'hidden' });
    await workbench.resizeSecondarySideBar(520);
    await fillField(chat.input, taskText);
    await animation.addFrame(2_000);
    await pressIn(chat.input, 'Enter');
    await chat.lastAnswer.getByText('I will read the function first.').waitFor();
    await animation.addFrame(1_500);
    await control.releasePause('reading');
    const card = new ApprovalCard(chat.content);
    await card.approval.filter({ hasText: 'node check.mjs' }).waitFor();
    await keepLens.waitFor();
    expect(await readFile(join(folder, 'src/tides.mjs'), 'utf8')).toContain(textAfterEdit);
    await animation.addFrame(3_000);
    await card.allowRequest('node check.mjs');
    await chat.waitUntilIdle();
    await chat.content.getByText('1 file changed').waitFor();
    expect(await chat.content.getByText('Failed').count()).toBe(0);
    await animation.addFrame(3_000);
    await keepLens.click();
    const lenses = page.locator('.codelens-decoration').getByText('Keep');
    await eventually(async () => expect(await lenses.count()).toBe(0));
    await animation.addFrame(2_500);
    await animation.writeGif('media/screenshots/agent-dark.gif');
  });
});

const taskText = 'Let `nextTides` reject a negative `count`, and run check.mjs.';
const textBeforeEdit = '  const first = ';
const textAfterEdit = `  if (count < 0) throw new RangeError('negative count');\n${textBeforeEdit}`;
const tidesSource = `/** Period of the tide, in milliseconds. */
const period = 12.42 * 3_600_000;

/** Returns the times of the next high waters. */
export function nextTides(known, from, count) {
  const first = Math.ceil((from - known) / period);
  return Array.from(
    { length: count },
    (_, index) => known + (first + index) * period,
  );
}
`;
const checkScript = `import assert from 'node:assert/strict';
import { nextTides } from './src/tides.mjs';

assert.equal(nextTides(0, 1, 3).length, 3);
assert.throws(() => nextTides(0, 1, -1), RangeError);
console.log('all checks pass');
`;

const selectionAnswer = `\`nextHighWaters\` predicts high waters by **counting whole tidal periods** from one that is known.

1. \`periods\` is how many periods fit between the known tide and \`from\`, rounded up, so the first result is never in the past.
2. Each further tide is one \`periodMs\` (12 h 25 min) later.

One thing to know: the station and height are copied from the known tide. For heights that follow the moon you would scale them:

\`\`\`ts
const spring = Math.cos((2 * Math.PI * age) / 14.765);
const metres = known.metres * (1 + 0.2 * spring);
\`\`\`

| Input | Result |
|---|---|
| \`from\` before \`known.at\` | starts at the known tide or earlier |
| \`count\` of 0 | an empty list |
`;

const readFontSize = async (textElement: Locator): Promise<number> =>
  textElement.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));

const isWiderThanItsFrame = async (body: Locator): Promise<boolean> =>
  body.evaluate(
    (element) => element.scrollWidth > element.ownerDocument.documentElement.clientWidth,
  );

/** Resizes the window so that the editor area is `width` pixels wide. */
async function resizeEditor(page: Page, width: number): Promise<void> {
  const editorBox = await page.locator('.part.editor').boundingBox();
  const viewport = page.viewportSize();
  if (editorBox === null || viewport === null) throw new Error('The editor area is hidden.');
  await page.setViewportSize({ ...viewport, width: viewport.width - editorBox.width + width });
}
