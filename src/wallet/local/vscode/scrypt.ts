import { pbkdf2, scrypt } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ScryptParameters } from '../keystore.ts';

/** Salsa20/8 of 16 words, in place (RFC 7914 §3). One variable for each word: a table of them takes many times as long. */
export function salsa(words: Int32Array): void {
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
    // The columns.
    e ^= rotated(a + m, 7);
    i ^= rotated(e + a, 9);
    m ^= rotated(i + e, 13);
    a ^= rotated(m + i, 18);
    j ^= rotated(f + b, 7);
    n ^= rotated(j + f, 9);
    b ^= rotated(n + j, 13);
    f ^= rotated(b + n, 18);
    o ^= rotated(k + g, 7);
    c ^= rotated(o + k, 9);
    g ^= rotated(c + o, 13);
    k ^= rotated(g + c, 18);
    d ^= rotated(p + l, 7);
    h ^= rotated(d + p, 9);
    l ^= rotated(h + d, 13);
    p ^= rotated(l + h, 18);
    // The rows.
    b ^= rotated(a + d, 7);
    c ^= rotated(b + a, 9);
    d ^= rotated(c + b, 13);
    a ^= rotated(d + c, 18);
    g ^= rotated(f + e, 7);
    h ^= rotated(g + f, 9);
    e ^= rotated(h + g, 13);
    f ^= rotated(e + h, 18);
    l ^= rotated(k + j, 7);
    i ^= rotated(l + k, 9);
    j ^= rotated(i + l, 13);
    k ^= rotated(j + i, 18);
    m ^= rotated(p + o, 7);
    n ^= rotated(m + p, 9);
    o ^= rotated(n + m, 13);
    p ^= rotated(o + n, 18);
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

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

const derivePbkdf2 = promisify(pbkdf2);

/**
 * Derives a key (RFC 7914), by Node's own function and away from the main thread wherever that takes the parameters. The
 * caller has bounded them.
 */
export function deriveScrypt(
  password: Uint8Array,
  parameters: ScryptParameters,
): Promise<Uint8Array> {
  const { n, r } = parameters;
  // Node's library refuses n from 2^(16 r) on, as the RFC does; some keystore files have it all the same. The scrypt of
  // @noble/hashes takes it, but holds the thread until the end: its asynchronous form awaits microtasks alone.
  const isRefused = r < 2 && n >= 2 ** (16 * r);
  return isRefused ? deriveInSteps(password, parameters) : deriveInNode(password, parameters);
}

function deriveInNode(
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

async function deriveInSteps(
  password: Uint8Array,
  { salt, n, r, p, length }: ScryptParameters,
): Promise<Uint8Array> {
  const blockSize = 128 * r;
  const blocks = await derivePbkdf2(password, salt, 1, p * blockSize, 'sha256');
  for (let at = 0; at < p; at++) {
    const block = blocks.subarray(at * blockSize, (at + 1) * blockSize);
    const words = Uint32Array.from({ length: blockSize / 4 }, (_, word) =>
      block.readUInt32LE(word * 4),
    );
    await mix(words, n);
    for (const [word, value] of words.entries()) block.writeUInt32LE(value, word * 4);
  }
  const key = await derivePbkdf2(password, blocks, 1, length, 'sha256');
  blocks.fill(0);
  return key;
}

/** scryptROMix; lets others have the thread now and then. */
async function mix(words: Uint32Array, n: number): Promise<void> {
  const seen = new Uint32Array(n * words.length);
  const mixBlock = blockMixer(words.length);
  for (let step = 0; step < n; step++) {
    seen.set(words, step * words.length);
    mixBlock(words);
    if (step % stepsInOneGo === 0) await setImmediate();
  }
  for (let step = 0; step < n; step++) {
    const from = ((words[words.length - 16] ?? 0) & (n - 1)) * words.length;
    for (let at = 0; at < words.length; at++) words[at]! ^= seen[from + at]!;
    mixBlock(words);
    if (step % stepsInOneGo === 0) await setImmediate();
  }
  seen.fill(0);
}

const stepsInOneGo = 8_192;

/** scryptBlockMix, in place, for blocks of so many words. Its buffers are made once: it runs millions of times. */
function blockMixer(length: number): (words: Uint32Array) => void {
  const mixed = new Uint32Array(length);
  const chunk = new Int32Array(16);
  return (words) => {
    chunk.set(words.subarray(length - 16));
    for (let at = 0; at < length; at += 16) {
      for (let word = 0; word < 16; word++) chunk[word]! ^= words[at + word]!;
      salsa(chunk);
      // Even chunks first, then the odd ones.
      mixed.set(chunk, (at % 32 === 0 ? 0 : length / 2) + 16 * Math.floor(at / 32));
    }
    words.set(mixed);
  };
}
