// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import type { ApprovalView, PendingView } from '../../../src/agent/protocol.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { approval, question } from '../../../test/support/webview-page/chat-states.ts';
import { PendingCard } from './pending-card.ts';

let posted: WebviewMessage[];
let announcements: string[];
let focusLossCount: number;
let typed: string;
let clock: ManualClock;
let card: PendingCard;

beforeEach(() => {
  posted = [];
  announcements = [];
  focusLossCount = 0;
  typed = '';
  clock = new ManualClock();
  card = new PendingCard({
    post: (message) => posted.push(message),
    clock,
    announce: (text) => announcements.push(text),
    onAnswer: () => (focusLossCount += 1),
    insertText: (text) => (typed += text),
  });
  document.body.replaceChildren(card.element);
});

async function show(...pending: PendingView[]): Promise<void> {
  card.update(pending);
  await clock.advance(400);
}

const buttons = (): HTMLElement[] => [...card.element.querySelectorAll<HTMLElement>('button')];
const names = (): string[] => buttons().map(({ textContent }) => textContent.trim());

function button(name: string): HTMLElement {
  const found = buttons().find(({ textContent }) => textContent.trim() === name);
  if (found === undefined) throw new Error(`No button ${name}`);
  return found;
}

const field = (): HTMLInputElement | null => card.element.querySelector('input');

function typeText(text: string): void {
  const input = field();
  if (input === null) throw new Error('No field');
  input.value = text;
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true }));
}

const preview = (change: Partial<ApprovalView['preview']>): ApprovalView['preview'] => ({
  language: 'shellscript',
  text: 'npm test',
  cwd: '',
  files: [],
  ...change,
});

const details = (): Element | null => card.element.querySelector('.approval-details');
const occurrences = (text: string): number => card.element.textContent.split(text).length - 1;

