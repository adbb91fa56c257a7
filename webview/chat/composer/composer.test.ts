// @vitest-environment happy-dom
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { maxPromptLength } from '../../../src/chat/protocol/constants.ts';
import { type WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  createChatState,
  createMessageView,
  createModelView,
} from '../../../test/support/webview-page/chat-states.ts';
import { SavedState } from '../saved-state.ts';
import { Composer } from './composer.ts';

let postedMessages: WebviewMessage[];
let notices: string[];
let clock: ManualClock;
let savedState: SavedState;
let composer: Composer;

beforeEach(() => {
  postedMessages = [];
  notices = [];
  clock = new ManualClock();
  savedState = new SavedState({
    postMessage: () => {},
    getState: () => undefined,
    setState: () => {},
  });
  composer = createComposer();
  composer.update(createChatState());
});

const createComposer = (): Composer =>
  new Composer({
    post: (message) => postedMessages.push(message),
    clock,
    savedState,
    showNotice: (text) => notices.push(text),
    editLastMessage: () => notices.push('edit last'),
    chooseModel: () => {},
    chooseModelOnce: (onChoose) => onChoose('model-2'),
  });

function findTextArea(): HTMLTextAreaElement {
  const textArea = composer.element.querySelector('textarea');
  if (textArea === null) throw new Error('No textarea');
  return textArea;
}

function typeText(text: string): void {
  findTextArea().value = text;
  findTextArea().dispatchEvent(new Event('input'));
}

test('Composer inserts dictated text at the caret', () => {
  typeText('ab');
  findTextArea().setSelectionRange(1, 1);
  composer.insertText('n');
  expect(findTextArea().value).toBe('anb');
  expect(savedState.getDraft('c1').text).toBe('anb');
});

test('Composer sends a message while a turn runs, and shows both Stop and Send', () => {
  composer.update(
    createChatState({ messages: [createMessageView({ status: 'working' })], streaming: 'a1' }),
  );
  expect(listLabels()).toEqual(expect.arrayContaining(['Stop']));
  expect(listLabels()).not.toContain('Send');
  typeText('next');
  expect(listLabels()).toEqual(expect.arrayContaining(['Stop', 'Send']));
  pressKey('Enter');
  expect(postedMessages).toEqual([{ type: 'message-send', conversationId: 'c1', text: 'next' }]);
  expect(findTextArea().value).toBe('');
  expect(notices).toEqual([]);
});

test.each([
  ['src/tide.ts:7-8', 'Selection: src/tide.ts, lines 7–8'],
  ['src/tide.ts:7', 'Selection: src/tide.ts, line 7'],
  ['Untitled-1', 'Untitled-1'],
])('Composer describes the attached selection %s as "%s"', (label, expected) => {
  const selection = {
    ...{ id: 's1', kind: 'selection' as const, label, preview: 'const period = 12;' },
    ...{ tokens: 9, bytes: null, thumbnail: null },
  };
  composer.update(createChatState({ attachments: [selection] }));
  const chip = composer.element.querySelector<HTMLElement>('.chip');
  expect(chip?.title).toBe(`${expected}\n\nconst period = 12;`);
  expect(chip?.querySelector('.chip-label')?.textContent).toBe(label);
  expect(chip?.querySelector('.visually-hidden')?.textContent ?? label).toBe(expected);
});

test('Composer shows each queued message with the actions edit, send now and remove', () => {
  const queuedMessages = [
    { id: 'q1', text: 'Then run the tests', isUrgent: false, isHeld: false },
    { id: 'q2', text: 'Use metres', isUrgent: true, isHeld: false },
  ];
  composer.update(
    createChatState({
      queued: queuedMessages,
      messages: [createMessageView({ status: 'working' })],
      streaming: 'a1',
    }),
  );
  const rows = [...composer.element.querySelectorAll('.queued-message')];
  expect(rows.map((row) => row.querySelector('.chip-label')?.textContent)).toEqual([
    'Then run the tests',
    'Use metres',
  ]);
  expect(rows.map((row) => row.querySelectorAll('button').length)).toEqual([3, 2]);
  for (const button of rows[0]?.querySelectorAll('button') ?? []) button.click();
  expect(postedMessages).toEqual(
    ['edit', 'send-now', 'remove'].map((action) => ({ type: 'queue-act', id: 'q1', action })),
  );
});

