import * as vscode from 'vscode';
import { type KeySlot, getLastSixCharacters } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import { getDisplayHost } from '../../../account/vscode/account-view.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { saveStoredKeyInfo } from '../../../account/vscode/key-store.ts';
import type { Host } from '../../../host.ts';
import { confirm } from '../../../platform/notifications.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import type { KeyOptions, NewKey } from '../../../service/key-record.ts';
import { createChainClient } from '../../chain-client.ts';
import type { Chain } from '../../chain.ts';
import type { MintRequest } from '../mint.ts';
import { type CheckedToken, computeRemainingLifetimeMs } from '../validation-token.ts';
import { createMintJournal } from './mint-journal.ts';
import {
  formatCountdown,
  formatExpiry,
  formatLimitLabel,
  formatPrivacy,
  formatKeyType,
} from './option-labels.ts';
import type { Review, ReviewRow } from '../../signer.ts';

interface MintReviewInput {
  /** Host and port of the service that issued the token. */
  readonly host: string;
  readonly address: string;
  readonly options: KeyOptions;
  /** True if the new key replaces the key in use. */
  readonly replacesActiveKey: boolean;
  readonly token: CheckedToken;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Minimum difference between the clocks of the service and this machine, in milliseconds, that the user sees before
 * signing. A smaller difference is within network latency.
 */
const minReportedSkewMs = 60_000;

/** Builds the review of the signature for a new key: the facts that the user sees before signing. */
export function createMintReview(input: MintReviewInput): Review {
  return {
    purpose: vscode.l10n.t('Sign to get an API key for {0}', input.host),
    explanation: vscode.l10n.t(
      'The signature proves that the wallet is yours; it moves no funds and approves no transaction.',
    ),
    rows: [...createAccountRows(input), ...createKeyRows(input.options), ...createTokenRows(input)],
    warnings: createReviewWarnings(input),
  };
}

const createAccountRows = ({ host, address }: MintReviewInput): ReviewRow[] => [
  { name: vscode.l10n.t('Wallet'), value: address },
  { name: vscode.l10n.t('Issued by'), value: host },
];

function createKeyRows(options: KeyOptions): ReviewRow[] {
  const { type, description, modelPrivacy } = options;
  return [
    { name: vscode.l10n.t('Type'), value: formatKeyType(type) },
    ...(description === undefined
      ? []
      : [{ name: vscode.l10n.t('Description'), value: description, isDetail: true as const }]),
    { name: vscode.l10n.t('Key expires'), value: formatExpiry(options) },
    { name: vscode.l10n.t('Limit'), value: formatLimitLabel(options) },
    ...(modelPrivacy === undefined
      ? []
      : [
          {
            name: vscode.l10n.t('Models'),
            value: formatPrivacy(modelPrivacy),
            isDetail: true as const,
          },
        ]),
  ];
}

function createTokenRows({ token, now }: MintReviewInput): ReviewRow[] {
  const expiryTime = new Date(token.expiresAt - token.clockAheadMs).toLocaleTimeString(
    vscode.env.language,
  );
  return [
    {
      name: vscode.l10n.t('To be signed until'),
      value: `${expiryTime} (${formatCountdown(computeRemainingLifetimeMs(token, now))})`,
      isDetail: true,
    },
    ...token.claims.map(({ name, value }) => ({
      name: formatClaimLabel(name),
      value,
      ...(name !== 'iss' && { isDetail: true as const }),
    })),
  ];
}

/** Returns the translated label of a token claim (RFC 7519). */
const formatClaimLabel = (name: string): string => vscode.l10n.t('“{0}” in the text', name);

function createReviewWarnings({ options, replacesActiveKey, token }: MintReviewInput): string[] {
  const { type, expiresAt, consumptionLimit } = options;
  const warnings = [
    type === 'ADMIN' &&
      vscode.l10n.t('An admin key can create and revoke all other keys of the account.'),
    expiresAt === undefined && vscode.l10n.t('The key does not expire.'),
    consumptionLimit === undefined &&
      vscode.l10n.t('The key can spend everything that the account has.'),
    replacesActiveKey &&
      vscode.l10n.t(
        'It replaces the API key in use here, which stays valid at the service until it is revoked.',
      ),
    Math.abs(token.clockAheadMs) >= minReportedSkewMs &&
      vscode.l10n.t(
        'The clocks of this machine and the service differ by {0}. The clock of the service applies.',
        formatCountdown(Math.abs(token.clockAheadMs)),
      ),
  ];
  return warnings.filter((warning) => warning !== false);
}

/** Inputs for minting one key. Settings that change after the wallet is connected do not affect these values. */
export interface PrepareMintOptions extends Pick<MintRequest, 'signer' | 'options' | 'signal'> {
  /** Profile at the time of the request. The key is stored for the profile's base URL. */
  readonly profile: Profile;
  /** Chain that verifies signatures of contract accounts, if one is configured. */
  readonly chain?: Chain | undefined;
}

/**
 * Builds the mint request for the profile's base URL. Changes of the settings after this call do not affect the
 * request.
 * @throws ServiceError `no-address` or `invalid-address` if the profile has no valid base URL
 */
export function prepareMint(
  { account }: Pick<Host, 'account'>,
  { profile, chain, signer, options, signal }: PrepareMintOptions,
): MintRequest {
  const host = getDisplayHost(profile);
  const isInUse = account.profile === profile && account.key.kind === 'usable';
  const replacesActiveKey = options.type === 'INFERENCE' && isInUse;
  const service = createServiceContext(profile, account);
  const { address } = signer;
  return {
    ...{ signer, options, signal, service },
    ...(chain === undefined ? {} : { chainClient: createChainClient(chain) }),
    journal: createMintJournal(account.state, host),
    createReview: (token) =>
      createMintReview({
        host,
        address,
        options,
        replacesActiveKey,
        token,
        now: service.clock.now(),
      }),
  };
}

/**
 * Returns a service context without a key. All requests use the current base URL of the profile, even if the profile
 * changes later, because a token must be sent only to the service that issued it.
 */
function createServiceContext(
  { baseUrl, vendorPrefix }: Profile,
  account: Account,
): ServiceContext {
  const url = parseBaseUrl(baseUrl);
  const connection = account.getConnection(url);
  const endpoint = {
    baseUrl: url,
    connection,
    vendorPrefix: connection.vendorPrefix ?? vendorPrefix,
  };
  return { ...account.service, getEndpoint: async () => endpoint };
}

/**
 * Returns the storage slot for a new key. ADMIN keys have a separate slot, so that they are never
 * sent with chats.
 */
export const toKeySlot = ({ record }: NewKey): KeySlot =>
  record.type === 'ADMIN' ? 'management' : 'profile';

/**
 * Stores a new key for `profile` together with its record.
 * @returns false when secret storage does not retain the key
 */
export async function storeMintedKey(
  account: Account,
  profile: Profile,
  key: NewKey,
): Promise<boolean> {
  const slot = toKeySlot(key);
  try {
    // Requests use the new key from now on, even if a wallet paid for them before. A key that the
    // user enters has the same effect.
    await account.storeKey(profile, key.apiKey, slot === 'profile' ? undefined : slot);
  } catch {
    // The error is dropped, because its text can contain the key.
    return false;
  }
  const { origin } = parseBaseUrl(profile.baseUrl);
  const storedRecord = { ...key.record, last6: getLastSixCharacters(key.apiKey), origin };
  // If this fails, VS Code only lacks the displayed properties of the key.
  await saveStoredKeyInfo(account.state, { profileId: profile.id, slot }, storedRecord).catch(
    () => {},
  );
  return true;
}

/**
 * Shows a key that could not be stored, because the key cannot be shown later. If the user closes the message without
 * copying the key, shows the key once more with a warning.
 */
export async function showUnstoredKey({ apiKey }: NewKey): Promise<void> {
  const copyLabel = vscode.l10n.t('Copy');
  const detail = vscode.l10n.t(
    'The editor’s secret storage did not accept the API key, so it is not saved and cannot be shown again. Copy it now, and set it with “Set API key” once the storage works.\n\n{0}',
    apiKey,
  );
  const question = vscode.l10n.t('The API key was created but could not be saved');
  const warning = vscode.l10n.t('The API key was not copied and is lost when this is closed');
  for (const text of [question, warning]) {
    if ((await confirm({ question: text, detail }, copyLabel)) !== copyLabel) continue;
    await vscode.env.clipboard.writeText(apiKey);
    return;
  }
}
