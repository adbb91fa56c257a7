/**
 * Mints an API key without VS Code, for agents and CI. Environment variables contain the paths of the wallet's keystore
 * or private key file. Applies the same checks as the extension. `--help` shows the options.
 */
import { randomInt } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { stripEscapeSequences, toSingleLine } from '../base/hidden-characters.ts';
import { omitUndefined } from '../base/json.ts';
import { redact, redactionMark } from '../base/redact.ts';
import { CircuitBreakers } from '../service/http/circuit-breaker.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { Connection } from '../service/http/connection.ts';
import { findInvalidProxyVariable } from '../service/http/connector.ts';
import { createDirectTransport } from '../service/http/direct-transport.ts';
import { findBaseUrlFailure, isLoopback, parseBaseUrl } from '../service/http/endpoint.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import type { KeyOptionPath, KeyOptions, KeyRecord, NewKey } from '../service/key-record.ts';
import { MintError, type MintProblem, findRefusedOption } from '../service/web3-key.ts';
import { mintKey } from '../wallet/mint/mint.ts';
import {
  type OptionProblem,
  parseMintOptions,
  getRecommendedOptions,
} from '../wallet/mint/mint-options.ts';
import { openEnvironmentAccount } from '../wallet/mint/vscode/environment-account.ts';
import { WalletError } from '../wallet/wallet-failure.ts';

const usage = `Usage: node mint.js --url URL (--out FILE | --print) [options]

Mints an API key with a wallet that has a stake.

  --url URL            Base URL of the service, such as https://service.example/api/v1
  --out FILE           Write the key to a new file that only you can read
  --print              Write the key to the standard output instead
  --type TYPE          INFERENCE (default) or ADMIN
  --description TEXT   Name of the key, at most 64 characters
  --expires DATE       2027-12-31, or never. Default: in 90 days
  --limit-usd AMOUNT   Spending limit in US dollars. Default: 10
  --limit-diem AMOUNT  Spending limit in DIEM
  --limit-vcu AMOUNT   Spending limit in VCU, the former name of DIEM
  --no-limit           No spending limit
  --period PERIOD      EPOCH, MONTH (default), LIFETIME, or none for services without periods
  --privacy MODELS     ALL, PRIVATE_TEXT or PRIVATE_ONLY

The wallet is read from files that these variables name:
  INFERENCE_SERVICE_KEYSTORE and INFERENCE_SERVICE_KEYSTORE_PASSWORD_FILE, or
  INFERENCE_SERVICE_PRIVATE_KEY_FILE

Connects through the proxy that HTTPS_PROXY names, except to the hosts in NO_PROXY.
Exit codes: 0 for a new key, 1 if no key was minted or written, 2 for a wrong option.
Needs Node 22.19 or newer.
`;

/** Error in the command-line arguments. */
class UsageError extends Error {}

/** Error for a key that was minted but could not be written. */
class UnwrittenKeyError extends Error {}

interface MintArguments {
  readonly baseUrl: URL;
  readonly options: KeyOptions;
  /** Path of the new file for the minted key; absent to print the key. */
  readonly outputPath?: string;
}

/**
 * Parses the command-line arguments. Returns `help` if the user requests the usage text.
 * @throws UsageError for an invalid or missing argument
 */
function readArguments(args: readonly string[], now: number): MintArguments | 'help' {
  const textOption = { type: 'string' } as const;
  const flagOption = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{
        url: textOption,
        out: textOption,
        print: flagOption,
        help: flagOption,
        type: textOption,
        description: textOption,
      },
      ...{
        expires: textOption,
        'limit-usd': textOption,
        'limit-diem': textOption,
        'limit-vcu': textOption,
      },
      ...{ 'no-limit': flagOption, period: textOption, privacy: textOption },
    },
  });
  if (values.help === true) return 'help';
  if (values.url === undefined) throw new UsageError('--url is missing.');
  if ((values.out === undefined) === (values.print !== true))
    throw new UsageError('Use either --out or --print.');
  return omitUndefined({
    baseUrl: readBaseUrl(values.url),
    options: readOptions(values, now),
    outputPath: values.out,
  });
}

