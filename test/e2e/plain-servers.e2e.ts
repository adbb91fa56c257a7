import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type PlainServer,
  type PlainServerKind,
  type PlainServerSettings,
  startPlainServer,
} from '../foreign/plain-server.mjs';
import { copyImage } from './pages/clipboard.ts';
import { connectWithForm } from './pages/sign-in.ts';
import { waitForFocus } from './pages/typing.ts';
import { type Session, useSession } from './session.ts';

interface Journey {
  readonly kind: PlainServerKind;
  /** API key that the server requires. Empty if it requires none. */
  readonly apiKey: string;
  /** Id of a model that supports tools. */
  readonly toolModel: string;
  /** Id of a model that accepts images. */
  readonly imageModel: string;
  /**
   * Id of a model that supports neither tools nor images. Absent if the server's model list does not contain this
   * information, and the server only rejects requests with tools or images.
   */
  readonly textOnlyModel?: string;
}

const journeys: readonly Journey[] = [
  {
    kind: 'llamacpp',
    apiKey: '',
    toolModel: 'Qwen3-VL-8B-Q4_K_M.gguf',
    imageModel: 'Qwen3-VL-8B-Q4_K_M.gguf',
  },
  {
    kind: 'ollama',
    apiKey: '',
    toolModel: 'qwen3:8b',
    imageModel: 'qwen2.5vl:7b',
    textOnlyModel: 'gemma3:270m',
  },
  {
    kind: 'vllm',
    apiKey: '',
    toolModel: 'Qwen/Qwen3-VL-8B-Instruct',
    imageModel: 'Qwen/Qwen3-VL-8B-Instruct',
  },
  {
    kind: 'lmstudio',
    apiKey: '',
    toolModel: 'qwen/qwen3-4b',
    imageModel: 'qwen2-vl-7b-instruct',
    textOnlyModel: 'gemma-2-2b-it',
  },
  {
    kind: 'openrouter',
    apiKey: 'any-key-at-all',
    toolModel: 'openai/gpt-4o-mini',
    imageModel: 'openai/gpt-4o-mini',
    textOnlyModel: 'deepseek/deepseek-r1',
  },
  {
    kind: 'litellm',
    apiKey: 'sk-1',
    toolModel: 'gpt-4o',
    imageModel: 'gpt-4o',
    textOnlyModel: 'llama2',
  },
];

