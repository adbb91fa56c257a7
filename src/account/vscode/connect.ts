import * as vscode from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { testApiKey } from '../../service/api-keys.ts';
import { CircuitBreakers } from '../../service/http/circuit-breaker.ts';
import type { Endpoint, ServiceContext } from '../../service/http/client.ts';
import {
  findBaseUrlFailure,
  isApiKey,
  isLocalBaseUrl,
  parseBaseUrl,
} from '../../service/http/endpoint.ts';
import { ServiceError, type ServiceFailure } from '../../service/http/failure.ts';
import { sendCall } from '../../service/http/request.ts';
import { readJson } from '../../service/http/response.ts';
import { isModelList } from '../../service/models.ts';
import { findLocalServers } from '../local-servers.ts';
import type { ConnectRequest, ConnectResult, LocalServer } from '../protocol.ts';
import type { Profile } from '../profile.ts';
import {
  listAddressCandidates,
  probeAddresses,
  type ProbeOutcome,
  type ProbeResult,
  wrongPathCodes,
} from '../service-address.ts';
import type { Account } from './account.ts';
import { storeKeyExpiry } from './key-in-use.ts';
import { getKeyNotStoredMessage, KeyNotStoredError } from './key-store.ts';
import { saveProfile } from './profile-settings.ts';

const probeTimeouts = { connectMs: 10_000, headersMs: 15_000, idleMs: 15_000 };
const localTimeoutMs = 300;
const maxCorrections = 2;

/**
 * Connects the active profile with the content of the connect form. Finds the service without the key, and then sends
 * the key only to an origin that the user typed or chose. Changes nothing unless the service accepts the key.
 */
export async function connectProfile(
  account: Account,
  request: ConnectRequest,
  signal: AbortSignal,
): Promise<ConnectResult> {
  // The user may switch the profile during the requests.
  const { profile } = account;
  const { completions, fixes } = listAddressCandidates(request.address);
  const [typedAddress = fixes[0] ?? ''] = completions;
  const addressFailure = findTypedAddressFailure(account, request.address);
  if (
    addressFailure?.code === 'unencrypted-address' &&
    request.unencryptedOrigin === addressFailure.origin
  )
    await account.allowUnencryptedOrigin(addressFailure.origin ?? '');
  else if (addressFailure !== undefined)
    return createAddressProblemResult(account, addressFailure, { fixes });
  const outcome = await probeAllAddresses(account, completions, signal);
  if (outcome.foundServices.length === 0) {
    const offeredFixes = await findUsableFixes(account, fixes, signal);
    return createAddressProblemResult(account, outcome.failure, {
      typedAddress,
      fixes: offeredFixes,
    });
  }
  return connectToFoundService(
    account,
    { ...request, profile, foundServices: outcome.foundServices },
    signal,
  );
}

/**
 * Completes a typed address in the same way as the connect form: requests the model list without a key from each base
 * URL that the address may mean.
 */
export async function completeAddress(
  account: Account,
  text: string,
  signal: AbortSignal,
): Promise<CompletedAddress> {
  const { completions, fixes } = listAddressCandidates(text);
  const { foundServices } = await probeAllAddresses(account, completions, signal);
  const [foundService] = foundServices;
  if (foundService !== undefined) return { address: foundService.address, fixes: [] };
  const offeredFixes = await findUsableFixes(account, fixes, signal);
  return {
    address: completions[0] ?? fixes[0] ?? text,
    fixes: offeredFixes.slice(0, maxCorrections),
  };
}

interface CompletedAddress {
  /** Base URL of the service that answered, or the most likely base URL if no service answered. */
  readonly address: string;
  /** Corrected addresses, which may be used only if the user accepts one. Empty if a service was found. */
  readonly fixes: readonly string[];
}

/**
 * Completes a typed address with a scheme and a path, and returns its validation failure; `undefined` if the address is
 * valid.
 */
export function findTypedAddressFailure(
  account: Account,
  text: string,
): ServiceFailure | undefined {
  const { completions, fixes } = listAddressCandidates(text);
  const typedAddress = completions[0] ?? fixes[0] ?? '';
  const failure = findBaseUrlFailure(typedAddress, account.unencryptedOrigins);
  if (failure === undefined || (URL.canParse(typedAddress) && !/[\s\\]/u.test(typedAddress)))
    return failure;
  return { ...failure, message: vscode.l10n.t('Enter a host or URL, such as api.example.com.') };
}