/**
 * Parses the base URL.
 * @throws UsageError if the URL is invalid, or is an `http:` URL of another machine
 */
function readBaseUrl(text: string): URL {
  const failure = findBaseUrlFailure(text);
  if (failure !== undefined) throw new UsageError(`--url: ${failure.message}`);
  const url = parseBaseUrl(text);
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return url;
  throw new UsageError('--url must start with https://, except on this machine.');
}

function readOptions(values: Readonly<Record<string, unknown>>, now: number): KeyOptions {
  const limitOptions = ['limit-usd', 'limit-diem', 'limit-vcu', 'period'];
  if (values['no-limit'] === true && limitOptions.some((name) => values[name] !== undefined))
    throw new UsageError(
      'Use --no-limit without --limit-usd, --limit-diem, --limit-vcu, --period.',
    );
  const recommendedOptions = getRecommendedOptions(now, 'Command line');
  const limit = omitUndefined({
    usd: readAmount('limit-usd', values),
    diem: readAmount('limit-diem', values),
    vcu: readAmount('limit-vcu', values),
  });
  const chosenLimit = Object.keys(limit).length === 0 ? recommendedOptions.consumptionLimit : limit;
  const hasLimit = values['no-limit'] !== true;
  const { type, description, expires, period = recommendedOptions.limitPeriod, privacy } = values;
  const parsedOptions = parseMintOptions(
    omitUndefined({
      type: type ?? recommendedOptions.type,
      description: description === '' ? undefined : (description ?? recommendedOptions.description),
      expiresAt: expires === 'never' ? null : (expires ?? recommendedOptions.expiresAt),
      consumptionLimit: hasLimit ? chosenLimit : undefined,
      limitPeriod: hasLimit && period !== 'none' ? period : undefined,
      modelPrivacy: privacy,
    }),
    now,
  );
  if (parsedOptions.ok) return parsedOptions.options;
  throw new UsageError(optionTexts[parsedOptions.problem]);
}

const optionTexts: Readonly<Record<OptionProblem, string>> = {
  'unknown-field': 'An option is unknown.',
  type: '--type is INFERENCE or ADMIN.',
  description: '--description has at most 64 characters on one line.',
  'expiry-format': '--expires is a date such as 2027-12-31, or never.',
  'expiry-past': 'The date of --expires has passed.',
  limit: '--limit-usd, --limit-diem and --limit-vcu are at most 9999999999.',
  period: '--period is EPOCH, MONTH, LIFETIME or none.',
  privacy: '--privacy is ALL, PRIVATE_TEXT or PRIVATE_ONLY.',
};

/**
 * Parses the amount of a command-line option. Returns `undefined` if the option is missing.
 * @throws UsageError unless the amount is a number above 0
 */
function readAmount(name: string, values: Readonly<Record<string, unknown>>): number | undefined {
  const { [name]: text } = values;
  if (typeof text !== 'string') return undefined;
  if (/^\d{1,10}(?:\.\d{1,18})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`--${name} needs an amount above 0, such as 10 or 2.50.`);
}

/**
 * Destination of the minted key: a file or the standard output. Created before the key is minted, so that a failure
 * to create the file does not lose a key.
 */
interface KeyOutput {
  write(key: NewKey): Promise<void>;
  /** Removes the created file if it contains no complete key. Never throws. */
  discard(): Promise<void>;
}

const printedOutput: KeyOutput = {
  write: ({ apiKey }) =>
    new Promise((resolve, reject) => {
      process.stdout.write(`${apiKey}\n`, (error) => (error ? reject(error) : resolve()));
    }),
  discard: () => Promise.resolve(),
};

/**
 * Creates a file that only the user can read.
 * @throws UsageError if the file cannot be created, or if the path exists, even as a symbolic link to a missing file
 */
