import { expect, test } from 'vitest';
import { accessibilityProblems } from './accessibility.ts';
import { screenshotEverywhere } from './appearance.ts';
import { useSession } from './session.ts';

const session = useSession({ name: 'smoke' });

test('the chat opens from the palette', async () => {
  const { workbench, chat } = session();
  await workbench.runCommand('Inference Service: Focus on Chat View');
  await chat.message.waitFor();
  expect(await accessibilityProblems(chat.content)).toEqual([]);
  await screenshotEverywhere(session(), 'chat-empty');
});
