import * as l10n from '@vscode/l10n';
import type { Clock } from '../../base/clock.ts';
import { omitUndefined, parseJson } from '../../base/json.ts';
import { redact } from '../../base/redact.ts';
import type { ResponseInfo } from '../chat/chat-types.ts';
import { ServiceError } from './failure.ts';

/**
 * Reads a body of at most `maxBytes` bytes as text.
 * @throws ServiceError if the body cannot be read; `unexpected-response` if the body is longer
 */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const text = new TextCollector(maxBytes);
  for await (const bytes of body) {
    if (!text.addBytes(bytes))
      throw createUnexpectedResponseError(l10n.t('The reply is larger than expected.'));
  }
  return text.decodeText();
}

/** Reads the first `maxBytes` bytes of an error body as text. If reading fails, returns the text received so far. */
export async function readTextStart(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<string> {
  const text = new TextCollector(maxBytes);
  try {
    for await (const bytes of body) if (!text.addBytes(bytes)) break;
  } catch {
    // The caller already has a failure to report, so an incomplete text is sufficient.
  }
  return text.decodeText();
}

/**
 * Reads and parses a JSON body.
 * @throws ServiceError if the body cannot be read; `unexpected-response` if the body is not JSON
 */
export async function readJson(
  body: AsyncIterable<Uint8Array>,
  { maxBytes = 64 * 1024 * 1024, secrets }: { maxBytes?: number; secrets: readonly string[] },
): Promise<unknown> {
  const text = await readText(body, maxBytes);
  const json = parseJson(text);
  if (json === undefined) throw createUnrecognizedResponseError(text, secrets);
  return json;
}

/**
 * Creates the error for a response that is not from the service or is malformed, such as a sign-in page or a truncated
 * event.
 */
export const createUnrecognizedResponseError = (
  text: string,
  secrets: readonly string[],
): ServiceError =>
  createUnexpectedResponseError(
    l10n.t(
      'The reply is not from the service. Check the base address; a sign-in page of the network can also answer in its place.',
    ),
    redact(text, secrets, 200),
  );

export const createUnexpectedResponseError = (message: string, detail?: string): ServiceError =>
  new ServiceError({
    code: 'unexpected-response',
    message,
    ...(detail === undefined || detail === '' ? {} : { detail }),
  });

class TextCollector {
  readonly #decoder = new TextDecoder();
  readonly #texts: string[] = [];
  #remainingBytes: number;

  constructor(maxBytes: number) {
    this.#remainingBytes = maxBytes;
  }

  /** Adds bytes. Returns false if the total exceeds the limit. */
  addBytes(bytes: Uint8Array): boolean {
    this.#texts.push(
      this.#decoder.decode(bytes.subarray(0, this.#remainingBytes), { stream: true }),
    );
    this.#remainingBytes -= bytes.length;
    return this.#remainingBytes >= 0;
  }

  decodeText(): string {
    return this.#texts.join('') + this.#decoder.decode();
  }
}

type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * Reads information about the request and the account from the response headers. Names with the vendor prefix
 * (`x-PREFIX-version`) take precedence over names with `service` (`x-service-version`).
 */
export function readResponseInfo(headers: ResponseHeaders, vendorPrefix: string): ResponseInfo {
  const readVendorValue = (name: string): string | undefined =>
    readVendorHeader(headers, vendorPrefix, name);
  return omitUndefined({
    requestId: readRequestId(headers)?.slice(0, 128),
    serviceVersion: readVendorValue('version'),
    // `x-balance-remaining` is the balance of a wallet after the request. `balance-usd` is the balance of an account
    // before the request.
    balanceUsd: parseNumber(headers['x-balance-remaining'] ?? readVendorValue('balance-usd')),
    balanceDiem: parseNumber(readVendorValue('balance-diem')),
  });
}

/**
 * Returns the value of a header with the vendor prefix, else with the prefix `service`; `undefined` if both are
 * missing.
 * @param name Header name after the prefix, such as `version` for `x-service-version`.
 */
export const readVendorHeader = (
  headers: ResponseHeaders,
  vendorPrefix: string,
  name: string,
): string | undefined =>
  headers[`x-${vendorPrefix.toLowerCase()}-${name}`] ?? headers[`x-service-${name}`];

/** Returns the request id of the service, to quote in support requests. */
export const readRequestId = (headers: ResponseHeaders): string | undefined =>
  headers['cf-ray'] ?? headers['x-request-id'];

function parseNumber(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Minimum download progress: 64 KB within 120 seconds, or the end of the body. */
const minProgress = { bytes: 64 * 1024, ms: 120_000 };

/**
 * Forwards a body. Calls `onStall`, which must end the body, if the download falls below the minimum progress. Time
 * between two reads by the caller does not count.
 */
export async function* withStallTimeout(
  body: AsyncIterable<Uint8Array>,
  { clock, onStall }: { clock: Clock; onStall: () => void },
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  let remainingProgress = minProgress;
  try {
    for (;;) {
      const start = clock.now();
      const stopWaiting = clock.after(remainingProgress.ms, onStall);
      const next = await iterator.next().finally(stopWaiting);
      if (next.done === true) return;
      const bytes = remainingProgress.bytes - next.value.length;
      remainingProgress =
        bytes > 0 ? { bytes, ms: remainingProgress.ms - (clock.now() - start) } : minProgress;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
