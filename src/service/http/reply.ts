import * as l10n from '@vscode/l10n';
import { parseJson } from '../../base/json.ts';
import { redact } from '../../base/redact.ts';
import { ServiceError } from './failure.ts';

/**
 * The text of a body, up to `maxBytes` bytes.
 * @throws ServiceError as the body does; `unexpected-response` when it is longer
 */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const text = new TextCollector(maxBytes);
  for await (const bytes of body) {
    if (!text.add(bytes)) throw unexpectedResponse(l10n.t('The reply is larger than expected.'));
  }
  return text.end();
}

/** What can be had of a body that only explains a failure: its first bytes, also when the rest does not come. */
export async function readTextStart(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<string> {
  const text = new TextCollector(maxBytes);
  try {
    for await (const bytes of body) if (!text.add(bytes)) break;
  } catch {
    // The caller has a failure to report already.
  }
  return text.end();
}

/**
 * A body as JSON.
 * @throws ServiceError as the body does; `unexpected-response` when it is not JSON
 */
export async function readJson(
  body: AsyncIterable<Uint8Array>,
  { maxBytes = 64 * 1024 * 1024, secrets }: { maxBytes?: number; secrets: readonly string[] },
): Promise<unknown> {
  const text = await readText(body, maxBytes);
  const json = parseJson(text);
  if (json === undefined) throw notUnderstood(text, secrets);
  return json;
}

/** A reply that is no answer of the service: a sign-in page, half an event. */
export const notUnderstood = (text: string, secrets: readonly string[]): ServiceError =>
  unexpectedResponse(
    l10n.t(
      'The reply is not what the service sends. Check the base address; a sign-in page of the network can also answer in its place.',
    ),
    redact(text, secrets, 200),
  );

export const unexpectedResponse = (message: string, detail?: string): ServiceError =>
  new ServiceError({
    code: 'unexpected-response',
    message,
    ...(detail === undefined || detail === '' ? {} : { detail }),
  });

class TextCollector {
  readonly #decoder = new TextDecoder();
  readonly #parts: string[] = [];
  #leftBytes: number;

  constructor(maxBytes: number) {
    this.#leftBytes = maxBytes;
  }

  /** Whether there was room for all of `bytes`. */
  add(bytes: Uint8Array): boolean {
    this.#parts.push(this.#decoder.decode(bytes.subarray(0, this.#leftBytes), { stream: true }));
    this.#leftBytes -= bytes.length;
    return this.#leftBytes >= 0;
  }

  end(): string {
    return this.#parts.join('') + this.#decoder.decode();
  }
}