describe('approval card', () => {
  test('shows the command, the reason and the folder on three lines, each once', async () => {
    await show(
      approval({
        preview: preview({ text: 'npm test -- parser', cwd: 'packages/app' }),
        reasons: ['It reaches the network.', 'Commands can do whatever you can do.'],
      }),
    );
    const lines = [...card.element.querySelectorAll('.approval-line')];
    expect(lines.map((line) => line.textContent.trim().split('\n')[0])).toEqual([
      'npm test -- parser',
      'It reaches the network.',
      'packages/app',
    ]);
    expect(occurrences('npm test -- parser')).toBe(1);
    expect(details()).toBeNull();
    expect(announcements).toEqual(['Run npm test -- parser. It reaches the network.']);
    const described = card.element.querySelector('[role=region]')?.getAttribute('aria-describedby');
    for (const id of described?.split(' ') ?? [])
      expect(document.getElementById(id)).not.toBeNull();
  });

  test('shows the action, its size, the reason and the target of an edit, and the diff on demand', async () => {
    const files = ['src/a.ts', 'src/b.ts'];
    await show(
      approval({
        verb: 'Edit',
        target: 'src/a.ts',
        preview: preview({ language: 'diff', text: '-a\n+b\n+c\n', files }),
        reasons: ['Edits are asked about.'],
      }),
    );
    const text = card.element.textContent;
    for (const part of ['Edit', '+2 −1', 'Edits are asked about.', 'src/a.ts'])
      expect(text).toContain(part);
    expect(card.element.querySelector('.preview')).toBeNull();
    button('Details').click();
    expect(details()?.querySelector('.preview')?.textContent).toBe('-a\n+b\n+c\n');
    expect(details()?.querySelector('.chips')?.textContent).toContain('src/b.ts');
    button('Details').click();
    expect(details()).toBeNull();
  });

  test.each([
    [[], ['Allow', 'Skip', 'Details']],
    [['conversation'], ['Allow', '', 'Skip', 'Details']],
  ] as const)(
    'has few buttons, the answer first, for the scopes %j',
    async (remember, expected) => {
      await show(approval({ remember: [...remember], rememberWhat: 'npm test commands' }));
      expect(names()).toEqual(expected);
      expect(occurrences('npm test commands')).toBe(0);
    },
  );

  test.each([
    ['Skip', 'deny'],
    ['Allow', 'once'],
  ])('posts one reply after two clicks on %s, and disappears', async (name, answer) => {
    const pending = [approval({ remember: ['conversation', 'always'] })];
    await show(...pending);
    const clickedButton = button(name);
    clickedButton.click();
    clickedButton.click();
    card.update([...pending]);
    expect(posted).toEqual([{ type: 'approval-answer', id: 'p1', answer, reason: '' }]);
    expect(card.element.hidden).toBe(true);
  });

  test('marks hidden characters in a command', async () => {
    const text = `ls${' '.repeat(3_000)}; rm\u00a0-rf \u202ea\u200b`;
    await show(approval({ preview: preview({ text }) }));
    const block = card.element.querySelector('.approval-action .preview');
    expect(block?.textContent).toBe('ls3,000 spaces; rmU+00A0-rf U+202EaU+200B\n');
    expect(block?.querySelectorAll('.hidden-character')).toHaveLength(4);
    expect(card.element.textContent).toContain('cannot be seen');
  });

  test('colors the lines of a diff by their signs, and shows markup as text', async () => {
    const text = '@@ -1 +1 @@\n-<img src=x onerror=alert(1)>\n+<script>alert(1)</script>\n \n';
    await show(approval({ preview: preview({ language: 'diff', text }) }));
    button('Details').click();
    const lines = [...card.element.querySelectorAll('.preview-line')];
    expect(lines.map(({ className }) => className.split(' ')[1])).toEqual([
      'place',
      'removed',
      'added',
      undefined,
    ]);
    expect(lines.map(({ textContent }) => textContent).join('')).toBe(text);
    expect(card.element.querySelectorAll('img, script')).toHaveLength(0);
  });

  test.each([
    ['of many lines', 'echo a\n'.repeat(40)],
    ['of one long line', 'echo a; '.repeat(400)],
  ])(
    'opens the details for a command %s, cannot close them, and needs no scrolling',
    async (_, text) => {
      await show(approval({ preview: preview({ text }), remember: ['conversation'] }));
      expect(details()?.querySelector('.preview')?.textContent.trim()).toBe(text.trim());
      expect(names()).not.toContain('Details');
      button('Allow').click();
      expect(posted).toMatchObject([{ answer: 'once' }]);
    },
  );

  test('opens the details of an edit that hides characters, and needs no scrolling for a long one', async () => {
    const text = '+a\u202e\n'.repeat(2_000);
    await show(approval({ preview: preview({ language: 'diff', text }) }));
    expect(details()?.textContent).toContain('cannot be seen');
    button('Allow').click();
    expect(posted).toMatchObject([{ answer: 'once' }]);
  });

  test('opens the details for a long reason, which they list completely with further reasons', async () => {
    const long = `It runs after edits that you have not reviewed: ${'src/file.ts, '.repeat(20)}.`;
    await show(approval({ reasons: [long, 'It reaches the network.'] }));
    const reasons = [...(details()?.querySelectorAll('li') ?? [])];
    expect(reasons.map(({ textContent }) => textContent)).toEqual([
      long,
      'It reaches the network.',
    ]);
  });

  test.each(['Enter in the field', 'the button'])(
    'sends a reason with a skipped call through %s',
    async (way) => {
      await show(approval());
      button('Details').click();
      if (way === 'the button') {
        const input = field();
        if (input !== null) input.value = ' Use pnpm ';
        button('Skip').click();
      } else typeText(' Use pnpm ');
      expect(posted).toEqual([
        { type: 'approval-answer', id: 'p1', answer: 'deny', reason: 'Use pnpm' },
      ]);
    },
  );
});