const listLabels = (): (string | null)[] =>
  [...composer.element.querySelectorAll('button')].map((button) =>
    button.getAttribute('aria-label'),
  );

const createAttachedImages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `f${index}`,
    kind: 'image' as const,
    label: `${index}.png`,
    tokens: 410,
    preview: '',
    bytes: 48_200,
    thumbnail: null,
  }));

test.each([
  [2, { maxImagesPerMessage: 1 }, 'Too many images for Tide: at most 1.'],
  [3, { maxImagesPerMessage: 2 }, 'Too many images for Tide: at most 2.'],
])(
  'Composer does not send %d images to a model with %j, keeps the text and the images, and states the limit',
  (count, limits, text) => {
    const tideModel = createModelView({ name: 'Tide', ...limits });
    typeText('what is this?');
    composer.update(
      createChatState({ attachments: createAttachedImages(count), model: tideModel }),
    );
    expect(composer.element.querySelector('[role=alert]')?.textContent).toContain(text);
    pressKey('Enter');
    expect(notices).toEqual([text]);
    expect(postedMessages.some(({ type }) => type === 'message-send')).toBe(false);
    expect(findTextArea().value).toBe('what is this?');
    composer.update(
      createChatState({ attachments: createAttachedImages(count - 1), model: tideModel }),
    );
    expect(composer.element.querySelector('[role=alert]')).toBeNull();
    pressKey('Enter');
    expect(postedMessages.some(({ type }) => type === 'message-send')).toBe(true);
  },
);

test('Composer sends all images if the model may use only the last image, and shows a note about this limit', () => {
  const tideModel = createModelView({
    name: 'Tide',
    maxImagesPerMessage: null,
    usesLastImage: true,
  });
  composer.update(createChatState({ attachments: createAttachedImages(2), model: tideModel }));
  expect(composer.element.textContent).toContain('Tide may look at the last image only.');
  typeText('what is this?');
  pressKey('Enter');
  expect(postedMessages.some(({ type }) => type === 'message-send')).toBe(true);
});

test('Composer sends a message right after the user removed the image that the model cannot see', () => {
  const model = createModelView({ maxImagesPerMessage: 0 });
  const chat = createChatState({ attachments: createAttachedImages(1), model });
  composer.update(chat);
  typeText('Describe it');
  pressKey('Enter');
  expect(postedMessages).toEqual([]);
  findRemoveButton()?.click();
  // Until the host handles the removal, its changes still list the image.
  composer.update({ ...chat });
  expect(findRemoveButton()).toBe(null);
  pressKey('Enter');
  expect(postedMessages).toEqual([
    { type: 'attachment-remove', id: 'f0' },
    { type: 'message-send', conversationId: 'c1', text: 'Describe it' },
  ]);
});

test('Composer hides two images after the user removed them, even though the host still lists both', () => {
  const chat = createChatState({ attachments: createAttachedImages(2) });
  composer.update(chat);
  findRemoveButton()?.click();
  findRemoveButton()?.click();
  composer.update({ ...chat });
  expect(findRemoveButton()).toBe(null);
});

test('Composer moves the focus to the text after the user removed the last attachment', () => {
  document.body.append(composer.element);
  composer.update(createChatState({ attachments: createAttachedImages(1) }));
  findRemoveButton()?.focus();
  findRemoveButton()?.click();
  expect(composer.hasFocus).toBe(true);
  composer.element.remove();
});

test('Composer shows a removed image again if the host lists the image again', () => {
  const chat = createChatState({ attachments: createAttachedImages(1) });
  composer.update(chat);
  findRemoveButton()?.click();
  composer.update({ ...chat, attachments: [] });
  expect(findRemoveButton()).toBe(null);
  composer.update(chat);
  expect(findRemoveButton()).not.toBe(null);
});

const findRemoveButton = (): HTMLElement | null =>
  composer.element.querySelector('[aria-label^="Remove "]');

const pressKey = (key: string): boolean =>
  findTextArea().dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));

test('Composer posts a draft to the host after a delay, and saves the draft locally without delay', async () => {
  typeText('h');
  await clock.advance(200);
  typeText('half');
  await clock.advance(99);
  expect(postedMessages).toEqual([]);
  expect(savedState.getDraft('c1').text).toBe('half');
  await clock.advance(1);
  expect(postedMessages).toEqual([{ type: 'draft-change', conversationId: 'c1', text: 'half' }]);
});