async function createKeyFile(path: string): Promise<KeyOutput> {
  const file = await open(path, 'wx', 0o600).catch(() => {
    throw new UsageError(`${path} exists already, or cannot be created.`);
  });
  let isWritten = false;
  return {
    write: async ({ apiKey }) => {
      await file.writeFile(`${apiKey}\n`);
      await file.sync();
      await file.close();
      isWritten = true;
    },
    discard: async () => {
      if (isWritten) return;
      await file.close().catch(() => {});
      await unlink(path).catch(() => {});
    },
  };
}

async function mintKeyToOutput({ baseUrl, options, outputPath }: MintArguments): Promise<NewKey> {
  const proxyVariable = findInvalidProxyVariable(baseUrl, { environment: process.env });
  if (proxyVariable !== undefined)
    throw new UsageError(
      `${proxyVariable} is no http:// or https:// URL. Encode special characters of its password.`,
    );
  const signer = await openEnvironmentAccount({ environment: process.env });
  const transport = createDirectTransport({ environment: process.env });
  const endpoint = { baseUrl, vendorPrefix: 'service', connection: new Connection() };
  const service: ServiceContext = {
    getEndpoint: async () => endpoint,
    getTransport: async () => transport,
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: () => randomInt(2 ** 32) / 2 ** 32,
  };
  const output = outputPath === undefined ? printedOutput : await createKeyFile(outputPath);
  try {
    return await mintKey({
      ...{ signer, options, service, signal: AbortSignal.timeout(mintTimeoutMs) },
      // A process that ends early has no later run that could report a lost key.
      journal: { storeEntry: () => Promise.resolve(), removeEntry: () => Promise.resolve() },
      createReview: () => ({ purpose: '', rows: [], warnings: [] }),
      storeKey: (key) =>
        output.write(key).catch(() => {
          throw new UnwrittenKeyError(unwrittenKeyText);
        }),
    });
  } catch (error) {
    await output.discard();
    throw error;
  } finally {
    await transport.close();
  }
}

const mintTimeoutMs = 180_000;

const unwrittenKeyText =
  'A key was created but could not be written. Revoke it in the list of keys.';

const problemTexts: Readonly<Partial<Record<MintProblem, string>>> = {
  'invalid-address': 'The service rejects the address of the wallet.',
  'wrong-signature': 'The service rejects the signature of the wallet.',
  'signature-unverified': 'The service could not verify the signature. Try again later.',
  'no-stake': 'The wallet has nothing staked. Stake first, then try again.',
  'invalid-options':
    'The service rejects an option of the key. Check --description, --expires, the limits and --privacy.',
  'not-offered': 'The service mints no keys at this URL.',
  'maybe-minted':
    'The reply was lost, so that an unused key may exist. Revoke it in the list of keys.',
};

const optionHints: Readonly<Record<KeyOptionPath, string>> = {
  description: 'Use --description "".',
  expiresAt: 'Use --expires never: the key then never expires.',
  consumptionLimit: 'Use --no-limit: the key may then spend any amount.',
  'consumptionLimit.usd': 'Use --limit-diem or --no-limit.',
  'consumptionLimit.diem': 'Leave out --limit-diem.',
  'consumptionLimit.vcu': 'Leave out --limit-vcu.',
  limitPeriod: 'Use --period none: the limit then applies to everything that the key ever spends.',
  modelPrivacy: 'Leave out --privacy.',
};

/** Describes a failure for the user. The text contains no secret. */
function describeFailure(error: unknown): string {
  if (error instanceof MintError) {
    const option = findRefusedOption(error);
    if (option === undefined)
      return problemTexts[error.problem] ?? formatServiceFailure(error.failure);
    return `${error.failure.message} ${optionHints[option]}`;
  }
  if (error instanceof WalletError) return error.failure.detail;
  if (error instanceof ServiceError) return formatServiceFailure(error.failure);
  if (error instanceof UsageError || error instanceof UnwrittenKeyError) return error.message;
  return isArgumentError(error)
    ? describeArgumentError(error)
    : 'The key could not be minted or written.';
}