describe('menu of the button Allow', () => {
  const open = async (): Promise<void> => {
    const remember: ApprovalView['remember'] = ['conversation', 'always'];
    await show(approval({ remember, rememberWhat: 'npm test commands' }));
    card.element.querySelector<HTMLElement>('.allow-more')?.click();
  };
  const items = (): HTMLElement[] => [
    ...card.element.querySelectorAll<HTMLElement>('[role=menuitem]'),
  ];

  test('names what would be allowed', async () => {
    await open();
    expect(items().map(({ textContent }) => textContent.trim())).toEqual([
      'Allow Once',
      'Allow in this chat',
      'Always allow',
    ]);
    expect(card.element.querySelector('[role=menu]')?.textContent).toContain('npm test commands');
    expect(document.activeElement).toBe(items()[0]);
  });

  test.each(['once', 'conversation', 'always'])('posts the answer %s', async (answer) => {
    await open();
    items()[['once', 'conversation', 'always'].indexOf(answer)]?.click();
    expect(posted).toEqual([{ type: 'approval-answer', id: 'p1', answer, reason: '' }]);
  });

  test('moves by arrow keys, and Escape returns to its button without an answer', async () => {
    await open();
    const press = (key: string): boolean | undefined =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      );
    press('ArrowDown');
    expect(document.activeElement).toBe(items()[1]);
    press('End');
    expect(document.activeElement).toBe(items()[2]);
    press('Escape');
    expect(items()).toEqual([]);
    expect(document.activeElement?.className).toContain('allow-more');
    expect(posted).toEqual([]);
  });
});

describe('keys on a button of a card', () => {
  const pressKey = (name: string, init: KeyboardEventInit): boolean =>
    button(name).dispatchEvent(
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
  ])('do not answer a card that has just appeared: %s', (_, init, expected, isUnhandled) => {
    card.update([approval()]);
    expect(pressKey('Skip', init)).toBe(isUnhandled);
    expect(typed).toBe(expected);
  });

  test.each<[string, KeyboardEventInit, string, boolean]>([
    ['a letter types into the composer', { key: 'n' }, 'n', false],
    ['a space presses', { key: ' ' }, '', true],
    ['Enter presses', { key: 'Enter' }, '', true],
    ['a held Enter is ignored', { key: 'Enter', repeat: true }, '', false],
  ])(
    'have this effect after the card has been visible for a while: %s',
    async (_, init, expected, isUnhandled) => {
      await show(approval());
      expect(pressKey('Skip', init)).toBe(isUnhandled);
      expect(typed).toBe(expected);
    },
  );

  test('are not typed into the composer while the field for a reason is open', async () => {
    await show(approval());
    button('Details').click();
    field()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
    expect(typed).toBe('');
  });
});

describe('several cards', () => {
  test('are shown one after another, each with its own buttons', async () => {
    await show(approval(), approval({ id: 'p2', verb: 'Edit' }), question());
    expect(card.element.textContent).toContain('1 of 3');
    const allow = button('Allow');
    allow.focus();
    allow.click();
    expect(card.shown).toBe('p2');
    expect(card.element.textContent).toContain('1 of 2');
    expect(focusLossCount).toBe(1);
    expect(button('Allow')).not.toBe(allow);
  });

  test('ignore a second click meant for the previous card', async () => {
    await show(approval(), approval({ id: 'p2' }));
    button('Allow').click();
    button('Allow').click();
    expect(posted).toHaveLength(1);
    await clock.advance(400);
    button('Allow').click();
    expect(posted).toHaveLength(2);
  });

  test('show the card of the tool call that the user selects in the transcript', async () => {
    await show(approval(), approval({ id: 'p2', callId: 't2' }));
    card.review('a1', 't2');
    expect(card.shown).toBe('p2');
    expect(document.activeElement?.className).toContain('approval-card');
    card.review('a1', 'unknown');
    expect(card.shown).toBe('p2');
  });

  test('keep the visible card when other cards are added or removed', async () => {
    await show(approval(), approval({ id: 'p2', callId: 't2' }));
    card.review('a1', 't2');
    await show(approval({ id: 'p2', callId: 't2' }), question());
    expect(card.shown).toBe('p2');
    await show();
    expect(card.shown).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('question card', () => {
  test('posts the choice that the user clicks', async () => {
    await show(question());
    button('The command parser').click();
    expect(posted).toEqual([{ type: 'question-answer', id: 'q1', text: 'The command parser' }]);
  });

  test('posts free text, but not an empty text', async () => {
    await show(question({ choices: [] }));
    typeText('  ');
    expect(posted).toEqual([]);
    typeText(' The third ');
    expect(posted).toEqual([{ type: 'question-answer', id: 'q1', text: 'The third' }]);
  });

  test('has no text field if free text is not allowed', async () => {
    await show(question({ freeText: false }));
    expect(field()).toBeNull();
  });
});
