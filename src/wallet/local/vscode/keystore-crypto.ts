import { createDecipheriv, pbkdf2, scrypt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { KeystoreCrypto, ScryptParameters } from '../keystore.ts';

const derivePbkdf2 = promisify(pbkdf2);

/** Keystore cryptography based on Node.js. Scrypt runs off the main thread, unless Node.js rejects its parameters. */
export const nodeKeystoreCrypto: KeystoreCrypto = {
  scrypt: deriveScrypt,
  pbkdf2: (password, { salt, iterations, length }) =>
    derivePbkdf2(password, salt, iterations, length, 'sha256'),
  async decrypt(data, { key, iv }) {
    const decipher = createDecipheriv('aes-128-ctr', key, iv);
    const plaintext = decipher.update(data);
    // The buffer is copied, because small buffers of Node share one memory pool.
    const plaintextCopy = Uint8Array.from(plaintext);
    plaintext.fill(0);
    return plaintextCopy;
  },
};

/**
 * Applies Salsa20/8 to 16 words in place (RFC 7914 §3). Each word has a separate variable, because
 * an array takes several times as long.
 */
export function applySalsa(words: Int32Array): void {
  let a = words[0]!;
  let b = words[1]!;
  let c = words[2]!;
  let d = words[3]!;
  let e = words[4]!;
  let f = words[5]!;
  let g = words[6]!;
  let h = words[7]!;
  let i = words[8]!;
  let j = words[9]!;
  let k = words[10]!;
  let l = words[11]!;
  let m = words[12]!;
  let n = words[13]!;
  let o = words[14]!;
  let p = words[15]!;
  for (let round = 0; round < 4; round++) {
    // Column rounds.
    e ^= rotateLeft(a + m, 7);
    i ^= rotateLeft(e + a, 9);
    m ^= rotateLeft(i + e, 13);
    a ^= rotateLeft(m + i, 18);
    j ^= rotateLeft(f + b, 7);
    n ^= rotateLeft(j + f, 9);
    b ^= rotateLeft(n + j, 13);
    f ^= rotateLeft(b + n, 18);
    o ^= rotateLeft(k + g, 7);
    c ^= rotateLeft(o + k, 9);
    g ^= rotateLeft(c + o, 13);
    k ^= rotateLeft(g + c, 18);
    d ^= rotateLeft(p + l, 7);
    h ^= rotateLeft(d + p, 9);
    l ^= rotateLeft(h + d, 13);
    p ^= rotateLeft(l + h, 18);
    // Row rounds.
    b ^= rotateLeft(a + d, 7);
    c ^= rotateLeft(b + a, 9);
    d ^= rotateLeft(c + b, 13);
    a ^= rotateLeft(d + c, 18);
    g ^= rotateLeft(f + e, 7);
    h ^= rotateLeft(g + f, 9);
    e ^= rotateLeft(h + g, 13);
    f ^= rotateLeft(e + h, 18);
    l ^= rotateLeft(k + j, 7);
    i ^= rotateLeft(l + k, 9);
    j ^= rotateLeft(i + l, 13);
    k ^= rotateLeft(j + i, 18);
    m ^= rotateLeft(p + o, 7);
    n ^= rotateLeft(m + p, 9);
    o ^= rotateLeft(n + m, 13);
    p ^= rotateLeft(o + n, 18);
  }
  words[0]! += a;
  words[1]! += b;
  words[2]! += c;
  words[3]! += d;
  words[4]! += e;
  words[5]! += f;
  words[6]! += g;
  words[7]! += h;
  words[8]! += i;
  words[9]! += j;
  words[10]! += k;
  words[11]! += l;
  words[12]! += m;
  words[13]! += n;
  words[14]! += o;
  words[15]! += p;
}

function rotateLeft(value: number, bitCount: number): number {
  return (value << bitCount) | (value >>> (32 - bitCount));
}

/**
 * Derives a key with scrypt (RFC 7914). Uses the implementation of Node.js, which runs off the main thread, if Node.js
 * accepts the parameters. The caller must limit the cost of the parameters.
 */
export function deriveScrypt(
  password: Uint8Array,
  parameters: ScryptParameters,
): Promise<Uint8Array> {
  const { n, r } = parameters;
  // OpenSSL rejects n ≥ 2^(16 r), as the RFC does, but some keystore files have such an n. The scrypt of @noble/hashes
  // accepts it, but blocks the thread, because its asynchronous function yields to microtasks only.
  const isRejectedByNode = r < 2 && n >= 2 ** (16 * r);
  return isRejectedByNode
    ? deriveKeyInSteps(password, parameters)
    : deriveKeyInNode(password, parameters);
}

function deriveKeyInNode(
  password: Uint8Array,
  { salt, n, r, p, length }: ScryptParameters,
): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const maxmem = 128 * r * (n + p + 2) + 1_048_576;
  scrypt(password, salt, length, { N: n, r, p, maxmem }, (error, key) =>
    error === null ? resolve(key) : reject(error),
  );
  return promise;
}

async function deriveKeyInSteps(
  password: Uint8Array,
  { salt, n, r, p, length }: ScryptParameters,
): Promise<Uint8Array> {
  const blockSize = 128 * r;
  const blocks = await derivePbkdf2(password, salt, 1, p * blockSize, 'sha256');
  for (let blockIndex = 0; blockIndex < p; blockIndex++) {
    const block = blocks.subarray(blockIndex * blockSize, (blockIndex + 1) * blockSize);
    const words = Uint32Array.from({ length: blockSize / 4 }, (_, wordIndex) =>
      block.readUInt32LE(wordIndex * 4),
    );
    await runScryptRoMix(words, n);
    for (const [wordIndex, value] of words.entries()) block.writeUInt32LE(value, wordIndex * 4);
  }
  const key = await derivePbkdf2(password, blocks, 1, length, 'sha256');
  blocks.fill(0);
  return key;
}

/** Runs scryptROMix on `words` in place (RFC 7914 §5). Yields to the event loop at intervals. */
async function runScryptRoMix(words: Uint32Array, n: number): Promise<void> {
  const table = new Uint32Array(n * words.length);
  const mixBlock = createBlockMixer(words.length);
  for (let step = 0; step < n; step++) {
    table.set(words, step * words.length);
    mixBlock(words);
    if (step % stepsPerYield === 0) await setImmediate();
  }
  for (let step = 0; step < n; step++) {
    const tableOffset = ((words[words.length - 16] ?? 0) & (n - 1)) * words.length;
    for (let wordIndex = 0; wordIndex < words.length; wordIndex++)
      words[wordIndex]! ^= table[tableOffset + wordIndex]!;
    mixBlock(words);
    if (step % stepsPerYield === 0) await setImmediate();
  }
  table.fill(0);
}

const stepsPerYield = 8_192;

/**
 * Returns a function that applies scryptBlockMix (RFC 7914 §4) in place to blocks of `length` words. Its buffers are
 * allocated in advance, because the function runs millions of times.
 */
function createBlockMixer(length: number): (words: Uint32Array) => void {
  const mixedWords = new Uint32Array(length);
  const chunk = new Int32Array(16);
  return (words) => {
    chunk.set(words.subarray(length - 16));
    for (let offset = 0; offset < length; offset += 16) {
      for (let wordIndex = 0; wordIndex < 16; wordIndex++)
        chunk[wordIndex]! ^= words[offset + wordIndex]!;
      applySalsa(chunk);
      // Chunks with an even index come first, then chunks with an odd index.
      mixedWords.set(chunk, (offset % 32 === 0 ? 0 : length / 2) + 16 * Math.floor(offset / 32));
    }
    words.set(mixedWords);
  };
}
