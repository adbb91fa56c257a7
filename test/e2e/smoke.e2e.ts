import { expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { findAccessibilityProblems } from './accessibility.ts';
import { allThemes, takeScreenshotInAllThemes, applyTheme } from './appearance.ts';
import { useSession } from './session.ts';

const session = useSession({ name: 'smoke' });

test('a command in the Command Palette opens the chat', async () => {
  const { workbench, chat } = session();
  await workbench.runCommand('Infer: Focus on Chat View');
  await chat.composer.waitFor();
  expect(await findAccessibilityProblems(chat.content)).toEqual([]);
  await takeScreenshotInAllThemes(session(), 'chat-empty');
});

test('the chat adapts to the color theme and the width of the side bar', async () => {
  const { workbench } = session();
  for (const theme of [...allThemes, 'dark'] as const) await applyTheme(session(), theme);
  await workbench.resizeSecondarySideBar(250);
  expect(await findAccessibilityProblems(session().chat.content)).toEqual([]);
});

test('the chat answers a question', async () => {
  const { chat, service } = session();
  const control = new Control(service.controlUrl);
  await session().openNewChat();
  await control.reset();
  await control.addScripts({ steps: [{ content: 'High water is at **noon**.' }] });
  await chat.sendText('Good morning. Which tide comes next?');
  await chat.lastAnswer.getByText('High water is at noon.').waitFor();
  await chat.waitUntilIdle();
  expect(await chat.lastAnswer.getByRole('group', { name: 'Problem' }).count()).toBe(0);
  const chatRequests = (await control.getRequests()).filter(({ path }) =>
    path.endsWith('/chat/completions'),
  );
  expect(chatRequests).toHaveLength(1);
  expect(JSON.stringify(chatRequests[0]?.body)).toContain('Which tide comes next?');
});

test('neither webview messages nor the console contain the API key', async () => {
  const { chat, service, webviewMessages, consoleLines } = session();
  await session().openNewChat();
  await chat.sendText('Is the key safe?');
  await chat.waitUntilIdle();
  const messagesText = webviewMessages.join('\n');
  expect(messagesText).toContain('Is the key safe?');
  expect(messagesText).not.toContain(service.apiKey);
  expect(consoleLines.join('\n')).not.toContain(service.apiKey);
});

test('the content security policy blocks nothing except an empty inline style', () => {
  const emptyStyle = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
  const blockedLines = session().consoleLines.filter((line) =>
    /content security policy/iu.test(line),
  );
  expect(blockedLines.filter((line) => !line.includes(emptyStyle))).toEqual([]);
});

test('the Command Palette lists at most 35 commands with a selection in a code file and a visible chat', async () => {
  const { workbench } = session();
  await workbench.openFile('tide.ts');
  await workbench.selectLines(1, 2);
  const titles = await workbench.readCommandTitles();
  expect(titles).toContain('Inference Service: Ask About Selection');
  expect(titles).not.toContain('Inference Service: Rename Chat…');
  expect(titles.length).toBeLessThanOrEqual(35);
  expect(titles.length).toBeGreaterThan(25);
});