test.each([
  ['an older draft', 'Hello', 'Please, Hello', 'Please, Hello'],
  ['no draft', '', 'Hello', 'Hello'],
  ['a draft that the user then cleared', 'Hello', '', ''],
])(
  'Composer restores text that was typed just before a reload if the host has %s',
  async (_, hostText, typedText, expectedText) => {
    typeText(hostText);
    await clock.advance(300);
    typeText(typedText);
    composer = createComposer();
    composer.update(createChatState({ draft: hostText }));
    expect(findTextArea().value).toBe(expectedText);
    await clock.advance(300);
    expect(postedMessages.at(-1)).toMatchObject({ type: 'draft-change', text: expectedText });
  },
);

test('Composer shows a draft that the host changed while the page was reloaded', async () => {
  typeText('Hello');
  await clock.advance(300);
  typeText('Hello and');
  composer = createComposer();
  composer.update(createChatState({ draft: 'A message that was not sent' }));
  expect(findTextArea().value).toBe('A message that was not sent');
});

test('Composer clears the text, the saved draft and the pending post when the user sends the message', async () => {
  typeText('  go \n');
  pressKey('Enter');
  await clock.advance(1_000);
  expect(postedMessages).toEqual([{ type: 'message-send', conversationId: 'c1', text: 'go' }]);
  expect(findTextArea().value).toBe('');
  expect(savedState.getDraft('c1').text).toBe('');
});

/** Opens the menu of a button, and returns the menu's choices. */
async function openMenu(className: string): Promise<HTMLElement[]> {
  composer.element.querySelector<HTMLElement>(`.${className}`)?.click();
  return vi.waitFor(() => {
    const items = composer.element.querySelectorAll<HTMLElement>('[role="menuitemradio"]');
    expect(items.length).toBeGreaterThan(0);
    return [...items];
  });
}

const describeMenuItems = (items: readonly HTMLElement[]): unknown[] =>
  items.map((item) => [
    item.getAttribute('aria-checked'),
    ...[...item.children].map((childElement) => childElement.textContent),
  ]);

test('Composer shows the mode of the chat, and posts the mode that the user chooses in the menu', async () => {
  const findModeButton = (): HTMLElement | null => composer.element.querySelector('.mode-button');
  expect(findModeButton()?.getAttribute('aria-label')).toBe('Mode: Agent');
  const items = await openMenu('mode-button');
  expect(postedMessages).toEqual([]);
  expect(describeMenuItems(items)).toEqual([
    ['false', '', 'Ask', 'Reads and answers, changes nothing'],
    ['false', '', 'Plan', 'Reads and plans, changes nothing'],
    ['true', '', 'Agent', 'Reads, edits and runs'],
  ]);
  items[0]?.click();
  expect(postedMessages).toEqual([{ type: 'mode-select', mode: 'ask' }]);
  composer.update(createChatState({ mode: 'ask' }));
  expect(findModeButton()?.getAttribute('aria-label')).toBe('Mode: Ask');
  expect(composer.element.querySelector('[role="menuitemradio"]')).toBeNull();
});

