import * as vscode from 'vscode';
import type { Account } from './account.ts';
import { getActionLabel, createFailureAction, isChatAction } from './failure-actions.ts';
import type { Profile } from '../profile.ts';
import { type Clock, systemClock, wait } from '../../base/clock.ts';
import {
  type Action,
  showCancellable,
  showError,
  showWithActions,
} from '../../platform/notifications.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import {
  type FailureAction,
  failureTable,
  type RetryWait,
  type ServiceFailure,
} from '../../service/http/failure.ts';

/** Callbacks and options for the buttons of a message about a failure. */
export interface FailureHandlers {
  /** Repeats the call. Omit the function to show no Retry button. */
  readonly retry?: (() => unknown) | undefined;
  /** Repeats the call without the option that the service refused. */
  readonly sendWithoutRefusedField?: (() => unknown) | undefined;
  /**
   * Lets the user choose another model. If omitted, the button for this action opens the selection of the chat model.
   */
  readonly chooseModel?: (() => unknown) | undefined;
  /** Actions to show in addition to the default actions of the failure. */
  readonly suggestedActions?: readonly FailureAction[];
  /** Default actions of the failure that are not shown. */
  readonly excludedActions?: readonly FailureAction[];
  /** Buttons that are not failure actions, shown after all other buttons. */
  readonly furtherActions?: readonly Action[];
  /** Origin that the message about the failure names. The user can permit unencrypted requests to this origin. */
  readonly origin?: string | undefined;
}

/** Failure of any kind, as shown in a notification. */
export interface ShownFailure {
  readonly message: string;
  readonly detail?: string | undefined;
  /** Earliest time at which a retry can succeed, in milliseconds since the epoch. */
  readonly retryAt?: number | undefined;
  /** Origin that the message names. The user can permit unencrypted requests to this origin. */
  readonly origin?: string | undefined;
  readonly actions: readonly FailureAction[];
}

/**
 * Shows a failure in a notification with buttons that can resolve the failure. The Retry button waits until the time
 * that the service requested, shows the remaining seconds, and lets the user cancel the wait. Resolves when the
 * notification is closed.
 */
export async function showFailure(
  failure: ShownFailure,
  handlers: FailureHandlers = {},
  clock: Clock = systemClock,
): Promise<void> {
  const { message, detail, retryAt, origin, actions } = failure;
  const buttons = listFailureButtons(actions, {
    ...handlers,
    origin,
    retry: handlers.retry && (() => retryWhenAllowed(retryAt, handlers.retry, clock)),
  });
  const texts = detail === undefined || message.includes(detail) ? [message] : [message, detail];
  const remainingTimeTexts = listWaitMessages(retryAt, clock.now());
  await showWithActions(showError, [...texts, ...remainingTimeTexts].join(' '), buttons);
}

/** Failure of a service call, and the profile at the start of the call. */
export interface FailedCall {
  readonly account: Pick<Account, 'reportOutcome'> & AccountConnections;
  readonly profile: Profile;
  readonly failure: ServiceFailure;
}

/**
 * Records the failure of a service call in the account, and shows the failure to the user with buttons for its actions.
 * Does nothing if the user canceled the call.
 */
export async function reportAndShowFailure(
  call: FailedCall,
  handlers: FailureHandlers = {},
): Promise<void> {
  const { account, profile, failure } = call;
  if (failure.code === 'stopped') return;
  account.reportOutcome(failure, profile);
  const sendWithoutRefusedField = createRetryWithoutField(call, handlers.retry);
  await showFailure(toShownFailure(failure), { sendWithoutRefusedField, ...handlers });
}

/** Checks whether the user canceled the call, or declined to exceed the budget. Such a failure needs no message. */
export const isCanceled = ({ code }: { readonly code: string }): boolean =>
  code === 'stopped' || code === 'over-budget';

export type AccountConnections = Pick<Account, 'connection' | 'getConnection'>;

/**
 * Returns a callback that repeats the call without the option that the service refused; `undefined` if no option was
 * refused or the call cannot be repeated.
 */
function createRetryWithoutField(
  { failure, account }: FailedCall,
  retry: FailureHandlers['retry'],
): FailureHandlers['sendWithoutRefusedField'] {
  if (retry === undefined || failure.refusedField === undefined) return undefined;
  return () => (omitRefusedField(failure, account) ? retry() : undefined);
}

/**
 * Omits the option that the service refused from further requests to this service. Returns false if another service is
 * active now, or if no option was refused.
 */
export function omitRefusedField(
  { refusedField, connection }: Pick<ServiceFailure, 'refusedField' | 'connection'>,
  account: AccountConnections,
): boolean {
  if (refusedField === undefined || connection === undefined) return false;
  account.getConnection(new URL(connection)).omitField(refusedField);
  return isActiveBaseUrl(connection, account);
}

