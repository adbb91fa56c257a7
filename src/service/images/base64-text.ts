import * as l10n from '@vscode/l10n';
import { Base64Stream } from './base64-stream.ts';
import { unexpectedResponse } from '../http/reply.ts';

/** Enough to tell an address from base64. */
const headLength = 8;
/** A data URL says its type in less. */
const longestPrefix = 256;

/**
 * A picture that comes as text in pieces, base64 or a base64 data URL, as bytes. An address on the network is refused:
 * nothing but the service's own reply is a picture of it.
 */
export class PictureText {
  readonly #base64 = new Base64Stream();
  readonly #maxBytes: number;
  /** What came until it is known where the base64 begins. */
  #head: Buffer | undefined = Buffer.alloc(0);
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The bytes that `text` completes; may be none.
   * @throws ServiceError `unexpected-response`
   */
  feed(text: Buffer): Buffer {
    if (this.#head === undefined) return this.#measured(this.#base64.feed(text));
    const head = Buffer.concat([this.#head, text]);
    const start = base64Start(head);
    this.#head = start === undefined ? head : undefined;
    return start === undefined
      ? Buffer.alloc(0)
      : this.#measured(this.#base64.feed(head.subarray(start)));
  }

  /**
   * The last bytes.
   * @throws ServiceError `unexpected-response`
   */
  end(): Buffer {
    const rest = this.#head ?? Buffer.alloc(0);
    if (/^data:/i.test(rest.toString('latin1'))) throw noBase64();
    return this.#measured(Buffer.concat([this.#base64.feed(rest), this.#base64.end()]));
  }

  #measured(bytes: Buffer): Buffer {
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) {
      throw unexpectedResponse(l10n.t('The picture in the reply is larger than expected.'));
    }
    return bytes;
  }
}

/** Where the base64 begins; `undefined` while more must come to know it. */
function base64Start(head: Buffer): number | undefined {
  if (head.length < headLength) return undefined;
  const start = head.toString('latin1', 0, longestPrefix);
  if (/^https?:/i.test(start)) throw isAddress();
  if (!/^data:/i.test(start)) return 0;
  const comma = start.indexOf(',');
  if (comma < 0 && head.length < longestPrefix) return undefined;
  if (!/;base64$/i.test(start.slice(0, Math.max(0, comma)))) throw noBase64();
  return comma + 1;
}

const isAddress = () =>
  unexpectedResponse(
    l10n.t(
      'The service answered with the address of a picture instead of the picture. Addresses are not followed. Choose another model.',
    ),
  );

const noBase64 = () =>
  unexpectedResponse(
    l10n.t('The picture in the reply is in a form that is not understood. Retry.'),
  );
