import { expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { screenshot } from './appearance.ts';
import { NativeChat } from './pages/native-chat.ts';
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