describe('a plan', () => {
  const planState = {
    mode: 'plan',
    messages: [createMessageView({ id: 'a1', text: '1. Read\n2. Edit' })],
  } as const;
  const clickButton = (label: string): void => {
    const buttons = [...composer.element.querySelectorAll<HTMLElement>('vscode-button, button')];
    const foundButton = buttons.find(
      (button) => (button.getAttribute('aria-label') ?? button.textContent)?.trim() === label,
    );
    if (foundButton === undefined) throw new Error(`No button ${label}`);
    foundButton.click();
  };
  const hasPlanBar = (): boolean => composer.element.querySelector('.plan-bar') !== null;

  test('is started with one click', () => {
    composer.update(createChatState({ ...planState, messages: [...planState.messages] }));
    clickButton('Start plan');
    expect(postedMessages).toEqual([
      { type: 'plan-start', messageId: 'a1', text: '1. Read\n2. Edit' },
    ]);
  });

  test('can be started with a model other than the model that wrote it', () => {
    composer.update(createChatState({ ...planState, messages: [...planState.messages] }));
    clickButton('Choose a model');
    expect(postedMessages).toEqual([
      { type: 'plan-start', messageId: 'a1', text: '1. Read\n2. Edit', model: 'model-2' },
    ]);
  });

  test('is started with the text that the user edited, even if the page was updated meanwhile', () => {
    composer.update(createChatState({ ...planState, messages: [...planState.messages] }));
    clickButton('Edit');
    const box = composer.element.querySelector<HTMLTextAreaElement>('.edit-box textarea');
    expect(box?.getAttribute('aria-label')).toBe('Plan');
    if (box !== null) box.value = '1. Read only';
    // Enter adds a line.
    box?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    expect(postedMessages).toEqual([]);
    composer.update(
      createChatState({ ...planState, messages: [...planState.messages], wrapCode: true }),
    );
    clickButton('Start plan');
    expect(postedMessages).toEqual([{ type: 'plan-start', messageId: 'a1', text: '1. Read only' }]);
    expect(composer.element.querySelector('.edit-box')).toBeNull();
  });

  test('with an unsaved edit opens in the editor again after a change of the chat, until the user cancels', () => {
    const show = (): void =>
      composer.update(createChatState({ ...planState, messages: [...planState.messages] }));
    const findEditBox = () =>
      composer.element.querySelector<HTMLTextAreaElement>('.edit-box textarea');
    show();
    clickButton('Edit');
    const box = findEditBox();
    if (box !== null) box.value = '1. Read only';
    box?.dispatchEvent(new Event('input'));
    composer.update(createChatState());
    expect(findEditBox()).toBeNull();
    show();
    expect(findEditBox()?.value).toBe('1. Read only');
    clickButton('Cancel');
    composer.update(createChatState());
    show();
    expect(findEditBox()).toBeNull();
    expect(savedState.getEditedText('a1')).toBeUndefined();
  });

  test.each<[string, Partial<ReturnType<typeof createChatState>>]>([
    ['the chat is in another mode', { mode: 'agent' }],
    ['a turn runs', { streaming: 'a1' }],
    [
      'the answer was stopped',
      { messages: [createMessageView({ status: 'stopped', text: '1. Read' })] },
    ],
    ['the answer has no text', { messages: [createMessageView({ text: ' ' })] }],
    ['the chat is empty', { messages: [] }],
  ])('cannot be started if %s', (_, change) => {
    composer.update(
      createChatState({ ...planState, messages: [...planState.messages], ...change }),
    );
    expect(hasPlanBar()).toBe(false);
  });
});

test('Composer shows the permission level of the chat in Agent mode, and posts the level that the user chooses', async () => {
  const findLevelButton = (): HTMLElement | null => composer.element.querySelector('.level-button');
  expect(findLevelButton()?.getAttribute('aria-label')).toBe('Permissions: Apply edits');
  const items = await openMenu('level-button');
  expect(describeMenuItems(items)).toEqual([
    ['false', '', 'Ask before changes', 'Asks before edits and new commands'],
    ['true', '', 'Apply edits', 'Edits land at once and wait for your review'],
    ['false', '', 'Apply edits, run allowed commands', 'Runs allowed commands before your review'],
  ]);
  items[2]?.click();
  expect(postedMessages).toEqual([{ type: 'permissions-select', level: 'runCommands' }]);
  composer.update(createChatState({ permissionLevel: 'runCommands' }));
  expect(findLevelButton()?.textContent?.trim()).toBe('Run commands');
  expect(findLevelButton()?.getAttribute('aria-label')).toBe('Permissions: Run commands');
  composer.update(createChatState({ mode: 'ask' }));
  expect(findLevelButton()).toBeNull();
});

test('Composer explains in Agent mode, but not in Ask mode, why the model gets no tools', () => {
  const toolsNote = 'This model cannot call tools.';
  composer.update(createChatState({ toolsOff: toolsNote }));
  expect(composer.element.textContent).toContain(toolsNote);
  composer.update(createChatState({ toolsOff: toolsNote, mode: 'ask' }));
  expect(composer.element.textContent).not.toContain(toolsNote);
});

test.each([
  ['the model has an unknown context size', null],
  ['the context size is 0', { usedTokens: 5, limitTokens: 0 }],
])('Composer offers the context view without a fill level if %s', (_title, context) => {
  composer.update(createChatState({ context }));
  const meter = composer.element.querySelector('.context-meter');
  expect(meter?.getAttribute('aria-label')).toBe('Context');
  expect(meter?.textContent?.trim()).toBe('');
});

