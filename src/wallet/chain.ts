import * as l10n from '@vscode/l10n';
import { getAddress, isAddress } from 'viem';
import { isRecord, type JsonRecord } from '../base/json.ts';
import { hasHiddenCharacters } from '../base/visible-text.ts';
import { isLoopback } from '../service/http/endpoint.ts';
import { WalletError } from './wallet-failure.ts';

/** Bytes or a number in hexadecimal, with the prefix `0x`. */
export type Hex = `0x${string}`;

/** Address of an account or a contract: 20 bytes in hexadecimal, with the capitalization of the EIP-55 checksum. */
export type Address = Hex;

/** Transaction hash, 32 bytes in hexadecimal. */
export type Hash = Hex;

/** Chain for staking, balances and top-ups, as configured in the user's settings. */
export interface Chain {
  /** Chain id (EIP-155). */
  readonly id: number;
  /** Name of the chain, shown to the user. */
  readonly name: string;
  /** JSON-RPC endpoint: `https:`, or `http:` on loopback. Never taken from the service or a workspace. */
  readonly rpcUrl: string;
  readonly currency: Currency;
  /** URL of the block explorer, without a trailing slash; absent when none is configured. */
  readonly explorerUrl?: string;
  /** Address of the ERC-20 token that users stake; present if and only if `staking` is present. */
  readonly token?: Address;
  /**
   * Address of the staking contract. Its `balanceOf` returns the staked balance that minting
   * requires.
   */
  readonly staking?: Address;
  /** Address of the token for top-ups, which must support EIP-3009 like USDC; absent if none is configured. */
  readonly usdc?: Address;
  /** Required confirmations, counting the transaction's own block; at least 1. */
  readonly confirmations: number;
}

/** Chain for which the user has configured a token and a staking contract. */
export type StakingChain = Chain & Required<Pick<Chain, 'token' | 'staking'>>;

/** Currency that pays transaction fees. */
export interface Currency {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** Returns the CAIP-2 id of the chain. */
export const toCaip2Network = ({ id }: Pick<Chain, 'id'>): `eip155:${number}` => `eip155:${id}`;

/**
 * Parses the chain setting. Requires `chainId` and `rpcUrl`, and `token` and `stakingContract` together or not at all;
 * defaults to Ether and two confirmations.
 * @param setting Full name of the setting, for messages.
 * @throws WalletError `no-chain`, naming the missing or invalid setting but never its value
 */
export function parseChainSettings(value: unknown, setting: string): Chain {
  if (!isRecord(value) || Object.keys(value).length === 0) throw createMissingSettingError(setting);
  const reader = new FieldReader(value, setting);
  const id = reader.readInteger('chainId', idRange);
  const explorerUrl = reader.readUrl('explorerUrl', { isOptional: true });
  const contracts = {
    ...(reader.hasField('token') || reader.hasField('stakingContract')
      ? { token: reader.readAddress('token'), staking: reader.readAddress('stakingContract') }
      : {}),
    ...(reader.hasField('usdc') ? { usdc: reader.readAddress('usdc') } : {}),
  };
  const chain: Chain = {
    id,
    name: reader.readText('name', { maxLength: 60, fallback: `Chain ${id}` }),
    rpcUrl: reader.readUrl('rpcUrl') ?? '',
    currency: readCurrency(reader),
    ...(explorerUrl === undefined ? {} : { explorerUrl: explorerUrl.replace(/\/+$/, '') }),
    ...contracts,
    confirmations: reader.readInteger('confirmations', { min: 1, max: 1_000, fallback: 2 }),
  };
  const addresses = Object.values(contracts);
  if (new Set(addresses).size < addresses.length) {
    throw createUnusableSettingError(
      setting,
      l10n.t('the addresses of the contracts must differ from each other'),
    );
  }
  return chain;
}

/**
 * Checks the stored fields of a chain setting before a form adds the missing fields.
 * @throws WalletError `no-chain`, naming the first invalid field but never its value
 */
export function checkChainFields(
  value: unknown,
  { setting, fields }: { readonly setting: string; readonly fields: readonly string[] },
): void {
  const reader = new FieldReader(isRecord(value) ? value : {}, setting);
  for (const field of fields) {
    if (field === 'chainId') reader.readInteger(field, idRange);
    else if (field === 'rpcUrl') reader.readUrl(field);
    else reader.readAddress(field);
  }
}

function readCurrency(reader: FieldReader): Currency {
  const currencyReader = reader.readRecord('currency');
  return {
    name: currencyReader.readText('name', { maxLength: 40, fallback: 'Ether' }),
    symbol: currencyReader.readText('symbol', { maxLength: 12, fallback: 'ETH' }),
    decimals: currencyReader.readInteger('decimals', { min: 0, max: 36, fallback: 18 }),
  };
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly fallback?: number;
}

const idRange: NumberRange = { min: 1, max: 4_503_599_627_370_476 };

/** Reads the fields of a settings object. Treats an empty string as an absent field. */
class FieldReader {
  readonly #fields: JsonRecord;
  readonly #setting: string;

