// @vitest-environment happy-dom
import { render } from 'lit';
import { expect, test } from 'vitest';
import type { ChangesView } from '../../../src/agent/protocol.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { createChangesView } from '../../../test/support/webview-page/chat-states.ts';
import { renderChangesPanel } from './changes.ts';

function renderPanel(changesView: ChangesView, isOpen = true, isBusy = false) {
  const postedMessages: WebviewMessage[] = [];
  const element = document.createElement('div');
  const post = (message: WebviewMessage) => postedMessages.push(message);
  render(
    renderChangesPanel({
      changes: changesView,
      isOpen,
      isBusy,
      tabIndex: 0,
      post,
      onToggle: () => {},
    }),
    element,
  );
  const buttons = [...element.querySelectorAll<HTMLElement>('button, vscode-button')];
  const readText = (element: Element): string =>
    element.textContent.replaceAll(/\s+/gu, ' ').trim();
  return {
    postedMessages,
    text: readText(element),
    names: buttons.map(readText),
    disabledButtons: buttons.filter((button) => button.getAttribute('aria-disabled') === 'true'),
    press: (name: string) => buttons.find((button) => readText(button) === name)?.click(),
  };
}

const reviewedChanges = createChangesView({
  files: createChangesView().files.map((file) => ({ ...file, review: 'accepted' as const })),
});

const pendingChanges = createChangesView({
  files: createChangesView().files.map((file) => ({ ...file, review: 'pending' as const })),
});

test('the changes panel shows the total numbers of files and lines, and opens the diff of a file', () => {
  const { text, press, postedMessages } = renderPanel(createChangesView());
  expect(text).toContain('2 files changed +12 lines added −4 lines removed');
  press('src/lexer.ts');
  expect(postedMessages).toEqual([{ type: 'changes-open', turnId: 'u1', index: 1 }]);
});

test.each<[string, ChangesView, string[]]>([
  ['to be reviewed', pendingChanges, ['Keep all', 'Undo all']],
  ['partly reviewed', createChangesView(), ['Keep all', 'Undo all']],
  ['reviewed', reviewedChanges, ['Undo turn']],
  ['undone', createChangesView({ undone: true }), ['Redo']],
])('the changes panel shows for changes that are %s the buttons $2', (_, changesView, expected) => {
  const { names } = renderPanel(changesView, false);
  expect(names.slice(1)).toEqual(expected);
});

test.each<[string, ChangesView]>([
  ['readable files', createChangesView({ isDamaged: true })],
  ['no readable file', createChangesView({ isDamaged: true, files: [] })],
])(
  'the changes panel states that a turn with a damaged record and %s cannot be undone',
  (_, changesView) => {
    const { names, text } = renderPanel(changesView, false);
    expect(text).toContain('Undo isn’t available. The record of this turn is damaged.');
    expect(names).toHaveLength(Math.min(1, changesView.files.length));
  },
);

test.each<[string, ChangesView, string]>([
  ['Keep all', createChangesView(), 'accept'],
  ['Undo all', pendingChanges, 'undo'],
  ['Undo all', createChangesView(), 'reject'],
  ['Undo turn', reviewedChanges, 'undo'],
  ['Redo', createChangesView({ undone: true }), 'redo'],
])(
  'the changes panel posts the decision $2 when the user clicks %s (row %#)',
  (name, changesView, decision) => {
    const { press, postedMessages } = renderPanel(changesView);
    press(name);
    expect(postedMessages).toEqual([{ type: 'changes-decide', turnId: 'u1', decision }]);
  },
);

test('the changes panel disables Keep and Undo while the turn runs, but opens diffs', () => {
  const { press, postedMessages, names, disabledButtons } = renderPanel(
    createChangesView(),
    true,
    true,
  );
  for (const name of names) press(name);
  expect(postedMessages).toEqual([
    { type: 'changes-open', turnId: 'u1', index: 0 },
    { type: 'changes-open', turnId: 'u1', index: 1 },
  ]);
  expect(disabledButtons.map(({ title }) => title)).toEqual(
    Array(2).fill('When the turn has ended'),
  );
});

test('the changes panel shows nothing for a turn without changes', () => {
  expect(renderPanel(createChangesView({ files: [] })).text).toBe('');
});

test('the changes panel shows markup in file names as text, and marks hidden characters', () => {
  const [file] = createChangesView().files;
  const label = '<img src=x onerror=alert(1)>\u202e';
  const { text } = renderPanel(
    createChangesView({ files: file === undefined ? [] : [{ ...file, label }] }),
  );
  expect(text).toContain('<img src=x onerror=alert(1)>U+202E');
});

test.each([
  ['shows', 'pending', true],
  ['does not show', 'accepted', false],
] as const)(
  'the changes panel %s the number of kept changes of a file whose review is %s',
  (_result, review, expected) => {
    const file = { label: 'a.ts', change: 'edited', added: 2, removed: 1, review } as const;
    const { text } = renderPanel(
      createChangesView({ files: [{ ...file, keptChanges: { count: 1, total: 3 } }] }),
    );
    expect(text.includes('Kept 1 of 3')).toBe(expected);
  },
);
