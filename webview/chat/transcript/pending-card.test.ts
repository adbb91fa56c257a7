// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import type { PendingView } from '../../../src/agent/protocol.ts';
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

const longPreview = approval({
  preview: { language: 'diff', text: '+a\n'.repeat(21), cwd: '', files: ['a.ts'] },
});

describe('approval card', () => {
  test.each([
    [[], ['Deny', 'Allow once', 'Deny with a reason']],
    [['conversation'], ['Deny', 'Allow once', 'Deny with a reason', 'Allow in this conversation']],
    [
      ['conversation', 'always'],
      ['Deny', 'Allow once', 'Deny with a reason', 'Allow in this conversation', 'Always allow'],
    ],
  ] as const)('has the permission buttons for the scopes %j', async (remember, expected) => {
    await show(approval({ remember: [...remember], rememberWhat: 'npm test commands' }));
    expect(names()).toEqual(expected);
    expect(card.element.textContent.includes('npm test commands')).toBe(remember.length > 0);
  });

  test.each([
    ['Deny', 'deny'],
    ['Allow once', 'once'],
    ['Allow in this conversation', 'conversation'],
    ['Always allow', 'always'],
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

  test('shows the preview, the folder, the files and the reasons', async () => {
    await show(
      approval({
        preview: {
          language: 'shellscript',
          text: 'npm test',
          cwd: 'packages/app',
          files: ['a.ts'],
        },
        reasons: ['It reaches the network.'],
      }),
    );
    const text = card.element.textContent;
    for (const expectedText of [
      'Run this command?',
      'npm test',
      'packages/app',
      'a.ts',
      'the network',
    ])
      expect(text).toContain(expectedText);
    const dialog = card.element.querySelector('[role=alertdialog]');
    const described = dialog?.getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(described)?.textContent).toContain('It reaches the network.');
    expect(announcements).toEqual(['Run this command?']);
  });

  test('marks hidden characters in a command', async () => {
    const text = `ls${' '.repeat(3_000)}; rm\u00a0-rf \u202ea\u200b`;
    await show(approval({ preview: { language: 'shellscript', text, cwd: '', files: [] } }));
    const preview = card.element.querySelector('.preview');
    expect(preview?.textContent).toBe('ls3,000 spaces; rmU+00A0-rf U+202EaU+200B\n');
    expect(preview?.querySelectorAll('.hidden-character')).toHaveLength(4);
    expect(card.element.textContent).toContain('cannot be seen');
  });

  test('colors the lines of a diff by their signs, and shows markup as text', async () => {
    const text = '@@ -1 +1 @@\n-<img src=x onerror=alert(1)>\n+<script>alert(1)</script>\n \n';
    await show(approval({ preview: { language: 'diff', text, cwd: '', files: [] } }));
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

  test('cannot be allowed before the user scrolls to the end of a long preview', async () => {
    await show(longPreview);
    expect(button('Allow once').getAttribute('aria-disabled')).toBe('true');
    expect(card.element.textContent).toContain('21 lines');
    expect(announcements[0]).toContain('Scroll its preview to the end');
    button('Allow once').click();
    expect(posted).toEqual([]);
    expect(announcements[1]).toContain('Scroll its preview to the end');
    expect(card.element.querySelector('#pending-unread')?.className).toContain('flash');
    card.element.querySelector('.preview')?.dispatchEvent(new Event('scroll'));
    expect(button('Allow once').getAttribute('aria-disabled')).toBe('false');
    button('Allow once').click();
    expect(posted).toMatchObject([{ answer: 'once' }]);
  });

  test.each(['before', 'after'])(
    'can be denied %s the user scrolls its preview',
    async (moment) => {
      await show(longPreview);
      if (moment === 'after')
        card.element.querySelector('.preview')?.dispatchEvent(new Event('scroll'));
      button('Deny').click();
      expect(posted).toMatchObject([{ answer: 'deny' }]);
    },
  );

  test('can be allowed without scrolling if the preview has twenty lines', async () => {
    const preview = { ...longPreview.preview, text: '+a\n'.repeat(20) };
    await show({ ...longPreview, preview });
    expect(button('Allow once').getAttribute('aria-disabled')).toBe('false');
  });

  test('sends a denial with the reason on Enter, and closes the field for the reason on Escape', async () => {
    await show(approval({ remember: ['always'] }));
    button('Deny with a reason').click();
    field()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    expect(field()).toBeNull();
    button('Deny with a reason').click();
    expect(names()).toEqual(['Deny', 'Allow once', 'Deny with a reason', 'Deny', 'Always allow']);
    typeText(' Use pnpm ');
    expect(posted).toEqual([
      { type: 'approval-answer', id: 'p1', answer: 'deny', reason: 'Use pnpm' },
    ]);
  });
});

test('sends a denial with the reason when the user clicks the button beside the field', async () => {
  await show(approval());
  button('Deny with a reason').click();
  const input = field();
  if (input !== null) input.value = ' Use pnpm ';
  card.element.querySelector<HTMLElement>('.pending-reason button')?.click();
  expect(posted).toMatchObject([{ answer: 'deny', reason: 'Use pnpm' }]);
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
    expect(pressKey('Deny', init)).toBe(isUnhandled);
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
      expect(pressKey('Deny', init)).toBe(isUnhandled);
      expect(typed).toBe(expected);
    },
  );

  test('are not typed into the composer while the field for a reason is open', async () => {
    await show(approval());
    button('Deny with a reason').click();
    field()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
    expect(typed).toBe('');
  });
});

describe('several cards', () => {
  test('are shown one after another, each with its own buttons', async () => {
    await show(approval(), approval({ id: 'p2', title: 'Edit a file?' }), question());
    expect(card.element.textContent).toContain('1 of 3');
    const allow = button('Allow once');
    allow.focus();
    allow.click();
    expect(card.shown).toBe('p2');
    expect(card.element.textContent).toContain('1 of 2');
    expect(focusLossCount).toBe(1);
    expect(button('Allow once')).not.toBe(allow);
  });

  test('ignore a second click meant for the previous card', async () => {
    await show(approval(), approval({ id: 'p2' }));
    button('Allow once').click();
    button('Allow once').click();
    expect(posted).toHaveLength(1);
    await clock.advance(400);
    button('Allow once').click();
    expect(posted).toHaveLength(2);
  });

  test('show the card of the tool call that the user selects in the transcript', async () => {
    await show(approval(), approval({ id: 'p2', callId: 't2' }));
    card.review('a1', 't2');
    expect(card.shown).toBe('p2');
    expect(document.activeElement).toBe(button('Deny'));
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
