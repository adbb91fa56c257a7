import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../support/paths.ts';
import { LanguageModelsEditor } from './pages/language-models-editor.ts';
import { NativeChatPage } from './pages/native-chat-page.ts';
import { getControl, useSession } from './session.ts';

const session = useSession({
  name: 'model-groups',
  otherExtensions: [join(root, 'test', 'support', 'tool-extension')],
  settings: { 'chat.disableAIFeatures': false },
});

/** Name of the model group that the tests add. VS Code lists this group before the models of the signed-in account. */
const groupName = 'Another Place';
const wrongKey = 'SERVICE_INFERENCE_KEY_not-a-known-one-at-all';
const groupKey = 'SERVICE_INFERENCE_KEY_of-the-group-and-no-other';

beforeAll(async () => {
  await getControl(session()).changeAccount({ keys: [{ secret: groupKey }] });
  await getControl(session()).setResponsePace('instant');
});

test('a model group shows an error for a wrong key, and lists and uses its models once the key is corrected', async () => {
  const { workbench, page, service, server, consoleLines } = session();
  const modelsEditor = new LanguageModelsEditor(workbench);
  await modelsEditor.open();
  await modelsEditor.addGroup();
  await modelsEditor.answerPrompt('Group Name', groupName);
  await modelsEditor.answerPrompt(`${groupName}: Address`, service.baseUrl);
  await modelsEditor.answerPrompt(`${groupName}: API key`, wrongKey);
  await modelsEditor.errorMessage
    .getByText(/does not accept this API key.*set another one/u)
    .waitFor();
  expect((await listRequestsWithKey(wrongKey)).length).toBe(1);

  await modelsEditor.chooseAction('Update API Key');
  await modelsEditor.answerPrompt(`${groupName}: API key`, groupKey);
  await modelsEditor.locateModel('Assistant Large', groupName).waitFor();
  expect(await modelsEditor.errorMessage.count()).toBe(0);
  await modelsEditor.close();

  await getControl(session()).addScripts({ steps: [{ content: 'High water is at noon.' }] });
  await workbench.runCommand('Tide: Ask a Model of a Group');
  await workbench.editor.getByText('High water is at noon.').waitFor();
  expect(await listRequestsWithKey(groupKey)).toContainEqual(
    expect.stringMatching(/chat\/completions$/u),
  );
  expect((await listRequestsWithKey(wrongKey)).length).toBe(1);

  await workbench.runCommand('Chat: Open Chat');
  const chat = new NativeChatPage(page);
  await chat.selectModel('Tools Swift 24B', groupName);
  await getControl(session()).addScripts({
    userMessage: 'And low?',
    steps: [{ content: 'Low water is at six.' }],
  });
  await chat.sendText('@inference And low?');
  await chat.locateAnswer('Low water is at six.').waitFor();
  const questionRequests = (await getControl(session()).getRequests()).filter(({ body }) =>
    hasQuestion(body),
  );
  expect(questionRequests.map(({ headers }) => headers['authorization'])).toEqual([
    `Bearer ${groupKey}`,
  ]);

  const storedText = await readAllText(join(server.dataFolder, 'User'));
  expect(storedText).toContain(groupName);
  for (const key of [wrongKey, groupKey]) {
    expect(storedText).not.toContain(key);
    expect(consoleLines.join('\n')).not.toContain(key);
  }
});

const hasQuestion = (body: unknown): boolean => JSON.stringify(body ?? '').includes('And low?');

/** Returns the paths of all requests in which the service received the API key `key`. */
async function listRequestsWithKey(key: string): Promise<readonly string[]> {
  const requests = await getControl(session()).getRequests();
  const groupRequests = requests.filter(
    ({ headers }) => headers['authorization'] === `Bearer ${key}`,
  );
  return groupRequests.map(({ path }) => path);
}

/** Returns the concatenated texts of all files below a folder. */
async function readAllText(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const textPromises = files.map(({ parentPath, name }) =>
    readFile(join(parentPath, name), 'utf8'),
  );
  return (await Promise.all(textPromises)).join('\n');
}