describe.each(journeys)(
  'a model server of the kind $kind',
  ({ kind, apiKey, toolModel, imageModel, textOnlyModel }) => {
    let server: PlainServer;
    const settings: PlainServerSettings = { kind, ...(apiKey === '' ? {} : { key: apiKey }) };
    const session = useSession({
      name: `plain-${kind}`,
      settings: { 'inferenceService.baseUrl': undefined, 'inferenceService.chat.model': undefined },
      env: { INFERENCE_SERVICE_API_KEY: undefined },
    });

    beforeAll(async () => {
      server = await startPlainServer(settings);
    });
    afterAll(() => server.close());

    /** Restarts the server at the same address. `changedSettings` replaces options of the server. */
    async function restartServer(changedSettings: Partial<PlainServerSettings>): Promise<void> {
      const port = Number(new URL(server.origin).port);
      await server.close();
      server = await startPlainServer({ ...settings, port, ...changedSettings });
    }

    test('answers after the user enters its address', async () => {
      const { workbench, chat } = session();
      await workbench.runCommand('Inference Service: Open Chat');
      await connectWithForm(session(), { baseUrl: server.baseUrl, key: apiKey });
      await session().chat.selectModel(toolModel);
      await chat.sendText('Hello');
      await chat.waitUntilIdle();
      await expectAnswer(session(), /easy to see\./u);
    });

    test('lets its model read a workspace file with a tool', async () => {
      const { chat } = session();
      await session().openNewChat();
      await chat.sendText('call read_file {"path": "README.md"}');
      await chat.waitUntilIdle();
      await expectAnswer(session(), /tide/iu);
    });

    test('receives an image for a model with vision', async () => {
      await session().openNewChat();
      await session().chat.selectModel(imageModel);
      await pasteImage(session());
      await session().chat.sendText('What do you see?');
      await session().chat.waitUntilIdle();
      await expectAnswer(session(), /easy to see\./u);
      const [request] = server.requests
        .filter(({ path }) => path.endsWith('/chat/completions'))
        .slice(-1);
      expect(JSON.stringify(request?.body)).toContain('data:image/png;base64,');
    });

    if (textOnlyModel !== undefined)
      test('shows which capabilities its model lacks before the user sends a message', async () => {
        const { chat } = session();
        await session().openNewChat();
        await session().chat.selectModel(textOnlyModel);
        await pasteImage(session());
        await chat.content.getByText(`${textOnlyModel} cannot see images.`).first().waitFor();
        // LM Studio lets every model try to call tools.
        if (kind !== 'lmstudio')
          await chat.content.getByText(`${textOnlyModel} cannot call tools.`).first().waitFor();
        await chat.locateButton('Remove image.png').click();
        await chat.sendText('Hello');
        await chat.waitUntilIdle();
        await expectAnswer(session(), /easy to see\./u);
      });

    test('answers when the extension repeats a rejected request without its images', async () => {
      const { chat } = session();
      await restartServer({ tools: false, vision: false });
      await session().openNewChat();
      await session().chat.selectModel(imageModel);
      await pasteImage(session());
      await chat.sendText('What do you see?');
      await chat.waitUntilIdle();
      await expectAnswer(session(), /easy to see\./u);
      await chat.lastAnswer.getByText(getRefusedPartMessage('images')).waitFor();
    });

    // LM Studio never refuses tools: it writes them into the prompt of models without native support (plain-servers.md
    // §5).
    const refusesTools = kind !== 'lmstudio';
    test(
      refusesTools
        ? 'answers without the tools after the server refused them'
        : 'answers with the tools, which the server refuses for no model',
      async () => {
        const { chat } = session();
        if (imageModel !== toolModel || !refusesTools) {
          await session().openNewChat();
          await session().chat.selectModel(toolModel);
          await chat.sendText('Hello');
          await chat.waitUntilIdle();
          await expectAnswer(session(), /easy to see\./u);
        }
        const note = chat.lastAnswer.getByText(getRefusedPartMessage('tools'));
        if (refusesTools) return note.waitFor();
        expect(await note.count()).toBe(0);
        const chatRequests = server.requests.filter(({ path }) =>
          path.endsWith('/chat/completions'),
        );
        expect(chatRequests.at(-1)?.body).toHaveProperty('tools');
      },
    );

    // Ollama drops the oldest messages until the prompt fits, and keeps the last one (plain-servers.md §3).
    const refusesLongMessages = kind !== 'ollama';
    test(
      refusesLongMessages
        ? 'explains that the server refused a long message'
        : 'shows the answer to a long message, which the server shortens',
      async () => {
        const { chat } = session();
        await restartServer({ context: 100 });
        await session().openNewChat();
        await session().chat.selectModel(toolModel);
        await chat.sendText('word '.repeat(200));
        await chat.waitUntilIdle();
        if (!refusesLongMessages) return expectAnswer(session(), /easy to see\./u);
        await chat.lastAnswer
          .getByLabel('Problem')
          .getByText("The conversation is longer than the model's context.")
          .waitFor();
      },
    );
  },
);

const getRefusedPartMessage = (part: 'tools' | 'images'): string =>
  `This model refused the ${part}, so the request was sent without them.`;

/** Pastes an image into the composer. */
async function pasteImage({ chat, page }: Session): Promise<void> {
  await copyImage(page);
  await chat.composer.click();
  await waitForFocus(chat.composer);
  await page.keyboard.press('Control+V');
  await chat.content.getByRole('button', { name: 'Open image.png' }).waitFor();
}

/** Waits until the last answer matches the pattern, and checks that the chat shows no problem with this answer. */
async function expectAnswer({ chat }: Session, pattern: RegExp): Promise<void> {
  await expect.poll(() => chat.lastAnswer.innerText()).toMatch(pattern);
  expect(await chat.lastAnswer.getByLabel('Problem').allInnerTexts()).toEqual([]);
}
