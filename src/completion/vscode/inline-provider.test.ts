import { expect, test, vi } from 'vitest';
import * as vscode from 'vscode';
import type { ProvidedSuggestions } from '../ports.ts';
import type { Snapshot } from '../snapshot.ts';
import { InlineProvider } from './inline-provider.ts';
import type { NextEditJump } from './next-edit-jump.ts';

vi.mock('vscode', () => {
  class Range {
    readonly start: unknown;
    readonly end: unknown;
    constructor(start: unknown, end: unknown) {
      this.start = start;
      this.end = end;
    }
  }
  class InlineCompletionItem {
    readonly insertText: string;
    constructor(insertText: string) {
      this.insertText = insertText;
    }
  }
  return { Range, InlineCompletionItem, InlineCompletionTriggerKind: { Invoke: 0, Automatic: 1 } };
});

/** Calls the provider once. If `isShownDuringRequest` is true, the next edit appears before the suggestion arrives. */
async function provideSuggestions({
  isExplicit = false,
  jumpState = 'hidden',
  isShownDuringRequest = false,
  isShownDuringCheck = false,
}: {
  isExplicit?: boolean;
  jumpState?: NextEditJump['state'];
  isShownDuringRequest?: boolean;
  isShownDuringCheck?: boolean;
}): Promise<{ requestCount: number; texts: unknown[]; resetCount: number; isAborted: boolean }> {
  let requestCount = 0;
  let resetCount = 0;
  let isAborted = false;
  let show = (): void => {};
  const jump = {
    state: jumpState,
    onDidShow: (listener: () => void) => {
      show = listener;
      return { dispose: () => {} };
    },
    reset: () => resetCount++,
  };
  const provider = new InlineProvider({
    nextEdits: { createItem: () => undefined, consumeOwnTrigger: () => false, jump },
    pipeline: {
      provide: async (_, { signal }): Promise<ProvidedSuggestions> => {
        requestCount++;
        if (isShownDuringRequest) {
          jump.state = 'visible';
          show();
        }
        isAborted = signal.aborted;
        return { source: 'requested', suggestions: [{ id: 1, text: 'ghost', replaceLength: 0 }] };
      },
    },
    getBlockingCause: async () => {
      if (isShownDuringCheck) jump.state = 'visible';
      return undefined;
    },
    getSnapshotAt: () => ({}) as Snapshot,
    onAttempt: () => {},
    onSuggest: () => {},
  });
  const { Invoke, Automatic } = vscode.InlineCompletionTriggerKind;
  const position = { line: 0, character: 0, translate: () => position };
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: () => ({ dispose: () => {} }),
  };
  const items = await provider.provideInlineCompletionItems(
    { uri: { toString: () => 'file:///a.ts' } } as vscode.TextDocument,
    position as unknown as vscode.Position,
    {
      triggerKind: isExplicit ? Invoke : Automatic,
      selectedCompletionInfo: undefined,
    },
    token,
  );
  return { requestCount, texts: items.map(({ insertText }) => insertText), resetCount, isAborted };
}

test.each(['visible', 'reached'] as const)(
  'InlineProvider sends no request while a next edit is %s, unless the user requests suggestions',
  async (state) => {
    expect(await provideSuggestions({ jumpState: state })).toMatchObject({
      requestCount: 0,
      texts: [],
      resetCount: 0,
    });
    expect(await provideSuggestions({ jumpState: state, isExplicit: true })).toMatchObject({
      requestCount: 1,
      texts: ['ghost'],
    });
  },
);

test('InlineProvider cancels its request and returns no ghost text if a next edit appears first', async () => {
  const result = await provideSuggestions({ isShownDuringRequest: true });
  expect(result).toEqual({ requestCount: 1, texts: [], resetCount: 0, isAborted: true });
});

test('InlineProvider sends no request if a next edit appears during the check of rules that block suggestions in the file', async () => {
  expect(await provideSuggestions({ isShownDuringCheck: true })).toMatchObject({
    requestCount: 0,
    texts: [],
  });
});

test('InlineProvider hides the next edit when it returns ghost text, because Tab accepts the ghost text', async () => {
  expect(await provideSuggestions({})).toMatchObject({ texts: ['ghost'], resetCount: 1 });
  expect(await provideSuggestions({ jumpState: 'visible', isExplicit: true })).toMatchObject({
    resetCount: 1,
  });
});
