import type { Page } from 'playwright-core';
import type { ContextSuggestion, OptionField } from '../../../src/chat/protocol/composer.ts';
import { createModelView, createStateSetMessage } from './chat-states.ts';
import { listPostedMessages, sendToChat } from './scene-page.ts';
import type { Scene } from './scenes.ts';

const createCommandSuggestion = (name: string, detail: string): ContextSuggestion => ({
  id: name,
  kind: 'command',
  insert: `/${name}`,
  label: `/${name}`,
  detail,
});

const commandSuggestions = [
  createCommandSuggestion('explain', 'Explain the attached or selected code'),
  createCommandSuggestion('fix', 'Fix the attached or selected code and its problems'),
  createCommandSuggestion('doc', 'Write documentation comments for the attached or selected code'),
  {
    ...createCommandSuggestion('review', 'Reviews a change as the harbour master would'),
    kind: 'prompt',
  },
] as const;

async function openCommandMenu(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).pressSequentially('/');
  await page.getByRole('option', { name: '/image' }).waitFor();
  const searchMessages = (await listPostedMessages(page)).filter(
    (message) => message.type === 'context-search',
  );
  const request = searchMessages.at(-1)?.request ?? -1;
  await sendToChat(
    page,
    { type: 'image-hint', text: 'Painter Turbo · 1:1 · $0.01' },
    { type: 'context-suggestions', request, suggestions: [...commandSuggestions], note: '' },
  );
  await page.getByRole('option', { name: '/explain' }).waitFor();
}

const createOptionField = (change: Partial<OptionField>): OptionField => ({
  name: 'temperature',
  kind: 'text',
  label: 'Temperature',
  help: 'From 0 to 2. The lower it is, the more the answers are alike.',
  value: '',
  choices: [],
  placeholder: 'Default (0.7)',
  problem: '',
  isOmitted: false,
  ...change,
});

const searchChoices = [
  { value: '', label: 'Off' },
  { value: 'auto', label: 'When it helps' },
];

const optionFields = [
  createOptionField({
    name: 'webSearch',
    kind: 'choice',
    label: 'Web search',
    help: 'The service searches the web before the model answers.',
    value: 'auto',
    choices: searchChoices,
  }),
  createOptionField({
    name: 'reasoningEffort',
    kind: 'choice',
    label: 'Reasoning effort',
    choices: searchChoices,
    help: '',
  }),
  createOptionField({
    name: 'verbosity',
    kind: 'choice',
    label: 'Length of answers',
    choices: searchChoices,
    help: '',
  }),
  createOptionField({ value: '3', problem: 'This must be a number from 0 to 2.' }),
  createOptionField({ name: 'stop', kind: 'long', label: 'Stop at', value: 'END' }),
  createOptionField({
    name: 'servicePrompt',
    kind: 'choice',
    label: 'System prompt of the service',
    help: 'What the service tells models about how to answer.',
    choices: searchChoices,
  }),
];

const unchangedFields = optionFields.map((field) => ({ ...field, value: '', problem: '' }));

async function openOptions(page: Page, fields: readonly OptionField[]): Promise<void> {
  await page.getByRole('button', { name: 'Options', exact: true }).click();
  await page.getByText('Loading').waitFor();
  const details = { fields: [...fields], presets: [], preset: '', notes: [] };
  await sendToChat(page, { type: 'option-details', ...details });
  await page.getByLabel('Web search', { exact: true }).waitFor();
}

const createMenuOpener =
  (name: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('menu').waitFor();
  };

/** Scenes of the composer with many options, and of the popups above it. */
export const composerScenes: readonly Scene[] = [
  {
    name: 'work-lists',
    messages: [
      createStateSetMessage({
        permissionLevel: 'ask',
        queued: [
          { id: 'q1', text: 'Then run the tests', isUrgent: false, isHeld: true },
          { id: 'q2', text: 'Use metres, not feet', isUrgent: false, isHeld: true },
        ],
        todos: [
          {
            id: 't1',
            text: 'Read the tide table of the harbour and compare it with the forecast',
            status: 'done',
          },
          { id: 't2', text: 'Print it', status: 'active' },
        ],
        attachments: [
          {
            ...{ id: 's1', kind: 'selection', label: 'src/tide.ts:7-8', tokens: 158 },
            ...{ preview: 'const period = 12;', bytes: null, thumbnail: null },
          },
        ],
      }),
    ],
    prepare: (page) => page.locator('.todos > summary').click(),
  },
  { name: 'commands', messages: [createStateSetMessage()], prepare: openCommandMenu },
  {
    name: 'active-file',
    messages: [
      createStateSetMessage({
        activeFile: 'packages/application/source/components/breadcrumbs.test.ts',
        attachments: [
          {
            id: 'f1',
            kind: 'selection',
            label: 'src/parser.ts:10-42',
            tokens: 1_210,
            preview: 'code',
            bytes: null,
            thumbnail: null,
          },
        ],
      }),
    ],
  },
  {
    name: 'mode-menu',
    messages: [createStateSetMessage()],
    prepare: createMenuOpener('Mode: Agent'),
  },
  {
    name: 'level-menu',
    messages: [createStateSetMessage({ permissionLevel: 'runCommands' })],
    prepare: createMenuOpener('Permissions: Run commands'),
  },
  {
    name: 'options',
    messages: [createStateSetMessage()],
    prepare: (page) => openOptions(page, unchangedFields),
  },
  {
    name: 'options-advanced',
    messages: [createStateSetMessage()],
    prepare: (page) => openOptions(page, optionFields),
  },
  {
    name: 'composer',
    messages: [
      createStateSetMessage({
        model: createModelView({ name: 'Harbour Reasoner 235B Instruct' }),
        options: { webSearch: 'on', searchDisabledReason: '', suffix: '', changed: true },
        context: { usedTokens: 96_000, limitTokens: 100_000 },
        draft: 'How does the parser find the end of a string?',
      }),
    ],
  },
];