test.each([
  [12_000, 'Context: 12k of 100k tokens, 12 %', false],
  [80_000, 'Context: 80k of 100k tokens, 80 %', true],
  [250_000, 'Context: 250k of 100k tokens, 100 %', true],
])(
  'Composer shows the fill level of a context with %d tokens as "%s"',
  (usedTokens, label, isFull) => {
    composer.update(createChatState({ context: { usedTokens, limitTokens: 100_000 } }));
    const meter = composer.element.querySelector('.context-meter');
    expect(meter?.getAttribute('aria-label')).toBe(label);
    expect(meter?.classList.contains('full')).toBe(isFull);
  },
);

test('Composer shows instruction files without a remove button', () => {
  composer.update(createChatState({ instructions: [{ label: 'AGENTS.md', tokens: 812 }] }));
  const chip = composer.element.querySelector('[aria-label=Instructions] .chip');
  expect(chip?.textContent).toContain('AGENTS.md');
  expect(chip?.querySelector('button')).toBeNull();
});

test('Composer does not send blank text', () => {
  typeText(' \n ');
  pressKey('Enter');
  expect(postedMessages).toEqual([]);
});

test('Composer keeps a text that is too long, reports the problem, and sends nothing', () => {
  const longText = 'x'.repeat(maxPromptLength + 1);
  typeText(longText);
  pressKey('Enter');
  expect(findTextArea().value).toBe(longText);
  expect(postedMessages).toEqual([]);
  expect(composer.element.querySelector('[role=alert]')?.textContent).toContain(
    '2,000,001 of at most 2,000,000 characters',
  );
  typeText('short');
  expect(composer.element.querySelector('[role=alert]')).toBeNull();
});

test('Composer inserts a draft from the host below the text, or replaces the text on request', () => {
  composer.setDraft('first', false);
  expect(findTextArea().value).toBe('first');
  typeText('mine\n');
  composer.setDraft('theirs', false);
  expect(findTextArea().value).toBe('mine\n\ntheirs');
  expect(savedState.getDraft('c1').text).toBe('mine\n\ntheirs');
  composer.setDraft('theirs', true);
  expect(findTextArea().value).toBe('theirs');
});

test('Composer shows the draft of a newly selected conversation, and posts the draft of the previous conversation', async () => {
  typeText('first');
  composer.update(createChatState({ draft: 'of the host' }));
  expect(findTextArea().value).toBe('first');
  composer.update(createChatState({ conversation: { id: 'c2', title: '' }, draft: 'second' }));
  expect(findTextArea().value).toBe('second');
  await clock.advance(1_000);
  expect(postedMessages).toEqual([{ type: 'draft-change', conversationId: 'c1', text: 'first' }]);
});

test('Composer prefers the draft of the host to the locally saved draft', () => {
  typeText('old');
  composer.update(createChatState({ conversation: { id: 'c2', title: '' } }));
  composer.update(createChatState({ draft: 'written elsewhere' }));
  expect(findTextArea().value).toBe('written elsewhere');
  composer.update(createChatState({ conversation: { id: 'c2', title: '' } }));
  composer.update(createChatState({ draft: '' }));
  expect(findTextArea().value).toBe('');
});

test('Composer edits the last request on ArrowUp if the composer is empty', () => {
  typeText('x');
  pressKey('ArrowUp');
  expect(notices).toEqual([]);
  typeText('');
  pressKey('ArrowUp');
  expect(notices).toEqual(['edit last']);
});

test('Composer marks images and documents that cannot be encrypted, and does not send them without text', () => {
  const attachments = (['image', 'document', 'file'] as const).map((kind) => ({
    ...{ id: kind, kind, label: kind, tokens: 10, preview: '', bytes: 5, thumbnail: null },
  }));
  const listRemainingLabels = (): string[] =>
    [...composer.element.querySelectorAll('.chip')].map(({ textContent }) =>
      textContent.replaceAll(/\s+/gu, ' ').trim(),
    );
  composer.update(
    createChatState({
      attachments,
      model: createModelView({ encryption: 'Encrypted end to end.' }),
    }),
  );
  expect(listRemainingLabels()).toEqual(['image Not sent', 'document Not sent', 'file 10']);
  pressKey('Enter');
  expect(postedMessages).toEqual([]);
  composer.update(createChatState({ attachments, model: createModelView() }));
  expect(listRemainingLabels()).toEqual(['image 10', 'document 10', 'file 10']);
  pressKey('Enter');
  expect(postedMessages).toMatchObject([{ type: 'message-send', text: '' }]);
});