/** Finds the model servers on this machine. Sends one request to each default port. */
export function listLocalServers({ transports }: Account): Promise<readonly LocalServer[]> {
  return findLocalServers(async (url) => {
    const transport = await transports.openTransport('direct');
    const timeouts = {
      connectMs: localTimeoutMs,
      headersMs: localTimeoutMs,
      idleMs: localTimeoutMs,
    };
    const signal = AbortSignal.timeout(localTimeoutMs);
    const headers = { accept: 'application/json' };
    const response = await transport.send({ method: 'GET', url, headers, signal, timeouts });
    return response.status === 200 ? readJson(response.body, { secrets: [] }) : undefined;
  });
}

/**
 * Requests the model list without a key from all given addresses, except unencrypted addresses that the user has not
 * permitted.
 */
function probeAllAddresses(
  account: Account,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const permittedAddresses = addresses.filter(
    (address) => findBaseUrlFailure(address, account.unencryptedOrigins) === undefined,
  );
  return probeAddresses(permittedAddresses, (address) => probeAddress(account, address, signal));
}

async function probeAddress(
  account: Account,
  address: string,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const baseUrl = parseBaseUrl(address, account.unencryptedOrigins);
  try {
    const response = await sendCall(
      createUnsavedContext(account, { baseUrl }),
      {
        ...{ method: 'GET', path: '/models', isPublic: true, timeouts: probeTimeouts },
        canRetry: () => false,
      },
      signal,
    );
    const reply = await readJson(response.body, { secrets: [] });
    return isModelList(reply) ? 'models' : createNoServiceFailure(address);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { failure } = error;
    return failure.status === 401 || failure.status === 403 ? 'locked' : failure;
  }
}

/** Creates the context for requests to a service that the profile does not use yet. */
const createUnsavedContext = (
  account: Account,
  endpoint: Omit<Endpoint, 'vendorPrefix'>,
): ServiceContext => ({
  ...account.service,
  getEndpoint: async () => ({ ...endpoint, vendorPrefix: account.profile.vendorPrefix }),
  breakers: new CircuitBreakers(systemClock),
  random: () => 0,
});

const createNoServiceFailure = (address: string): ServiceFailure => ({
  code: 'unexpected-response',
  message: formatNoServiceMessage(address),
});

/**
 * Returns the corrected addresses at which a service was found; otherwise the addresses that could not be tested,
 * because they are unencrypted and the user has not permitted requests to them.
 */
async function findUsableFixes(
  account: Account,
  fixes: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { foundServices } = await probeAllAddresses(account, fixes, signal);
  if (foundServices.length > 0) return foundServices.map(({ address }) => address);
  return fixes.filter(
    (address) =>
      findBaseUrlFailure(address, account.unencryptedOrigins)?.code === 'unencrypted-address',
  );
}

interface FoundServiceOptions extends Pick<ConnectRequest, 'key' | 'method'> {
  readonly profile: Profile;
  readonly foundServices: ProbeOutcome['foundServices'];
}

/**
 * Connects the profile to the first of the found services, with the key or the wallet that the user chose. Tries the
 * next address only if the reply to a request with the key shows that there is no model service at the first address.
 */
async function connectToFoundService(
  account: Account,
  { key, method, profile, foundServices }: FoundServiceOptions,
  signal: AbortSignal,
): Promise<ConnectResult> {
  const [{ address, isLocked } = { address: '', isLocked: true }, ...otherServices] = foundServices;
  const baseUrl = parseBaseUrl(address, account.unencryptedOrigins);
  if (method === 'wallet') {
    await saveProfile({ ...profile, baseUrl: address });
    return createConnectedResult(address);
  }
  if (key === '' && (isLocked || !isLocalBaseUrl(baseUrl))) return createKeyNeededResult(address);
  if (key !== '' && !isApiKey(key, baseUrl))
    return createKeyProblemResult(address, getKeyFormatMessage());
  try {
    const context = createUnsavedContext(account, {
      baseUrl,
      ...(key === '' ? {} : { apiKey: key }),
    });
    const { limits } = await testApiKey(context, signal);
    await storeConnection(account, { profile, address, key, expiresAt: limits?.keyExpiration });
    return createConnectedResult(address);
  } catch (error) {
    if (error instanceof KeyNotStoredError)
      return createKeyProblemResult(address, getKeyNotStoredMessage());
    if (!(error instanceof ServiceError)) throw error;
    const { failure } = error;
    const hasNext = otherServices[0]?.isLocked === isLocked;
    if (hasNext && wrongPathCodes.has(failure.code))
      return connectToFoundService(
        account,
        { key, method, profile, foundServices: otherServices },
        signal,
      );
    if (!acceptedKeyCodes.has(failure.code))
      return createRefusalResult(account, { address, failure, hasKey: key !== '' });
    await storeConnection(account, { profile, address, key });
    return createConnectedResult(address);
  }
}

