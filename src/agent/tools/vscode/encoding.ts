import * as vscode from 'vscode';

/** Bytes of a file as text, and back. */
export interface EncodedText {
  /** With its own line endings; without a byte order mark. */
  readonly text: string;
  /** Another text in the same encoding, with the same byte order mark or none. */
  encode(text: string): Promise<Uint8Array>;
}

/**
 * Reads bytes in the encoding that an editor uses for them.
 * @returns undefined when writing the text would not give the same bytes: some of them are lost in it.
 */
export async function losslessText(
  bytes: Uint8Array,
  encoding: string,
): Promise<EncodedText | undefined> {
  if (encoding === 'utf8' || encoding === 'utf8bom') return utf8Text(bytes);
  const decoded = await vscode.workspace.decode(bytes, { encoding });
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
  const encode = async (other: string): Promise<Uint8Array> =>
    vscode.workspace.encode(other, { encoding });
  return sameBytes(await encode(text), bytes) ? { text, encode } : undefined;
}

/** Here, not in the editor's own process: the usual case, and files can be large. */
function utf8Text(bytes: Uint8Array): EncodedText | undefined {
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? '\uFEFF' : '';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, encode: async (other) => new TextEncoder().encode(mark + other) };
  } catch {
    return undefined;
  }
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
