import { parseJson } from '../base/json.ts';

/** Longer header values are the answer to nothing. */
const longestHeader = 64 * 1024;

/** JSON as x402 puts it into headers: UTF-8 in base64 of the standard alphabet. */
export const encodeHeaderJson = (value: object): string =>
  btoa(String.fromCodePoint(...new TextEncoder().encode(JSON.stringify(value))));

/** `undefined` for what is not base64 of JSON. */
export function decodeHeaderJson(text: string | undefined): unknown {
  if (text === undefined || text.length > longestHeader) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
