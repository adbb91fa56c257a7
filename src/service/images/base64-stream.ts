import * as l10n from '@vscode/l10n';
import { unexpectedResponse } from '../http/reply.ts';

/**
 * Base64 that comes in pieces of any length, decoded as they come. Takes both alphabets, white space, and an end
 * without padding. Anything else, and what follows the padding, is refused.
 */
export class Base64Stream {
  /** Up to three characters that are no group yet. */
  #held = '';
  #padding = 0;

  /**
   * The bytes that `text`, read as Latin-1, completes; may be none.
   * @throws ServiceError `unexpected-response`
   */
  feed(text: Buffer): Buffer {
    if (this.#padding > 0) return this.#feedCarefully(text.toString('latin1'));
    const length = this.#held.length + text.length;
    const taken = length < 4 ? 0 : length - (length % 4) - this.#held.length;
    const groups = taken === 0 ? '' : this.#held + text.toString('latin1', 0, taken);
    const bytes = Buffer.from(groups, 'base64');
    // The decoder leaves out what it does not know: a full measure means that it knew everything.
    if (bytes.length * 4 !== groups.length * 3) {
      return this.#feedCarefully(text.toString('latin1'));
    }
    this.#held =
      taken === 0 ? this.#held + text.toString('latin1') : text.toString('latin1', taken);
    return bytes;
  }

  /**
   * The last bytes.
   * @throws ServiceError `unexpected-response`
   */
  end(): Buffer {
    const bytes = this.#feedCarefully('');
    // Six bits are no byte.
    if (this.#held.length === 1) throw damaged();
    return Buffer.concat([bytes, Buffer.from(this.#held, 'base64')]);
  }

  #feedCarefully(text: string): Buffer {
    const parts = /^([\w+/-]*)(=*)$/.exec(
      (this.#held + '='.repeat(this.#padding) + text).replaceAll(/[\t\n\r ]+/g, ''),
    );
    const [, data = '', padding = ''] = parts ?? [];
    if (parts === null || padding.length > 2) throw damaged();
    const whole = data.length - (data.length % 4);
    this.#held = data.slice(whole);
    this.#padding = padding.length;
    return Buffer.from(data.slice(0, whole), 'base64');
  }
}

const damaged = () =>
  unexpectedResponse(l10n.t('The picture in the reply is damaged: it is no base64. Retry.'));
