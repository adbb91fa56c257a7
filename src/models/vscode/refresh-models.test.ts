import { beforeEach, expect, test, vi } from 'vitest';
import { Emitter } from '../../base/event.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { refreshModels } from './refresh-models.ts';

const shownMessages = vi.hoisted(() => ({
  errors: [] as { message: string; labels: string[] }[],
  status: [] as string[],
  progress: [] as string[],
  windowProgress: [] as string[],
  canceller: new AbortController(),
}));

vi.mock('vscode', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  ProgressLocation: { Window: 10 },
}));

vi.mock('../../platform/notifications.ts', () => ({
  showError: () => {},
  showStatusMessage: (text: string) => void shownMessages.status.push(text),
  showProgress: (
    { title }: { title: string },
    run: (report: (message: string) => void) => Promise<void>,
  ) => run((message) => shownMessages.windowProgress.push(`${title}: ${message}`)),
  showCancellable: (
    title: string,
    run: (signal: AbortSignal, report: (message: string) => void) => unknown,
  ) =>
    run(shownMessages.canceller.signal, (message) =>
      shownMessages.progress.push(`${title} ${message}`),
    ),
  showWithActions: async (_show: unknown, message: string, actions: { label: string }[]) =>
    void shownMessages.errors.push({ message, labels: actions.map(({ label }) => label) }),
}));

const rateLimitFailure: ServiceFailure = { code: 'rate-limited', message: 'Too many requests.' };

/** Model catalog whose refresh waits for a retry until the test calls `endRefresh` or cancels the wait. */
class WaitingCatalog {
  readonly #onDidChangeEmitter = new Emitter<void>();
  readonly #refresh = Promise.withResolvers<void>();
  readonly onDidChange = this.#onDidChangeEmitter.event;
  readonly models = [{}, {}];
  failure: ServiceFailure | undefined;
  retryAt: number | undefined;
  isWaiting = false;

  get refreshPromise(): Promise<void> {
    return this.#refresh.promise;
  }

  refreshForUser(): Promise<void> {
    this.startWaiting();
    return this.#refresh.promise;
  }

  startWaiting(): void {
    this.isWaiting = true;
    this.failure = rateLimitFailure;
    this.retryAt = Date.now() + 50_000;
    this.#onDidChangeEmitter.fire();
  }

  cancelRetry(): void {
    this.endRefresh(rateLimitFailure);
  }

  endRefresh(failure: ServiceFailure | undefined): void {
    this.isWaiting = false;
    this.failure = failure;
    if (failure === undefined) this.retryAt = undefined;
    this.#refresh.resolve();
  }
}

let catalog: WaitingCatalog;
const refreshCatalog = (): Promise<void> => refreshModels({ models: catalog as never });

beforeEach(() => {
  Object.assign(shownMessages, {
    errors: [],
    status: [],
    progress: [],
    windowProgress: [],
    canceller: new AbortController(),
  });
  catalog = new WaitingCatalog();
});

test('refreshModels shows a countdown of the delay that the service requests, then the number of models', async () => {
  const whenRefreshed = refreshCatalog();
  expect(shownMessages.progress[0]).toMatch(/^Too many requests\. Trying again in \d+ s$/u);
  catalog.endRefresh(undefined);
  await whenRefreshed;
  expect([shownMessages.status, shownMessages.errors]).toEqual([['2 models'], []]);
  expect(shownMessages.windowProgress).toEqual(['Models: Loading…']);
});

test('refreshModels shows a countdown for a refresh that is already waiting to retry', async () => {
  catalog.startWaiting();
  catalog.refreshForUser = () => catalog.refreshPromise;
  const whenRefreshed = refreshCatalog();
  expect(shownMessages.progress).toHaveLength(1);
  catalog.endRefresh(undefined);
  await whenRefreshed;
});

test('refreshModels sends no further request and shows no error after the user cancels the wait', async () => {
  const whenRefreshed = refreshCatalog();
  shownMessages.canceller.abort();
  await whenRefreshed;
  expect([catalog.isWaiting, shownMessages.status, shownMessages.errors]).toEqual([false, [], []]);
});

test('refreshModels shows a failure with the action Retry', async () => {
  const whenRefreshed = refreshCatalog();
  catalog.endRefresh(rateLimitFailure);
  await whenRefreshed;
  expect(shownMessages.errors[0]?.labels).toContain('Retry');
  expect(shownMessages.errors[0]?.message).toMatch(
    /^Too many requests\. The service asks to wait \d+ s\.$/u,
  );
});