test('Composer shows the encryption note instead of the note about missing tools, and opens the attestation on a click', () => {
  const encryption = 'Encrypted end to end. Left out: tools.';
  composer.update(
    createChatState({
      mode: 'agent',
      toolsOff: 'No tools here.',
      model: createModelView({ encryption }),
    }),
  );
  expect(composer.element.textContent).toContain(encryption);
  expect(composer.element.textContent).not.toContain('No tools here.');
  composer.element.querySelector<HTMLButtonElement>('.encryption-note')?.click();
  expect(postedMessages).toEqual([{ type: 'attestation-show', messageId: null }]);
  composer.update(
    createChatState({ mode: 'agent', toolsOff: 'No tools here.', model: createModelView() }),
  );
  expect(composer.element.textContent).toContain('No tools here.');
  expect(composer.element.querySelector('.encryption-note')).toBeNull();
});

test('Composer marks a persona that encryption disables', () => {
  const voice = { reads: false, listens: false, persona: 'Alan Watts' };
  const findPersonaChip = (): HTMLElement | null =>
    composer.element.querySelector('[aria-label=Persona] .chip');
  composer.update(
    createChatState({ voice, model: createModelView({ encryption: 'Encrypted end to end.' }) }),
  );
  expect(findPersonaChip()?.textContent).toMatch(/Alan Watts\s+Not sent/u);
  expect(findPersonaChip()?.title).toBe(
    'Personas do not go with encryption: the model itself answers',
  );
  composer.update(createChatState({ voice }));
  expect(findPersonaChip()?.textContent).not.toContain('Not sent');
  expect(findPersonaChip()?.title).toBe('Alan Watts answers, in the words of the chosen model');
});

const attachedFile = {
  id: 'f1',
  label: 'shot.png',
  tokens: 410,
  preview: '',
  bytes: 48_200,
  thumbnail: null,
} as const;

test.each([
  ['sends', 'image', 1],
  ['sends', 'document', 1],
  ['does not send', 'file', 0],
  ['does not send', 'selection', 0],
] as const)(
  'Composer $0 a message without text on Enter if the attachment is of the kind “$1”',
  (_result, kind, count) => {
    composer.update(createChatState({ attachments: [{ ...attachedFile, kind }] }));
    pressKey('Enter');
    const expectedMessages = [{ type: 'message-send', conversationId: 'c1', text: '' }];
    expect(postedMessages).toEqual(count === 1 ? expectedMessages : []);
  },
);

test('Composer shows the size of an image on its chip', () => {
  composer.update(createChatState({ attachments: [{ ...attachedFile, kind: 'image' }] }));
  expect(composer.element.querySelector<HTMLElement>('.chip')?.title).toMatch(/^shot\.png · 4\d/u);
});

const fixedSeedReason = 'The id sets it.';

test.each([
  ['changes', 'no reason prevents the change', '', 'Web search: Always', true],
  [
    'does not change',
    'a reason prevents the change, and shows the reason',
    fixedSeedReason,
    `Web search: Always. ${fixedSeedReason}`,
    false,
  ],
])(
  'the search button of the composer $0 the search mode if $1',
  (_result, _case, searchDisabledReason, title, canChange) => {
    const options = {
      webSearch: 'on',
      searchDisabledReason,
      suffix: searchDisabledReason,
      changed: false,
    } as const;
    composer.update(createChatState({ options }));
    const button = composer.element.querySelector<HTMLButtonElement>('.web-search');
    expect(button?.title).toBe(title);
    button?.click();
    expect(postedMessages.map(({ type }) => type)).toEqual(canChange ? ['options-action'] : []);
    expect(notices).toEqual(canChange ? [] : [fixedSeedReason]);
    const model = composer.element.querySelector<HTMLElement>('[role=combobox]')?.title ?? '';
    expect(model.endsWith(`\n${fixedSeedReason}`)).toBe(!canChange);
  },
);
