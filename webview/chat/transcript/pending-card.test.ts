// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import type { ApprovalView, PendingView } from '../../../src/agent/protocol.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  createApprovalView,
  createQuestionView,
} from '../../../test/support/webview-page/chat-states.ts';
import { PendingCard } from './pending-card.ts';

let postedMessages: WebviewMessage[];
let announcements: string[];
let focusLossCount: number;
let typedText: string;
let clock: ManualClock;
let pendingCard: PendingCard;

beforeEach(() => {
  postedMessages = [];
  announcements = [];
  focusLossCount = 0;
  typedText = '';
  clock = new ManualClock();
  pendingCard = new PendingCard({
    post: (message) => postedMessages.push(message),
    clock,
    announce: (text) => announcements.push(text),
    onAnswer: () => (focusLossCount += 1),
    insertText: (text) => (typedText += text),
  });
  document.body.replaceChildren(pendingCard.element);
});

async function showCards(...pendingViews: PendingView[]): Promise<void> {
  pendingCard.update(pendingViews);
  await clock.advance(400);
}

const listButtons = (): HTMLElement[] => [
  ...pendingCard.element.querySelectorAll<HTMLElement>('button'),
];
const listButtonNames = (): string[] => listButtons().map(({ textContent }) => textContent.trim());

function findButton(name: string): HTMLElement {
  const foundButton = listButtons().find(({ textContent }) => textContent.trim() === name);
  if (foundButton === undefined) throw new Error(`No button ${name}`);
  return foundButton;
}

const findField = (): HTMLInputElement | null => pendingCard.element.querySelector('input');

function typeText(text: string): void {
  const input = findField();
  if (input === null) throw new Error('No field');
  input.value = text;
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true }));
}

const createPreview = (change: Partial<ApprovalView['preview']>): ApprovalView['preview'] => ({
  language: 'shellscript',
  text: 'npm test',
  cwd: '',
  files: [],
  ...change,
});

const findDetails = (): Element | null => pendingCard.element.querySelector('.approval-details');
const countOccurrences = (text: string): number =>
  pendingCard.element.textContent.split(text).length - 1;

