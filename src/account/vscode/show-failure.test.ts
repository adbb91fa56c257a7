import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { Connection } from '../../service/http/connection.ts';
import { findBaseUrlFailure } from '../../service/http/endpoint.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import {
  isCanceled,
  reportAndShowFailure,
  showFailure,
  toShownFailure,
  withCountdown,
} from './show-failure.ts';
import { userConfirmation } from './unencrypted-origins.ts';

interface ShownNotification {
  readonly message: string;
  readonly labels: readonly string[];
}

const executedCommands = vi.hoisted((): unknown[][] => []);
vi.mock('vscode', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  commands: { executeCommand: (...args: unknown[]) => void executedCommands.push(args) },
}));

const shownMessages: ShownNotification[] = [];
const progressMessages: string[] = [];
/** Label of the button that the simulated user presses next. */
let pressedButton: string | undefined;
let progressController = new AbortController();

vi.mock('../../platform/notifications.ts', () => ({
  showError: () => {},
  showWithActions: async (
    _show: unknown,
    message: string,
    actions: readonly { label: string; run: () => unknown }[],
  ) => {
    shownMessages.push({ message, labels: actions.map(({ label }) => label) });
    await actions.find(({ label }) => label === pressedButton)?.run();
  },
  showCancellable: (
    _title: string,
    run: (signal: AbortSignal, report: (message: string) => void) => unknown,
  ) => run(progressController.signal, (message) => progressMessages.push(message)),
}));

const profile = {
  id: 'default',
  baseUrl: 'https://service.example/api/v1',
  vendorPrefix: 'service',
};
const createFailure = (failure: Partial<ServiceFailure>): ServiceFailure => ({
  code: 'overloaded',
  message: 'Busy.',
  ...failure,
});

const connection = new Connection();
const connections = { connection, getConnection: () => connection };

beforeEach(() => {
  shownMessages.length = 0;
  executedCommands.length = 0;
  progressMessages.length = 0;
  pressedButton = undefined;
  progressController = new AbortController();
});

test('showFailure permits unencrypted requests only to the address that the notification names', async () => {
  const failure = findBaseUrlFailure('http://192.168.1.5:8080/v1', new Set());
  if (failure === undefined) throw new Error('The address is valid.');
  pressedButton = 'Send unencrypted';
  await showFailure(toShownFailure(failure));
  expect(shownMessages[0]?.message).toContain('192.168.1.5:8080');
  expect(executedCommands).toEqual([
    ['inferenceService.allowUnencrypted', userConfirmation, 'http://192.168.1.5:8080'],
  ]);
});

describe('reportAndShowFailure', () => {
  test.each([
    ['model-access', ['Choose another model']],
    ['out-of-funds', ['Show Funding', 'Choose another model', 'Retry']],
    ['no-key', ['Set API Key', 'Get API Key with Wallet', 'Retry']],
    ['context-overflow', ['Choose another model']],
  ] as const)(
    'reports the failure %s to the account and shows its actions',
    async (code, labels) => {
      const report = vi.fn<() => void>();
      const failure = createFailure({ code, message: 'No.', detail: 'Because.' });
      await reportAndShowFailure(
        { account: { reportOutcome: report, ...connections }, profile, failure },
        { retry: () => {} },
      );
      expect(report).toHaveBeenCalledExactlyOnceWith(failure, profile);
      expect(shownMessages).toEqual([{ message: 'No. Because.', labels }]);
    },
  );

  test('ignores a call that the user canceled', async () => {
    const report = vi.fn<() => void>();
    const failure = createFailure({ code: 'stopped' });
    await reportAndShowFailure({
      account: { reportOutcome: report, ...connections },
      profile,
      failure,
    });
    expect([report.mock.calls, shownMessages]).toEqual([[], []]);
  });

  test.each([
    [
      'retries',
      'the user selects "Send without it"',
      'Send without it',
      true,
      ['speech.voice:m'],
      1,
    ],
    ['does not retry', 'another service is active', 'Send without it', false, [], 0],
    ['does not retry', 'the user selects no button', undefined, true, [], 0],
  ] as const)(
    '%s without a rejected option if %s',
    async (_effect, _condition, button, isActive, omittedKeys, retryCount) => {
      pressedButton = button;
      const connection = new Connection();
      const account = {
        reportOutcome: () => {},
        connection,
        getConnection: () => (isActive ? connection : new Connection()),
      };
      const retry = vi.fn<() => void>();
      const failure = createFailure({
        code: 'unsupported-option',
        refusedField: 'speech.voice:m',
        connection: profile.baseUrl,
      });
      await reportAndShowFailure({ account, profile, failure }, { retry });
      expect(shownMessages[0]?.labels).toContain('Send without it');
      expect(connection.facts.omitted ?? []).toEqual(omittedKeys);
      expect(retry).toHaveBeenCalledTimes(retryCount);
    },
  );

  test('omits Retry if the caller cannot repeat the call', async () => {
    const failure = createFailure({ code: 'timeout' });
    await reportAndShowFailure({
      account: { reportOutcome: () => {}, ...connections },
      profile,
      failure,
    });
    expect(shownMessages[0]?.labels).toEqual([]);
  });
});

