import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/paths.ts';
import { findAccessibilityProblems, readAccessibilityTree } from './accessibility.ts';
import { eventually } from '../support/eventually.ts';
import { pressIn, typeSlowlyIn } from './pages/typing.ts';
import { getControl, type Session, useSession } from './session.ts';

describe('the chat in a virtual workspace with five hundred models', () => {
  const diskFolder = mkdtempSync(join(tmpdir(), 'inference-service-breadth-'));
  mkdirSync(join(diskFolder, 'w'));
  writeFileSync(join(diskFolder, 'w', 'notes.md'), '# Notes\n\nThe tide turns at noon.\n');
  const session = useSession({
    name: 'breadth-virtual',
    uri: 'tide-fs:/w',
    otherExtensions: [join(root, 'test', 'support', 'file-system-extension')],
    env: { TIDE_FS_FOLDER: diskFolder },
  });

  beforeAll(() => getControl(session()).setResponsePace('instant'));
  afterAll(() => rm(diskFolder, { recursive: true, force: true }));

  test('lets the user find a model, and shows the sources of a web search', async () => {
    const { chat, workbench } = session();
    await getControl(session()).injectFault({
      match: { path: '/models' },
      fault: { kind: 'status', status: 200, body: await createModelList(session()) },
      times: 100,
    });
    await session().openNewChat();
    await workbench.refreshModels();
    await chat.modelPicker.click();
    const list = chat.content.getByRole('listbox', { name: 'Models' });
    await eventually(async () => expect(await list.getByRole('option').count()).toBe(500));
    const filter = chat.content.getByRole('combobox', { name: 'Filter by name' });
    await typeSlowlyIn(filter, 'search scout');
    await list.getByRole('option', { name: /Search Scout/u }).click();
    await list.waitFor({ state: 'hidden' });

    await workbench.resizeSecondarySideBar(420);
    await chat.locateButton('Web search: Off').click();
    await chat.locateButton('Web search: When it helps').click();
    await chat.locateButton('Web search: Always').waitFor();
    await chat.sendText('What is the latest news about the comet?');
    await chat.waitUntilIdle();
    const source = chat.lastAnswer.getByRole('link', {
      name: /Comet visible without a telescope/u,
    });
    await source.first().waitFor();
    const tree = await readAccessibilityTree(chat.content.locator('body'));
    for (const expectedText of ['log', 'article "You"', 'article "Assistant"', 'textbox "Message"'])
      expect(tree.text).toContain(`- ${expectedText}`);
    expect(tree.namelessLines).toEqual([]);
    const [request] = await readSentRequests(session());
    expect(request).toMatchObject({
      model: 'search-scout-24b',
      service_parameters: { enable_web_search: 'on' },
    });
  });

  test('has accessible options in a side bar of 250 pixels', async () => {
    const { chat, workbench } = session();
    await session().openNewChat();
    await workbench.resizeSecondarySideBar(250);
    await chat.content.getByRole('button', { name: /^Options/u }).click();
    const options = chat.content.getByRole('dialog', { name: 'Options' });
    await options.getByRole('combobox', { name: 'Web search' }).waitFor();
    if (!(await options.getByRole('combobox', { name: 'Preset' }).isVisible()))
      await options.getByText('Advanced', { exact: true }).click();
    await options.getByRole('combobox', { name: 'Preset' }).waitFor();
    expect(await findAccessibilityProblems(chat.content)).toEqual([]);
    const tree = await readAccessibilityTree(options);
    expect(tree.text).toMatch(/combobox "Web search"/u);
    expect(tree.namelessLines).toEqual([]);
    const overflow = await chat.content
      .locator('html')
      .evaluate((html) => html.scrollWidth - html.clientWidth);
    expect(overflow).toBe(0);
    await options.getByRole('combobox', { name: 'Preset' }).focus();
    await pressIn(options.getByRole('combobox', { name: 'Preset' }), 'Escape');
    await options.waitFor({ state: 'hidden' });
  });

  test('attaches a workspace file by its name, and sends its content', async () => {
    const { chat } = session();
    await session().openNewChat();
    await typeSlowlyIn(chat.composer, '#notes');
    await chat.content
      .getByRole('option', { name: /notes\.md/u })
      .first()
      .click();
    await chat.content.getByText('notes.md').first().waitFor();
    await chat.sendText('When does the tide turn?');
    await chat.waitUntilIdle();
    expect(JSON.stringify((await readSentRequests(session())).at(-1))).toContain(
      'The tide turns at noon.',
    );
  });
});

describe('the chat in an untrusted folder', () => {
  const session = useSession({
    name: 'breadth-restricted',
    files: {
      'tides.md': 'The tide turns at noon.',
      '.github/prompts/harbour-check.prompt.md': 'Check the harbour for leaks.\n',
    },
    settings: {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
    },
  });

  beforeAll(() => getControl(session()).setResponsePace('instant'));

  test('neither suggests nor sends files of the folder', async () => {
    const { chat } = session();
    await session().openNewChat();
    await typeSlowlyIn(chat.composer, '#tides');
    const refusal = 'Nothing of this folder is sent until you trust the workspace.';
    await chat.content.getByText(refusal).first().waitFor();
    expect(await chat.content.getByRole('option').count()).toBe(0);
    await chat.composer.press('Escape');
    await chat.composer.fill('/');
    await chat.content.getByRole('option', { name: /\/compact/u }).waitFor();
    expect(await chat.content.getByRole('option', { name: /harbour|fix/u }).count()).toBe(0);
    await chat.composer.press('Escape');
    await chat.sendText('What turns at noon?');
    await chat.waitUntilIdle();
    const requestsText = JSON.stringify(await readSentRequests(session()));
    expect(requestsText).toContain('What turns at noon?');
    expect(requestsText).not.toContain('The tide turns');
    expect(requestsText).not.toContain('tides.md');
  });
});

const readSentRequests = async (session: Session): Promise<readonly unknown[]> =>
  (await getControl(session).getRequests())
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => body);

/** Returns a model list with five hundred models: those of the service, and invented ones. */
async function createModelList({ service }: Session) {
  const reply = await fetch(`${service.baseUrl}/models`);
  const serviceModels = ((await reply.json()) as { data: Record<string, never>[] }).data;
  const modelCopies = Array.from({ length: 500 - serviceModels.length }, (_, index) => {
    const name = `Made Up ${index}`;
    const spec = { name, availableContextTokens: 32_000, privacy: 'private', traits: [] };
    return { id: `made-up-${index}`, object: 'model', type: 'text', model_spec: spec };
  });
  return { object: 'list', type: 'all', data: [...serviceModels, ...modelCopies] };
}