describe('the approval card', () => {
  test('shows the command, the reason and the folder on three lines, each once', async () => {
    await showCards(
      createApprovalView({
        preview: createPreview({ text: 'npm test -- parser', cwd: 'packages/app' }),
        reasons: ['It reaches the network.', 'Commands can do whatever you can do.'],
      }),
    );
    const lines = [...pendingCard.element.querySelectorAll('.approval-line')];
    expect(lines.map((line) => line.textContent.trim().split('\n')[0])).toEqual([
      'npm test -- parser',
      'It reaches the network.',
      'packages/app',
    ]);
    expect(countOccurrences('npm test -- parser')).toBe(1);
    expect(findDetails()).toBeNull();
    expect(announcements).toEqual(['Run npm test -- parser. It reaches the network.']);
    const descriptionIds = pendingCard.element
      .querySelector('[role=region]')
      ?.getAttribute('aria-describedby');
    for (const id of descriptionIds?.split(' ') ?? [])
      expect(document.getElementById(id)).not.toBeNull();
  });

  test('shows the action, its size, the reason and the target of an edit, and its files on demand', async () => {
    const files = ['src/a.ts', 'src/b.ts'];
    await showCards(
      createApprovalView({
        verb: 'Edit',
        target: 'src/a.ts',
        preview: createPreview({ language: 'diff', text: '-a\n+b\n+c\n', files }),
        reasons: ['Edits are asked about.'],
      }),
    );
    const text = pendingCard.element.textContent;
    for (const part of ['Edit', '+2 −1', 'Edits are asked about.', 'src/a.ts'])
      expect(text).toContain(part);
    findButton('Details').click();
    expect(findDetails()?.querySelector('.chips')?.textContent).toContain('src/b.ts');
    findButton('Details').click();
    expect(findDetails()).toBeNull();
  });

  test.each([
    ['without opening the details', 12],
    ['only in the details', 13],
  ])('shows the diff of an edit %s if it changes %i lines', async (_, count) => {
    const text = ` before\n${'-a\n'.repeat(count - 6)}${'+b\n'.repeat(6)} after\n`;
    await showCards(createApprovalView({ preview: createPreview({ language: 'diff', text }) }));
    const listDiffs = (): (string | null)[] =>
      [...pendingCard.element.querySelectorAll('.preview')].map(({ textContent }) => textContent);
    expect(listDiffs()).toEqual(count === 12 ? [text] : []);
    findButton('Details').click();
    expect(listDiffs()).toEqual([text]);
  });

  test('shows a diff with one very long line only in the details, because most of the line would be out of view', async () => {
    const text = `-a\n+${'a '.repeat(600)}rm -rf ~\n`;
    await showCards(createApprovalView({ preview: createPreview({ language: 'diff', text }) }));
    expect(pendingCard.element.querySelector('.preview')).toBeNull();
    findButton('Details').click();
    expect(findDetails()?.querySelector('.preview')?.textContent).toBe(text);
  });

  test.each([
    ['Skip and Details', 'cannot be stored', [], ['Allow', 'Skip', 'Details']],
    [
      'its menu, Skip and Details',
      'can be stored',
      ['conversation'],
      ['Allow', '', 'Skip', 'Details'],
    ],
  ] as const)(
    'shows the Allow button first, then only %s, if the approval %s',
    async (_buttons, _case, scopes, expected) => {
      await showCards(
        createApprovalView({ remember: [...scopes], rememberWhat: 'npm test commands' }),
      );
      expect(listButtonNames()).toEqual(expected);
      expect(countOccurrences('npm test commands')).toBe(0);
    },
  );

  test.each([
    ['Skip', 'deny'],
    ['Allow', 'once'],
  ])('posts one reply after two clicks on %s, and disappears', async (name, answer) => {
    const pendingViews = [createApprovalView({ remember: ['conversation', 'always'] })];
    await showCards(...pendingViews);
    const clickedButton = findButton(name);
    clickedButton.click();
    clickedButton.click();
    pendingCard.update([...pendingViews]);
    expect(postedMessages).toEqual([{ type: 'approval-answer', id: 'p1', answer, reason: '' }]);
    expect(pendingCard.element.hidden).toBe(true);
  });

  test('marks hidden characters in a command', async () => {
    const text = `ls${' '.repeat(3_000)}; rm\u00a0-rf \u202ea\u200b`;
    await showCards(createApprovalView({ preview: createPreview({ text }) }));
    const block = pendingCard.element.querySelector('.approval-action .preview');
    expect(block?.textContent).toBe('ls3,000 spaces and tabs; rmU+00A0-rf U+202EaU+200B\n');
    expect(block?.querySelectorAll('.hidden-character')).toHaveLength(4);
    expect(pendingCard.element.textContent).toContain('cannot be seen');
  });

  test('colors the lines of a diff by their signs, and shows markup as text', async () => {
    const text = '@@ -1 +1 @@\n-<img src=x onerror=alert(1)>\n+<script>alert(1)</script>\n \n';
    await showCards(createApprovalView({ preview: createPreview({ language: 'diff', text }) }));
    const lines = [...pendingCard.element.querySelectorAll('.preview-line')];
    expect(lines.map(({ className }) => className.split(' ')[1])).toEqual([
      'place',
      'removed',
      'added',
      undefined,
    ]);
    expect(lines.map(({ textContent }) => textContent).join('')).toBe(text);
    expect(pendingCard.element.querySelectorAll('img, script')).toHaveLength(0);
  });

  test.each([
    ['of many lines', 'echo a\n'.repeat(40)],
    ['of one long line', 'echo a; '.repeat(400)],
  ])(
    'opens the details for a command %s, keeps the details open, and requires no scrolling',
    async (_, text) => {
      await showCards(
        createApprovalView({ preview: createPreview({ text }), remember: ['conversation'] }),
      );
      expect(findDetails()?.querySelector('.preview')?.textContent.trim()).toBe(text.trim());
      expect(listButtonNames()).not.toContain('Details');
      findButton('Allow').click();
      expect(postedMessages).toMatchObject([{ answer: 'once' }]);
    },
  );

  test('opens the details of a long edit with hidden characters, and requires no scrolling', async () => {
    const text = '+a\u202e\n'.repeat(2_000);
    await showCards(createApprovalView({ preview: createPreview({ language: 'diff', text }) }));
    expect(findDetails()?.textContent).toContain('cannot be seen');
    findButton('Allow').click();
    expect(postedMessages).toMatchObject([{ answer: 'once' }]);
  });

  test('opens the details for a long reason, and lists the complete reason and all other reasons there', async () => {
    const longReason = `It runs after edits that you have not reviewed: ${'src/file.ts, '.repeat(20)}.`;
    await showCards(createApprovalView({ reasons: [longReason, 'It reaches the network.'] }));
    const reasons = [...(findDetails()?.querySelectorAll('li') ?? [])];
    expect(reasons.map(({ textContent }) => textContent)).toEqual([
      longReason,
      'It reaches the network.',
    ]);
  });

  test.each(['Enter in the field', 'the button'])(
    'sends the reason for a skipped call through %s',
    async (method) => {
      await showCards(createApprovalView());
      findButton('Details').click();
      if (method === 'the button') {
        const input = findField();
        if (input !== null) input.value = ' Use pnpm ';
        findButton('Skip').click();
      } else typeText(' Use pnpm ');
      expect(postedMessages).toEqual([
        { type: 'approval-answer', id: 'p1', answer: 'deny', reason: 'Use pnpm' },
      ]);
    },
  );
});