/** Checks whether a base URL is that of the active profile. */
export function isActiveBaseUrl(baseUrl: string | undefined, account: AccountConnections): boolean {
  try {
    return baseUrl !== undefined && account.getConnection(new URL(baseUrl)) === account.connection;
  } catch {
    // The active profile has no valid base URL.
    return false;
  }
}

/** Converts the failure of a service call for {@link showFailure}. */
export const toShownFailure = (
  { code, message, detail, retryAfterMs, origin }: ServiceFailure,
  now = systemClock.now(),
): ShownFailure => ({
  message,
  detail,
  retryAt: retryAfterMs === undefined ? undefined : now + retryAfterMs,
  origin,
  actions: failureTable[code].actions,
});

/** Returns the buttons for the actions of a failure. The most promising button comes first. */
export function listFailureButtons(
  actions: readonly FailureAction[],
  handlers: FailureHandlers,
): Action[] {
  const { retry, sendWithoutRefusedField, chooseModel, origin } = handlers;
  const { suggestedActions = [], excludedActions = [], furtherActions = [] } = handlers;
  const buttons = [...new Set([...actions, ...suggestedActions])].flatMap((action): Action[] => {
    if (excludedActions.includes(action)) return [];
    if (action === 'retry' || action === 'pay-again') {
      return retry === undefined ? [] : [{ label: getActionLabel(action), run: retry }];
    }
    if (action === 'send-without' && sendWithoutRefusedField !== undefined) {
      return [{ label: getActionLabel(action), run: sendWithoutRefusedField }];
    }
    if (action === 'choose-model' && chooseModel !== undefined) {
      return [{ label: getActionLabel(action), run: chooseModel }];
    }
    return isChatAction(action) ? [] : [createFailureAction(action, origin)];
  });
  return [...buttons, ...furtherActions];
}

const listWaitMessages = (retryAt: number | undefined, now: number): string[] =>
  retryAt === undefined || retryAt <= now
    ? []
    : [vscode.l10n.t('The service asks to wait {0} s.', Math.ceil((retryAt - now) / 1_000))];

/** Repeats a call as soon as the service allows it, unless the user cancels the wait. */
export async function retryWhenAllowed(
  retryAt: number | undefined,
  retry: (() => unknown) | undefined,
  clock: Clock = systemClock,
): Promise<void> {
  if (retryAt === undefined || (await waitUntil(retryAt, clock))) await retry?.();
}

/**
 * Counts down the seconds until `time` in a notification. Resolves to true at that time, or to false as soon as the
 * user cancels.
 */
async function waitUntil(time: number, clock: Clock): Promise<boolean> {
  if (time <= clock.now()) return true;
  return showCancellable(vscode.l10n.t('Trying again…'), (signal, report) =>
    countDown(time, {
      ...{ clock, signal },
      report: (seconds) => report(vscode.l10n.t('{0} s', seconds)),
    }),
  );
}

/**
 * Reports the remaining seconds every second until `endTime`, which is in milliseconds since the epoch. Resolves to
 * true at that time, or to false as soon as `signal` aborts.
 */
export async function countDown(
  endTime: number,
  options: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly report: (seconds: number) => void;
  },
): Promise<boolean> {
  const { clock, signal, report } = options;
  try {
    for (let ms = endTime - clock.now(); ms > 0; ms = endTime - clock.now()) {
      report(Math.ceil(ms / 1_000));
      await wait(Math.min(ms, 1_000), { clock, signal });
    }
    return true;
  } catch {
    return false;
  }
}

interface CountdownOptions {
  /** Sets the message of the notification. */
  readonly setMessage: (message: string) => void;
  /** Signal of the notification. Its abort ends the countdown. */
  readonly signal: AbortSignal;
  /** Message while a call runs. */
  readonly message?: string;
}

/**
 * Returns a service context for calls that share one cancelable progress notification. Before each automatic retry, the
 * notification counts down the delay that the service requested.
 */
export function withCountdown(
  service: ServiceContext,
  { setMessage, signal, message = '' }: CountdownOptions,
): ServiceContext {
  const { clock } = service;
  return {
    ...service,
    onRetryWait: ({ attempt, delayMs, failure }: RetryWait) => {
      const retryAt = clock.now() + delayMs;
      let cancelTimer = (): void => {};
      const tick = (): void => {
        const ms = retryAt - clock.now();
        if (ms <= 0) return setMessage(message);
        setMessage(
          vscode.l10n.t('{0} Try {1} in {2} s', failure.message, attempt, Math.ceil(ms / 1_000)),
        );
        cancelTimer = clock.after(Math.min(ms, 1_000), tick);
      };
      signal.addEventListener('abort', () => cancelTimer(), { once: true });
      tick();
    },
  };
}
