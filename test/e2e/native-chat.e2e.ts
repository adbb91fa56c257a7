import { expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { screenshot } from './appearance.ts';
import { NativeChat } from './pages/native-chat.ts';
import { Notices } from './pages/notices.ts';
import { useSession } from './session.ts';

const session = useSession({ name: 'native-chat', settings: { 'chat.disableAIFeatures': false } });

test("VS Code's own chat, without an account of its own, uses our models, and @inference searches the web there", async () => {
  const { workbench, page, service, consoleLines } = session();
  const control = new Control(service.controlUrl);
  await control.pace('instant');
  const chat = new NativeChat(page);
  await workbench.runCommand("Inference Service: Use in VS Code's Chat…");
  await workbench.focusedOption(/\$/u).waitFor();
  await page.keyboard.press('Enter');
  await workbench.dialogButton('Change settings').click();
  const { pickedModel } = chat;
  await pickedModel.waitFor();
  await pickedModel.click();
  await chat.menu
    .getByText(/\$1\.40 in · \$4\.40 out \/ 1M · private/u)
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await control.script({
    steps: [{ content: 'High water is at noon.^1^' }],
    citations: [
      { title: 'Tides [x](command:evil)', url: 'https://pages.example.com/t', date: '2026-01-02' },
    ],
  });
  await chat.send('@inference /search tide tables');
  await chat.answer('High water is at noon.[1]').waitFor();
  const source = chat.content.getByRole('link', { name: 'Tides [x](command:evil)' });
  await source.waitFor();
  const { body } = await control.waitForRequest(({ path }) => path.endsWith('/chat/completions'));
  expect(JSON.stringify(body)).toContain('"enable_web_search":"on"');
  expect(consoleLines.filter((line) => line.includes(service.apiKey))).toEqual([]);
  await screenshot(session(), 'native-chat', 'dark');
});

test("VS Code's own agent works with our model and asks before it uses our tools", async () => {
  const { workbench, service } = session();
  const control = new Control(service.controlUrl);
  const chat = new NativeChat(session().page);
  // A window that was never set up starts without the agent, which is an extension of the editor's own.
  const notices = new Notices(workbench);
  await notices.press(/own agent is switched off/u, 'Show extension');
  await notices.clear();
  await workbench.enableFoundExtension();
  await session().reload();
  await chat.begin();
  await chat.pickedModel.waitFor();
  await control.reset();
  await control.pace('instant');
  await control.script(
    {
      userSays: 'When is high water?',
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
  await chat.send('When is high water?');
  await chat.question('Search the web for $0.01?').waitFor({ timeout: 60_000 });
  await screenshot(session(), 'native-agent-asks', 'dark');
  expect(await spentOnSearch(control)).toBe(0);
  await chat.allow();
  await chat.answer('High water is at noon, says the table.').waitFor();
  expect(await spentOnSearch(control)).toBe(1);
  const asked = (await control.requests()).map(({ body }) => JSON.stringify(body));
  for (const name of ourTools) expect(asked.some((body) => body.includes(name))).toBe(true);
  await screenshot(session(), 'native-agent', 'dark');
});

const ourTools = ['generateImage', 'searchWeb', 'readPage', 'describeImage', 'speak'].map(
  (name) => `inferenceService_${name}`,
);

const spentOnSearch = async (control: Control): Promise<number> =>
  (await control.requests()).filter(({ path }) => path.endsWith('/augment/search')).length;
