import * as vscode from 'vscode';
import {
  type ConnectionAttempt,
  type ConnectionProblem,
  evaluateConnection,
  findInvalidPrefixSetting,
  isNetworkProblem,
  type ConnectionVerdict,
} from '../connection-verdict.ts';
import type { CallOutcome } from '../health.ts';
import { canSpend, type KeyState } from '../key-state.ts';
import { formatBalance, getDisplayHost } from './account-view.ts';
import type { Account } from './account.ts';
import { getProfileSettings } from './profile-settings.ts';
import { storeKeyExpiry } from './key-in-use.ts';
import { createFailureAction } from './failure-actions.ts';
import { systemClock } from '../../base/clock.ts';
import { omitUndefined } from '../../base/json.ts';
import type { TransportKind } from '../../platform/network.ts';
import {
  type Action,
  showWithActions,
  showCancellable,
  showError,
  showInformation,
} from '../../platform/notifications.ts';
import { setSetting } from '../../platform/settings.ts';
import { testApiKey } from '../../service/api-keys.ts';
import { CircuitBreakers } from '../../service/http/circuit-breaker.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { getWalletBalance } from '../../service/x402.ts';

/**
 * Tests the connection by reading the key's limits. If the network fails, also tests the other
 * transport (direct or through VS Code).
 */
export async function testConnection(
  account: Account,
  signal: AbortSignal,
): Promise<ConnectionVerdict> {
  const { transports, profile } = account;
  const { kind } = transports;
  const attempt = await tryConnection(account, kind, signal);
  const shouldTryOtherTransport = isNetworkProblem(attempt) && !signal.aborted;
  const otherAttempt = shouldTryOtherTransport
    ? await tryConnection(account, getOtherTransportKind(kind), signal)
    : undefined;
  account.reportOutcome(toOutcome(attempt), profile);
  return evaluateConnection(attempt, otherAttempt);
}

export const getOtherTransportKind = (kind: TransportKind): TransportKind =>
  kind === 'direct' ? 'editor' : 'direct';

async function tryConnection(
  account: Account,
  kind: TransportKind,
  signal: AbortSignal,
): Promise<ConnectionAttempt> {
  // Retries without delay, and ignores circuit breakers that earlier failures opened.
  const context: ServiceContext = {
    ...account.service,
    breakers: new CircuitBreakers(systemClock),
    getTransport: () => account.transports.openTransport(kind),
    random: () => 0,
  };
  try {
    const { key } = account;
    if (key.kind === 'wallet') {
      const { usd, diem, canConsume } = await getWalletBalance(context, {
        address: key.address,
        signal,
      });
      const balances = omitUndefined({ usd, diem });
      return { ok: true, limits: { isAccessPermitted: canConsume, balances } };
    }
    return { ok: true, ...(await testApiKey(context, signal)) };
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, failure: error.failure };
    throw error;
  }
}

function toOutcome(attempt: ConnectionAttempt): CallOutcome {
  if (!attempt.ok) return attempt.failure;
  if (attempt.limits === undefined) return 'reached';
  const { usd, diem } = attempt.limits.balances;
  return { balance: omitUndefined({ usd, diem }) };
}

type FailedVerdict = Extract<ConnectionVerdict, { ok: false }>;

/** Describes the connection problem in one sentence. */
export function formatProblemSentence(
  account: Account,
  { problem, failure }: FailedVerdict,
): string {
  const host = getDisplayHost(account.profile);
  switch (problem) {
    case 'no-address':
      return vscode.l10n.t(
        'No address of the service is set. Enter the base address; it usually ends in /api/v1 or /v1.',
      );
    case 'invalid-address':
    case 'tls':
    case 'proxy':
    case 'unexpected-response':
      return (
        failure?.message ??
        vscode.l10n.t(
          'The reply is not from the service. Check the base address; a sign-in page of the network can also answer in its place.',
        )
      );
    case 'wrong-address':
      // These failures can have another cause than the address, such as a sign-in page of the network.
      if (failure !== undefined && failure.code !== 'not-found') return failure.message;
      return vscode.l10n.t('No service found at {0}. Check the address.', account.profile.baseUrl);
    case 'no-key':
      return account.view.message ?? vscode.l10n.t('No API key is set for {0}.', host);
    case 'wrong-key':
      return vscode.l10n.t('{0} does not accept the API key.', host);
    case 'no-credits':
      return vscode.l10n.t('Connected to {0}, but there is nothing left to spend.', host);
    case 'offline':
      return vscode.l10n.t('Couldn’t reach {0}. Check the address or your connection.', host);
  }
}