describe('Retry', () => {
  test('counts down until the time that the service requested', async () => {
    const clock = new ManualClock();
    const retry = vi.fn<() => void>();
    pressedButton = 'Retry';
    const failure = toShownFailure(createFailure({ retryAfterMs: 2_500 }), clock.now());
    const closePromise = showFailure(failure, { retry }, clock);
    expect(shownMessages[0]?.message).toBe('Busy. The service asks to wait 3 s.');
    await clock.advance(2_400);
    expect(retry).not.toHaveBeenCalled();
    await clock.advance(100);
    await closePromise;
    expect(retry).toHaveBeenCalledOnce();
    expect(progressMessages).toEqual(['3 s', '2 s', '1 s']);
  });

  test('does not repeat the call if the user cancels the wait', async () => {
    const clock = new ManualClock();
    const retry = vi.fn<() => void>();
    pressedButton = 'Retry';
    const failure = toShownFailure(createFailure({ retryAfterMs: 60_000 }), clock.now());
    const closePromise = showFailure(failure, { retry }, clock);
    await clock.advance(1_000);
    progressController.abort();
    await closePromise;
    expect(retry).not.toHaveBeenCalled();
    expect(clock.pendingTimerCount).toBe(0);
  });
});

test('withCountdown shows the seconds before an automatic retry', async () => {
  const clock = new ManualClock();
  const messages: string[] = [];
  const service = withCountdown({ clock } as unknown as ServiceContext, {
    setMessage: (message) => messages.push(message),
    signal: progressController.signal,
    message: 'Part 1 of 2',
  });
  service.onRetryWait?.({ attempt: 2, delayMs: 2_000, failure: createFailure({}) });
  await clock.advance(2_000);
  expect(messages).toEqual(['Busy. Try 2 in 2 s', 'Busy. Try 2 in 1 s', 'Part 1 of 2']);
});

test('withCountdown stops when the user cancels the call', async () => {
  const clock = new ManualClock();
  const messages: string[] = [];
  const service = withCountdown({ clock } as unknown as ServiceContext, {
    setMessage: (message) => messages.push(message),
    signal: progressController.signal,
  });
  service.onRetryWait?.({ attempt: 2, delayMs: 60_000, failure: createFailure({}) });
  progressController.abort();
  await clock.advance(2_000);
  expect(messages).toHaveLength(1);
  expect(clock.pendingTimerCount).toBe(0);
});

test.each([
  ['stopped', true],
  ['over-budget', true],
  ['overloaded', false],
])(
  'isCanceled checks whether the failure code "%s" means that the user ended the call: %s',
  (code, expected) => {
    expect(isCanceled({ code })).toBe(expected);
  },
);
