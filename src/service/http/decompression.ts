import { pipeline } from 'node:stream';
import * as zlib from 'node:zlib';
import { bodyFailure } from './network-failure.ts';

const decoders = new Map<string, () => zlib.Gunzip | zlib.BrotliDecompress>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['br', () => zlib.createBrotliDecompress()],
]);

/** The body without its `Content-Encoding`; one that ends early fails as `interrupted`. */
export function decompressed(
  body: AsyncIterable<Uint8Array>,
  encoding = 'identity',
): AsyncIterable<Uint8Array> {
  const createDecoder = decoders.get(encoding.trim().toLowerCase());
  return createDecoder === undefined ? body : decode(body, createDecoder());
}

async function* decode(
  body: AsyncIterable<Uint8Array>,
  decoder: zlib.Gunzip | zlib.BrotliDecompress,
): AsyncGenerator<Uint8Array> {
  // The error reaches the reader through the decoder.
  pipeline(body, decoder, () => {});
  try {
    for await (const bytes of decoder) yield bytes;
  } catch (error) {
    throw bodyFailure(error);
  }
}