/** Returns the buttons for a connection problem. The first button is the one that most likely solves the problem. */
export function listProblemActions(
  { problem, isOtherTransportReachable, failure }: FailedVerdict,
  otherTransport: TransportKind,
  key?: KeyState,
): Action[] {
  const action =
    key?.kind === 'wallet'
      ? createWalletAction(problem, failure)
      : createBaseUrlOrKeyAction(problem);
  return [
    ...(isOtherTransportReachable ? [createSwitchTransportAction(otherTransport)] : []),
    ...(action === undefined ? [] : [action]),
  ];
}

const createSwitchTransportAction = (kind: TransportKind): Action =>
  kind === 'editor'
    ? createFailureAction('use-editor-transport')
    : {
        label: vscode.l10n.t('Use a direct connection'),
        run: () => setSetting('inferenceService.network.transport', 'direct'),
      };

function createWalletAction(
  problem: ConnectionProblem,
  failure: FailedVerdict['failure'],
): Action | undefined {
  return failure?.code === 'no-wallet'
    ? createFailureAction('connect-wallet')
    : createBaseUrlOrKeyAction(problem);
}

function createBaseUrlOrKeyAction(problem: ConnectionProblem): Action | undefined {
  switch (problem) {
    case 'no-address':
    case 'invalid-address':
    case 'wrong-address':
      return createFailureAction('set-address');
    case 'no-key':
    case 'wrong-key':
      return createFailureAction('set-key');
    case 'offline':
    case 'tls':
    case 'proxy':
      return createFailureAction('test-connection');
    case 'unexpected-response':
      return createFailureAction('show-log');
    case 'no-credits':
      return createFailureAction('add-credits');
  }
}

/** Runs "Test Connection" and shows the result in one sentence. */
export async function testConnectionAndShow(account: Account): Promise<void> {
  const verdict = await testWithProgress(account);
  if (verdict === undefined) return;
  if (!verdict.ok) return showProblem(account, verdict);
  const host = getDisplayHost(account.profile);
  const balance = formatBalance(account.balance);
  const { vendorPrefix } = account.connection;
  const invalidPrefixSetting = findInvalidPrefixSetting(getProfileSettings(), account.profile.id);
  const note =
    invalidPrefixSetting !== undefined
      ? vscode.l10n.t(
          'The setting {0} cannot be used: {1}.',
          invalidPrefixSetting,
          vscode.l10n.t('it must consist of 2 to 31 letters and digits, and start with a letter'),
        )
      : vendorPrefix === undefined
        ? ''
        : vscode.l10n.t('Its own fields begin with “{0}”.', vendorPrefix);
  const sentences = [
    balance === ''
      ? vscode.l10n.t('Connected to {0}.', host)
      : `${vscode.l10n.t('Connected to {0}.', host)} ${vscode.l10n.t('Balance {0}', balance)}`,
    ...(note === '' ? [] : [note]),
  ];
  const actions = canSpend(account.key) ? [createFailureAction('add-credits')] : [];
  void showWithActions(showInformation, sentences.join(' '), actions);
}

/**
 * Tests the connection after the user has set a key. Shows a message only if there is a problem. Returns true if there
 * is none.
 */
export async function testConnectionQuietly(account: Account): Promise<boolean> {
  const verdict = await testWithProgress(account);
  if (verdict?.ok === false) await showProblem(account, verdict);
  return verdict?.ok === true;
}

/**
 * Tests the connection with a cancelable progress notification. Returns `undefined` if canceled.
 */
export function testWithProgress(account: Account): Promise<ConnectionVerdict | undefined> {
  return showCancellable(vscode.l10n.t('Test Connection'), async (signal, report) => {
    report(vscode.l10n.t('Connecting…'));
    const verdict = await testConnection(account, signal);
    if (verdict.ok) await storeKeyExpiry(account, verdict.limits?.keyExpiration);
    return signal.aborted ? undefined : verdict;
  });
}

async function showProblem(
  account: Account,
  verdict: Extract<ConnectionVerdict, { ok: false }>,
): Promise<void> {
  const actions = listProblemActions(
    verdict,
    getOtherTransportKind(account.transports.kind),
    account.key,
  );
  await showWithActions(showError, formatProblemSentence(account, verdict), actions);
}