/**
 * Returns the message of a service failure. Replaces messages about proxies, because the original messages name
 * settings of VS Code.
 */
function formatServiceFailure({ code, status, message }: ServiceFailure): string {
  if (code !== 'proxy') return message;
  return status === 407
    ? 'The proxy asks for credentials. Add the user name and password to HTTPS_PROXY.'
    : 'The proxy cannot be reached, or refused the connection. Check HTTPS_PROXY and NO_PROXY.';
}

/** Describes an error of `parseArgs` without the faulty argument, because the argument can be a private key. */
function describeArgumentError({ message }: Error): string {
  const option = /^Unknown option '(--?[a-z][a-z-]{0,19})'/u.exec(message)?.[1];
  const problem =
    option === undefined
      ? 'An argument is no option of this program, or an option has no value.'
      : `The option ${option} is unknown.`;
  return `${problem} Use --help to see the options.`;
}

/** Writes a line to the standard error output, without private keys and terminal control characters. */
function writeErrorLine(text: string): void {
  const line = toSingleLine(stripEscapeSequences(text));
  process.stderr.write(`${redact(line).replaceAll(bareKeyPattern, redactionMark)}\n`);
}

/** Matches 64 or more hexadecimal digits in a text, because they can be a private key without `0x`. */
const bareKeyPattern = /[0-9a-f]{64,}/giu;

const isArgumentError = (error: unknown): error is Error =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');

/**
 * Describes a minted key: `INFERENCE. Limit: 10 USD, period MONTH. Expires: 2027-02-21.` Marks properties as
 * requested if the service's reply does not contain them.
 */
function describeKey(options: KeyOptions, record: KeyRecord): string {
  const { consumptionLimit, limitPeriod, expiresAt } = record;
  const amounts = Object.entries(consumptionLimit ?? options.consumptionLimit ?? {}).map(
    ([unit, amount]) => `${amount} ${unit.toUpperCase()}`,
  );
  const period = limitPeriod ?? options.limitPeriod;
  const isPeriodRequested = limitPeriod === undefined && consumptionLimit !== undefined;
  const periodName = isPeriodRequested ? 'requested period' : 'period';
  const limit =
    amounts.length === 0
      ? 'none'
      : `${amounts.join(' and ')}${period === undefined ? '' : `, ${periodName} ${period}`}`;
  const limitName = consumptionLimit === undefined ? 'Requested limit' : 'Limit';
  const expiryName = expiresAt === undefined ? 'Requested expiry' : 'Expires';
  const expiry = expiresAt ?? options.expiresAt ?? 'never';
  return `${record.type}. ${limitName}: ${limit}. ${expiryName}: ${expiry}.`;
}

/** Checks whether the version of Node.js is at least 22.19, which the HTTP client needs. */
function isSupportedNodeVersion(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 19);
}

async function runCommandLine(args: readonly string[]): Promise<number> {
  const { node } = process.versions;
  if (!isSupportedNodeVersion(node)) {
    process.stderr.write(`Needs Node 22.19 or newer, not ${node}.\n`);
    return 2;
  }
  try {
    const parsedArguments = readArguments(args, systemClock.now());
    if (parsedArguments === 'help') {
      process.stdout.write(usage);
      return 0;
    }
    const { record } = await mintKeyToOutput(parsedArguments);
    const target =
      parsedArguments.outputPath === undefined ? '' : ` It is in ${parsedArguments.outputPath}.`;
    const key = describeKey(parsedArguments.options, record);
    writeErrorLine(`Minted a key of type ${key}${target}`);
    return 0;
  } catch (error) {
    writeErrorLine(describeFailure(error));
    return error instanceof UsageError || isArgumentError(error) ? 2 : 1;
  }
}

// A closed pipe also rejects the write of the key. Without a listener, it would end the process.
process.stdout.on('error', () => {});
process.exitCode = await runCommandLine(process.argv.slice(2));
