import { beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { timeLimits } from '../support/time-limits.ts';
import { takeScreenshot } from './appearance.ts';
import { NativeChatPage } from './pages/native-chat-page.ts';
import { NotificationCenter } from './pages/notification-center.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({ name: 'native-chat', settings: { 'chat.disableAIFeatures': false } });

const createNativeChatPage = (): NativeChatPage => new NativeChatPage(session().page);

beforeAll(async () => {
  const { workbench, page } = session();
  await workbench.runCommand("Inference Service: Use in VS Code's Chat…");
  await workbench.locateFocusedOption(/\$/u).waitFor();
  await page.keyboard.press('Enter');
  await workbench.locateDialogButton('Apply').click();
  await createNativeChatPage().pickedModel.waitFor();
});

beforeEach(async () => {
  await getControl(session()).reset();
  await getControl(session()).setResponsePace('instant');
});

test("VS Code's own chat lists the extension's models with prices, without a GitHub account", async () => {
  const { page } = session();
  const { menu, pickedModel } = createNativeChatPage();
  await pickedModel.click();
  await menu
    .getByText(/\$1\.40 in · \$4\.40 out \/ 1M · private/u)
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
});

test('the participant @inference searches the web, and answers as a persona', async () => {
  const { workbench, service, consoleLines } = session();
  const chat = createNativeChatPage();
  await workbench.runCommand('Chat: New Chat');
  await getControl(session()).addScripts({
    steps: [{ content: 'High water is at noon.^1^' }],
    citations: [
      { title: 'Tides [x](command:evil)', url: 'https://pages.example.com/t', date: '2026-01-02' },
    ],
  });
  await chat.sendText('@inference /search tide tables');
  await chat.locateAnswer('High water is at noon.[1]').waitFor();
  const source = chat.content.getByRole('link', { name: 'Tides [x](command:evil)' });
  await source.waitFor();
  const { body } = await getControl(session()).waitForRequest(
    ({ path }) => path.endsWith('/chat/completions'),
    timeLimits.condition,
  );
  expect(JSON.stringify(body)).toContain('"enable_web_search":"on"');
  await chat.content.getByText('What do others say about it?').waitFor();

  await chat.sendText('@inference /persona zen');
  await workbench.locateOption('Alan Watts').click();
  await chat.locateAnswer('Alan Watts answers in this chat.').waitFor();
  await chat.sendText('@inference What is a queue?');
  await chat.locateAnswer('You see, my friend').waitFor();
  // VS Code can send further requests, for example for a title.
  const { body: chatRequestBody } = await getControl(session()).waitForRequest(
    ({ body: sentBody }) => JSON.stringify(sentBody ?? '').includes('What is a queue?'),
  );
  const requestText = JSON.stringify(chatRequestBody);
  expect(requestText).toContain('"character_slug":"alan-watts"');
  expect(requestText).toContain('"model":"assistant-large-480b"');
  expect(consoleLines.filter((line) => line.includes(service.apiKey))).toEqual([]);
  await takeScreenshot(session(), 'native-chat', 'dark');
});

test('the participant @inference generates an image, and shows a button that opens the studio', async () => {
  const { workbench } = session();
  const chat = createNativeChatPage();
  await workbench.runCommand('Chat: New Chat');
  await chat.sendText('@inference /image a red fox');
  const answer = chat.locateAnswer('Painter Turbo');
  await answer.waitFor();
  await answer
    .locator('a')
    .filter({ hasText: /\.webp/u })
    .first()
    .waitFor();
  await answer.getByText('Open Image Studio').waitFor();
  const imageRequests = (await getControl(session()).getRequests()).filter(({ path }) =>
    path.endsWith('/image/generate'),
  );
  expect(imageRequests.map(({ body }) => JSON.stringify(body))).toEqual([
    expect.stringContaining('"prompt":"a red fox"'),
  ]);
  await takeScreenshot(session(), 'native-image', 'dark');
});

test("VS Code's own agent uses a model of the extension, and requests confirmation before it calls tools of the extension", async () => {
  const { workbench } = session();
  const chat = createNativeChatPage();
  await enableBuiltInAgent();
  // VS Code may send the first request before its agent has started, and then without tools.
  await eventually(async (timeout) => {
    await getControl(session()).reset();
    await getControl(session()).setResponsePace('instant');
    await getControl(session()).addScripts(
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
        usage: { prompt_tokens: 45_600, completion_tokens: 90 },
      },
    );
    await workbench.runCommand('Chat: New Chat');
    await chat.pickedModel.waitFor();
    await chat.sendText('When is high water?');
    await chat
      .locateToolConfirmation('Search the web for $0.01?')
      .waitFor({ timeout: 2 * timeout });
  });
  await takeScreenshot(session(), 'native-agent-asks', 'dark');
  expect(await countSearchRequests()).toBe(0);
  await chat.confirmTool();
  await chat.locateAnswer('High water is at noon, says the table.').waitFor();
  expect(await countSearchRequests()).toBe(1);
  await chat.content.locator('.chat-context-usage-widget').click();
  await session()
    .page.locator('.chat-context-usage-details')
    .getByText(/45[.,]\dK/u)
    .waitFor();
  await session().page.keyboard.press('Escape');
  const requestBodies = (await getControl(session()).getRequests()).map(({ body }) =>
    JSON.stringify(body),
  );
  for (const name of extensionTools)
    expect(requestBodies.some((body) => body.includes(name))).toBe(true);
  await takeScreenshot(session(), 'native-agent', 'dark');
});

