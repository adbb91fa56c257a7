import { expect, test, vi } from 'vitest';
import type { Action } from '../../platform/notifications.ts';
import { showEditResult } from './edit-command.ts';
import type { EditResult, RefusedEdit } from './inline-edit.ts';

const notificationState = vi.hoisted(() => ({
  messages: [] as string[],
  buttons: [] as (readonly string[])[],
  /** Labels of the buttons to press, one for each notification. Notifications without a label are closed. */
  labelsToPress: [] as string[],
  answers: [] as string[],
}));
vi.mock('vscode', () => import('../../../test/support/vscode-stub.ts'));
vi.mock('../../account/vscode/show-failure.ts', () => ({
  isCanceled: () => false,
  toShownFailure: () => ({}),
  showFailure: async (_failure: unknown, { retry }: { retry: () => unknown }) => retry(),
}));
vi.mock('./edited-lines.ts', () => ({}));
vi.mock('./editor-target.ts', () => ({}));
vi.mock('./show-answer.ts', () => ({
  createAnswerActions: (answer: string, onShown: () => unknown): readonly Action[] => [
    { label: 'Show Answer', run: () => (notificationState.answers.push(answer), onShown()) },
  ],
}));
vi.mock('../../platform/notifications.ts', () => ({
  showInformation: async (message: string) => void notificationState.messages.push(message),
  showStatusMessage: (message: string) => notificationState.messages.push(message),
  showWithActions: async (_show: unknown, message: string, actions: readonly Action[]) => {
    notificationState.messages.push(message);
    notificationState.buttons.push(actions.map(({ label }) => label));
    const pressedLabel = notificationState.labelsToPress.shift();
    await actions.find(({ label }) => label === pressedLabel)?.run();
  },
}));

/** Fake edit whose last answer was refused. Records the calls of its methods. */
class RefusedInlineEdit {
  readonly calls: string[] = [];
  readonly options = {};
  state = 'stopped';
  isOriginal = true;
  refusal: RefusedEdit | undefined;

  constructor(refusal: RefusedEdit) {
    this.refusal = refusal;
  }

  accept = (): void => this.#end('accept', 'completed');
  retry = (): EditResult => (this.#end('retry', 'waiting'), { kind: 'unchanged' });
  writeRefusedLines = (): EditResult => (this.#end('write', 'waiting'), { kind: 'changed' });

  #end(call: string, state: string): void {
    this.calls.push(call);
    this.state = state;
    this.refusal = undefined;
  }
}

/**
 * Shows the notification about a refused answer, and presses the buttons, one for each notification. Then closes the
 * last notification.
 */
async function showRefusal(
  refusal: Omit<RefusedEdit, 'kind' | 'answer'>,
  {
    labelsToPress = [],
    prepare,
  }: { labelsToPress?: string[]; prepare?: (edit: RefusedInlineEdit) => void } = {},
): Promise<RefusedInlineEdit> {
  Object.assign(notificationState, {
    messages: [],
    buttons: [],
    answers: [],
    labelsToPress: [...labelsToPress],
  });
  const result = { kind: 'refused', answer: 'One.', ...refusal } as const;
  const edit = new RefusedInlineEdit(result);
  prepare?.(edit);
  const start = async (): Promise<unknown> => {
    edit.calls.push('start');
    return { edit, resultPromise: Promise.resolve({ kind: 'unchanged' }) };
  };
  await showEditResult(edit as never, result, { start } as never);
  return edit;
}

test('showEditResult explains that an answer has several code blocks, instead of reporting lines that do not match', async () => {
  await showRefusal({ reason: 'several-blocks' });
  expect(notificationState.messages).toEqual([
    'The answer has several code blocks, so the lines stay unchanged: select fewer lines.',
  ]);
});

test('showEditResult names the text in an answer that caused the refusal', async () => {
  const cause = { kind: 'tokens', rule: 'token of a chat template' } as const;
  await showRefusal({ reason: 'unclear', cause });
  expect(notificationState.messages).toEqual([
    'The answer contains special tokens of the model. The lines stay unchanged: try again.',
  ]);
});

test('showEditResult lets the user review the lines of an answer whose meaning is uncertain', async () => {
  const edit = await showRefusal(
    { reason: 'uncertain', lines: ['one();'] },
    { labelsToPress: ['Review Changes'] },
  );
  expect(notificationState.buttons).toEqual([['Review Changes', 'Retry', 'Show Answer']]);
  expect(notificationState.messages).toEqual([
    'It is not certain how to apply the answer: review the changes, or try again.',
    'The edit is done. Accept or reject it.',
  ]);
  expect(edit.calls).toEqual(['write']);
});

test.each([
  ['prose', 'The model answered without any lines. Say more precisely what to change.'],
  ['no-match', 'The code does not match the file. The lines stay unchanged: try again.'],
  ['unclear', 'The model gave no usable answer. Retry, or choose another model.'],
  [
    'cut-off',
    'The answer is incomplete or too long, so the lines stay unchanged: select fewer lines.',
  ],
] as const)(
  'showEditResult offers no review after a refusal without lines for the reason %s',
  async (reason, message) => {
    await showRefusal({ reason });
    expect(notificationState.messages).toEqual([message]);
    expect(notificationState.buttons).toEqual([['Retry', 'Show Answer']]);
  },
);

test('showEditResult shows the notification again after Show Answer, so that the user can then choose', async () => {
  const edit = await showRefusal({ reason: 'prose' }, { labelsToPress: ['Show Answer', 'Retry'] });
  expect(notificationState.answers).toEqual(['One.']);
  expect(notificationState.buttons).toEqual([['Retry', 'Show Answer'], ['Retry']]);
  expect(edit.calls).toEqual(['retry']);
});

test('showEditResult ends a refused edit when the user closes the notification', async () => {
  const edit = await showRefusal({ reason: 'prose' });
  expect(edit.calls).toEqual(['accept']);
});

const outdatedMessage = 'The edit has ended or its lines have changed: start it again.';

test.each([
  ['Review Changes', 'streaming', true],
  ['Review Changes', 'completed', true],
  ['Retry', 'streaming', true],
  ['Retry', 'waiting', true],
  ['Retry', 'completed', false],
])(
  'the button %s of an outdated refusal only reports that the edit ended or its lines changed (state %s, original lines: %s)',
  async (label, state, isOriginal) => {
    const edit = await showRefusal(
      { reason: 'uncertain', lines: [] },
      {
        labelsToPress: [label],
        prepare: (refusedEdit) =>
          void Object.assign(refusedEdit, { state, isOriginal, refusal: undefined }),
      },
    );
    expect(notificationState.messages.at(-1)).toBe(outdatedMessage);
    expect(edit.calls).toEqual([]);
  },
);

test.each(['streaming', 'waiting'])(
  'Retry in the notification of an older failure does not replace the newer run of an edit (state %s)',
  async (state) => {
    const edit = Object.assign(new RefusedInlineEdit({} as RefusedEdit), { state });
    notificationState.messages = [];
    await showEditResult(edit as never, { kind: 'failed', outcome: {} } as never, {} as never);
    expect(notificationState.messages).toEqual([outdatedMessage]);
    expect(edit.calls).toEqual([]);
  },
);

test('Retry starts a new edit if the refused edit ended and its lines did not change', async () => {
  const edit = await showRefusal(
    { reason: 'prose' },
    {
      labelsToPress: ['Retry'],
      prepare: (refusedEdit) =>
        void Object.assign(refusedEdit, { state: 'completed', refusal: undefined }),
    },
  );
  expect(edit.calls).toEqual(['start']);
});