describe('the menu of the Allow button', () => {
  const openMenu = async (): Promise<void> => {
    const remember: ApprovalView['remember'] = ['conversation', 'always'];
    await showCards(createApprovalView({ remember, rememberWhat: 'npm test commands' }));
    pendingCard.element.querySelector<HTMLElement>('.allow-more')?.click();
  };
  const listMenuItems = (): HTMLElement[] => [
    ...pendingCard.element.querySelectorAll<HTMLElement>('[role=menuitem]'),
  ];

  test('lists the scopes of the permission, and names the commands that it covers', async () => {
    await openMenu();
    expect(listMenuItems().map(({ textContent }) => textContent.trim())).toEqual([
      'Allow Once',
      'Allow in this chat',
      'Always allow',
    ]);
    expect(pendingCard.element.querySelector('[role=menu]')?.textContent).toContain(
      'npm test commands',
    );
    expect(document.activeElement).toBe(listMenuItems()[0]);
  });

  test.each(['once', 'conversation', 'always'])(
    'posts the answer “%s” when the user clicks the menu item for this answer',
    async (answer) => {
      await openMenu();
      listMenuItems()[['once', 'conversation', 'always'].indexOf(answer)]?.click();
      expect(postedMessages).toEqual([{ type: 'approval-answer', id: 'p1', answer, reason: '' }]);
    },
  );

  test('moves the focus on arrow keys, and returns the focus to its button without an answer on Escape', async () => {
    await openMenu();
    const press = (key: string): boolean | undefined =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      );
    press('ArrowDown');
    expect(document.activeElement).toBe(listMenuItems()[1]);
    press('End');
    expect(document.activeElement).toBe(listMenuItems()[2]);
    press('Escape');
    expect(listMenuItems()).toEqual([]);
    expect(document.activeElement?.className).toContain('allow-more');
    expect(postedMessages).toEqual([]);
  });
});

describe('keys on a button of a card', () => {
  const pressKey = (name: string, init: KeyboardEventInit): boolean =>
    findButton(name).dispatchEvent(
      new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }),
    );

  test.each<[string, KeyboardEventInit, string, boolean]>([
    ['a letter', { key: 'n' }, 'n', false],
    ['a letter of two code units', { key: '𝛼' }, '𝛼', false],
    ['a space', { key: ' ' }, ' ', false],
    ['Enter', { key: 'Enter' }, '', false],
    ['Escape', { key: 'Escape' }, '', true],
    ['Tab', { key: 'Tab' }, '', true],
    ['a shortcut', { key: '.', ctrlKey: true }, '', true],
  ])(
    'do not answer a card that has just appeared if the user presses %s',
    (_, init, expected, isUnhandled) => {
      pendingCard.update([createApprovalView()]);
      expect(pressKey('Skip', init)).toBe(isUnhandled);
      expect(typedText).toBe(expected);
    },
  );

  test.each<[string, KeyboardEventInit, string, boolean]>([
    ['a letter types into the composer', { key: 'n' }, 'n', false],
    ['a space presses the button', { key: ' ' }, '', true],
    ['Enter presses the button', { key: 'Enter' }, '', true],
    ['a held Enter is ignored', { key: 'Enter', repeat: true }, '', false],
  ])(
    'have an effect if the card has been visible for a while: %s',
    async (_, init, expected, isUnhandled) => {
      await showCards(createApprovalView());
      expect(pressKey('Skip', init)).toBe(isUnhandled);
      expect(typedText).toBe(expected);
    },
  );

  test('are not typed into the composer while the field for a reason is open', async () => {
    await showCards(createApprovalView());
    findButton('Details').click();
    findField()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
    expect(typedText).toBe('');
  });
});

