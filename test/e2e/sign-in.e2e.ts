import { beforeAll, describe, expect, test } from 'vitest';
import { Control } from '../service/control.ts';
import { takeScreenshotInAllThemes } from './appearance.ts';
import { eventually } from '../support/eventually.ts';
import { getAddressField, answerWithKey, getKeyField } from './pages/sign-in.ts';
import { type Session, useSession } from './session.ts';

describe('sign-in with a configured service URL', () => {
  const session = useSession({
    name: 'unknown-key',
    env: { INFERENCE_SERVICE_API_KEY: undefined },
  });

  test('reports an unknown key that replaces a valid key', async () => {
    const { chat, service } = session();
    await new Control(service.controlUrl).setResponsePace('instant');
    await session().workbench.runCommand('Inference Service: New Chat');
    await getAddressField(session()).waitFor();
    await setKey(session(), service.apiKey);
    await getAddressField(session()).waitFor({ state: 'hidden' });
    await setKey(session(), 'SERVICE_INFERENCE_KEY_not-a-known-one-at-all');
    // The command tests the key after it stored the key.
    await new Control(service.controlUrl).waitForRequest(({ status }) => status === 401);
    await getAddressField(session()).waitFor();
    await chat.content.getByText('does not accept this API key').waitFor();
    expect(await getKeyField(session()).getAttribute('aria-invalid')).toBe('true');
    await takeScreenshotInAllThemes(session(), 'chat-rejected-key');
    await chat.sendText('Hello again');
    await chat.waitUntilIdle();
    const card = chat.lastAnswer.getByLabel('Problem').first();
    expect(await card.innerText()).toMatch(/key/iu);
    await card.getByRole('button', { name: 'Set API Key' }).waitFor();
  });
});

describe('sign-in in an untrusted folder', () => {
  const session = useSession({
    name: 'restricted',
    settings: {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    },
  });

  beforeAll(async () => {
    await new Control(session().service.controlUrl).setResponsePace('instant');
  });

  test('enables the chat, which sends nothing from the folder', async () => {
    const { workbench, chat, service } = session();
    await workbench.openFile('tide.ts');
    await workbench.selectLines(7, 8);
    await workbench.runCommand('Inference Service: Ask About Selection');
    await chat.content.getByText('until you trust the workspace').first().waitFor();
    await chat.sendText('What is selected?');
    await chat.waitUntilIdle();
    const requests = await new Control(service.controlUrl).getRequests();
    const chatRequests = requests.filter(({ path }) => path.endsWith('/chat/completions'));
    expect(chatRequests).toHaveLength(1);
    expect(JSON.stringify(chatRequests)).not.toContain('12.4206012');
    expect(JSON.stringify(chatRequests)).not.toContain('"tools"');
  });
});

/**
 * Sets the API key with the command Set API Key. Retries, because a chat that is loading can take the focus from the
 * input box.
 */
async function setKey(session: Session, key: string): Promise<void> {
  await eventually(async (timeout) => {
    await session.workbench.runCommand('Inference Service: Set API Key…');
    await answerWithKey(session, key, timeout);
  });
}