  constructor(fields: JsonRecord, setting: string) {
    this.#fields = fields;
    this.#setting = setting;
  }

  hasField(name: string): boolean {
    const value = this.#fields[name];
    return Object.hasOwn(this.#fields, name) && value !== undefined && value !== '';
  }

  readRecord(name: string): FieldReader {
    const value = this.hasField(name) ? this.#fields[name] : {};
    if (!isRecord(value))
      throw this.#createUnusableError(name, l10n.t('its type or length is wrong'));
    return new FieldReader(value, `${this.#setting}.${name}`);
  }

  readInteger(name: string, { min, max, fallback }: NumberRange): number {
    if (!this.hasField(name) && fallback !== undefined) return fallback;
    const value = this.#readRequiredField(name);
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    throw this.#createUnusableError(
      name,
      l10n.t('it must be a whole number from {0} to {1}', min, max),
    );
  }

  readText(name: string, { maxLength, fallback }: { maxLength: number; fallback: string }): string {
    if (!this.hasField(name)) return fallback;
    const value = this.#fields[name];
    if (typeof value === 'string' && value.length <= maxLength && !hasHiddenCharacters(value)) {
      return value;
    }
    throw this.#createUnusableError(name, l10n.t('its type or length is wrong'));
  }

  /**
   * Returns the address with its checksum. Requires a correct EIP-55 checksum, unless all letters
   * are lowercase.
   */
  readAddress(name: string): Address {
    const value = this.#readRequiredField(name);
    const reason = findAddressProblem(value);
    if (reason !== undefined) throw this.#createUnusableError(name, reason);
    return getAddress(String(value));
  }

  readUrl(name: string, { isOptional = false } = {}): string | undefined {
    if (isOptional && !this.hasField(name)) return undefined;
    const value = this.#readRequiredField(name);
    const reason =
      typeof value === 'string' ? findUrlProblem(value) : l10n.t('its type or length is wrong');
    if (reason !== undefined) throw this.#createUnusableError(name, reason);
    return String(value);
  }

  #readRequiredField(name: string): unknown {
    if (!this.hasField(name)) throw createMissingSettingError(`${this.#setting}.${name}`);
    return this.#fields[name];
  }

  #createUnusableError(name: string, reason: string): WalletError {
    return createUnusableSettingError(`${this.#setting}.${name}`, reason);
  }
}

/** Returns a message about a value that is not a valid contract address; `undefined` if the address is valid. */
export function findAddressProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^0x(?!0{40}$)[\da-fA-F]{40}$/.test(value))
    return l10n.t('it must be an address: 0x and 40 hexadecimal digits');
  return isAddress(value) ? undefined : l10n.t('its checksum is wrong, so it may be mistyped');
}

/** Returns a message about a text that is not a valid RPC URL; `undefined` if the URL is valid. */
export function findUrlProblem(text: string): string | undefined {
  const isPlain = text.length <= 2_048 && !/[^\x21-\x7e]|\\/.test(text);
  const url = isPlain ? URL.parse(text) : null;
  const isSecure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === null || !isSecure) {
    return l10n.t(
      'it must be a complete address that starts with https://, or http:// on this machine',
    );
  }
  const { username, password, hash } = url;
  const hasOnlyAddress = username === '' && password === '' && hash === '';
  return hasOnlyAddress
    ? undefined
    : l10n.t('it must not contain a user name, a password or a fragment (#)');
}

const createMissingSettingError = (setting: string): WalletError =>
  new WalletError('no-chain', l10n.t('The setting {0} is missing.', setting));

const createUnusableSettingError = (setting: string, reason: string): WalletError =>
  new WalletError('no-chain', l10n.t('The setting {0} cannot be used: {1}.', setting, reason));