describe('several cards', () => {
  test('are shown one after another, each with its own buttons', async () => {
    await showCards(
      createApprovalView(),
      createApprovalView({ id: 'p2', verb: 'Edit' }),
      createQuestionView(),
    );
    expect(pendingCard.element.textContent).toContain('1 of 3');
    const allowButton = findButton('Allow');
    allowButton.focus();
    allowButton.click();
    expect(pendingCard.shownId).toBe('p2');
    expect(pendingCard.element.textContent).toContain('1 of 2');
    expect(focusLossCount).toBe(1);
    expect(findButton('Allow')).not.toBe(allowButton);
  });

  test('ignore a second click meant for the previous card', async () => {
    await showCards(createApprovalView(), createApprovalView({ id: 'p2' }));
    findButton('Allow').click();
    findButton('Allow').click();
    expect(postedMessages).toHaveLength(1);
    await clock.advance(400);
    findButton('Allow').click();
    expect(postedMessages).toHaveLength(2);
  });

  test('show the card of the tool call that the user selects in the transcript', async () => {
    await showCards(createApprovalView(), createApprovalView({ id: 'p2', callId: 't2' }));
    pendingCard.focusCall('a1', 't2');
    expect(pendingCard.shownId).toBe('p2');
    expect(document.activeElement?.className).toContain('approval-card');
    pendingCard.focusCall('a1', 'unknown');
    expect(pendingCard.shownId).toBe('p2');
  });

  test('keep the visible card when other cards are added or removed', async () => {
    await showCards(createApprovalView(), createApprovalView({ id: 'p2', callId: 't2' }));
    pendingCard.focusCall('a1', 't2');
    await showCards(createApprovalView({ id: 'p2', callId: 't2' }), createQuestionView());
    expect(pendingCard.shownId).toBe('p2');
    await showCards();
    expect(pendingCard.shownId).toBeUndefined();
    expect(clock.pendingTimerCount).toBe(0);
  });
});

describe('a question card', () => {
  test('shows the question without a line break between the icon and the text', async () => {
    await showCards(createQuestionView({ text: 'First line\nSecond line' }));
    const titleElement = pendingCard.element.querySelector('.pending-title > span');
    expect(titleElement?.textContent).toBe('First line\nSecond line');
  });

  test('posts the choice that the user clicks', async () => {
    await showCards(createQuestionView());
    findButton('The command parser').click();
    expect(postedMessages).toEqual([
      { type: 'question-answer', id: 'q1', text: 'The command parser' },
    ]);
  });

  test('posts free text, but not an empty text', async () => {
    await showCards(createQuestionView({ choices: [] }));
    typeText('  ');
    expect(postedMessages).toEqual([]);
    typeText(' The third ');
    expect(postedMessages).toEqual([{ type: 'question-answer', id: 'q1', text: 'The third' }]);
  });

  test('has no text field if free text is not allowed', async () => {
    await showCards(createQuestionView({ freeText: false }));
    expect(findField()).toBeNull();
  });
});

test.each([
  [
    'the command',
    'one command',
    'You have not allowed `npm test` to run.',
    ['npm test'],
    'You have not allowed npm test to run.',
  ],
  [
    'nothing',
    'several commands',
    'You have not allowed `a` is safe, `b` to run.',
    [],
    'You have not allowed `a` is safe, `b` to run.',
  ],
])(
  'the approval card renders %s as code in a reason with %s',
  async (_rendered, _commands, reason, codes, text) => {
    await showCards(createApprovalView({ reasons: [reason] }));
    const line = pendingCard.element.querySelector('#approval-why');
    expect([...(line?.querySelectorAll('code') ?? [])].map((code) => code.textContent)).toEqual(
      codes,
    );
    expect(line?.textContent.trim()).toBe(text);
  },
);