test("VS Code's own agent starts the MCP server by itself, and calls its tools with an approval in the window", async () => {
  const { workbench } = session();
  const chat = createNativeChatPage();
  await enableBuiltInAgent();
  await workbench.runCommand('Chat: New Chat');
  await chat.pickedModel.waitFor();
  const tools = await eventually(async (timeout) => {
    await getControl(session()).reset();
    await getControl(session()).setResponsePace('instant');
    await getControl(session()).addScripts({
      userMessage: 'Which tools are there?',
      withTools: true,
      steps: [{ content: 'Several tools.' }],
    });
    await chat.sendText('Which tools are there?');
    const { body } = await getControl(session()).waitForRequest(
      ({ body: sentBody }) => /"name":"mcp_[^"]*search_text"/u.test(JSON.stringify(sentBody ?? '')),
      timeout,
    );
    return [...JSON.stringify(body).matchAll(/"name":"(?<name>mcp_[^"]*)"/gu)].map(
      ({ groups }) => groups?.['name'] ?? '',
    );
  });
  const findToolName = (name: string): string =>
    tools.find((tool) => tool.endsWith(`_${name}`)) ?? name;
  await getControl(session()).addScripts(
    {
      userMessage: 'Where is the tide?',
      withTools: true,
      steps: [{ call: { name: findToolName('search_text'), arguments: { query: 'tide' } } }],
    },
    {
      afterResultOf: findToolName('search_text'),
      steps: [{ call: { name: findToolName('searchWeb'), arguments: { query: 'tide tables' } } }],
    },
    { afterResultOf: findToolName('searchWeb'), steps: [{ content: 'The tide is in a table.' }] },
  );
  const paidSearchCount = await countSearchRequests();
  await chat.sendText('Where is the tide?');
  // VS Code shows no question for a search that only reads. The question about the price is that of the extension.
  await workbench.locateDialogButton('Allow Once').waitFor();
  await session().page.getByText('Search the web for $0.01?').first().waitFor();
  expect(await countSearchRequests()).toBe(paidSearchCount);
  await takeScreenshot(session(), 'native-mcp', 'dark');
  await workbench.locateDialogButton('Allow Once').click();
  await chat.locateAnswer('The tide is in a table.').waitFor();
  expect(await countSearchRequests()).toBe(paidSearchCount + 1);
  const bodies = (await getControl(session()).getRequests()).map(({ body }) =>
    JSON.stringify(body ?? ''),
  );
  expect(bodies.some((body) => /src\/tide\.ts/u.test(body))).toBe(true);
});

/**
 * Enables VS Code's built-in agent, unless it is already enabled. In a new window, it is disabled until the user sets
 * up the chat.
 */
async function enableBuiltInAgent(): Promise<void> {
  if (isAgentStarted) return;
  const { workbench } = session();
  const notificationCenter = new NotificationCenter(workbench);
  await notificationCenter.waitForNotification(/own agent is off/u);
  await notificationCenter.clear();
  await workbench.runCommand('Extensions: Enable All Extensions');
  await workbench.waitForStoredSideBar();
  await session().reloadWindow();
  isAgentStarted = true;
}

let isAgentStarted = false;

const extensionTools = ['generateImage', 'searchWeb', 'readPage', 'describeImage', 'speak'].map(
  (name) => `inferenceService_${name}`,
);

const countSearchRequests = async (): Promise<number> =>
  (await getControl(session()).getRequests()).filter(({ path }) => path.endsWith('/augment/search'))
    .length;