/** Failure codes that show that a key is valid, although it cannot pay for requests at the moment. */
const acceptedKeyCodes: ReadonlySet<string> = new Set([
  'out-of-funds',
  'spend-limit',
  'rate-limited',
]);

interface NewConnection {
  readonly profile: Profile;
  readonly address: string;
  readonly key: string;
  readonly expiresAt?: string | undefined;
}

async function storeConnection(account: Account, connection: NewConnection): Promise<void> {
  const { key, expiresAt } = connection;
  const profile = { ...connection.profile, baseUrl: connection.address };
  await saveProfile(profile);
  if (key === '') {
    // The account may not have read its key since the address changed.
    await account.reloadKey();
    return account.reportKeylessServer(account.profile, 'user');
  }
  await account.storeKey(profile, key);
  await storeKeyExpiry(account, expiresAt);
}

const createConnectedResult = (address: string): ConnectResult => ({
  address,
  problem: null,
  fixes: [],
});

const createKeyProblemResult = (address: string, message: string): ConnectResult => ({
  address,
  problem: { field: 'key', message, unencryptedOrigin: null },
  fixes: [],
});

const createKeyNeededResult = (address: string): ConnectResult =>
  createKeyProblemResult(address, vscode.l10n.t('No API key is set for {0}.', getHost(address)));

const refusedKeyCodes: ReadonlySet<string> = new Set([
  'no-key',
  'payment-required',
  'unauthorized',
  'forbidden',
]);

function createRefusalResult(
  account: Account,
  { address, failure, hasKey }: { address: string; failure: ServiceFailure; hasKey: boolean },
): ConnectResult {
  if (!refusedKeyCodes.has(failure.code))
    return createAddressProblemResult(account, failure, { typedAddress: address, fixes: [] });
  if (!hasKey) return createKeyNeededResult(address);
  const { host } = new URL(address);
  return createKeyProblemResult(address, vscode.l10n.t('{0} does not accept the API key.', host));
}

function createAddressProblemResult(
  account: Account,
  failure: ServiceFailure | undefined,
  {
    typedAddress = '',
    fixes,
  }: { readonly typedAddress?: string; readonly fixes: readonly string[] },
): ConnectResult {
  const isWrongPath = failure === undefined || wrongPathCodes.has(failure.code);
  const message = isWrongPath
    ? formatNoServiceMessage(typedAddress)
    : formatFailureMessage(failure, typedAddress);
  const unencryptedOrigin =
    failure?.code === 'unencrypted-address' ? (failure.origin ?? null) : null;
  const usableFixes = fixes.filter((fix) => {
    const code = findBaseUrlFailure(fix, account.unencryptedOrigins)?.code;
    return code === undefined || code === 'unencrypted-address';
  });
  return {
    address: '',
    problem: { field: 'address', message, unencryptedOrigin },
    fixes: usableFixes.slice(0, maxCorrections),
  };
}

const unreachableCodes: ReadonlySet<string> = new Set(['offline', 'timeout', 'interrupted']);

const formatFailureMessage = ({ code, message }: ServiceFailure, address: string): string =>
  unreachableCodes.has(code)
    ? vscode.l10n.t('Couldn’t reach {0}. Check the address or your connection.', getHost(address))
    : message;

const formatNoServiceMessage = (address: string): string =>
  vscode.l10n.t('No service found at {0}. Check the address.', getHost(address));

const getHost = (address: string): string =>
  URL.canParse(address) ? new URL(address).host : address;

const getKeyFormatMessage = (): string =>
  vscode.l10n.t('A key has 8 to 512 visible ASCII characters and no spaces.');
