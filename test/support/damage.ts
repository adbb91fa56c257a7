/** Content of a file after damage at one position. */
export interface Damage {
  readonly kind: 'flip' | 'invalid-utf8' | 'insert' | 'truncate';
  /** Offset of the first damaged byte. */
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Yields damaged copies of a file, for about `count` offsets and for all offsets next to a line break. There are four
 * copies per offset: a flipped bit, a byte replaced with invalid UTF-8, inserted invalid UTF-8, and truncation at the
 * offset.
 */
export function* generateDamagedCopies(intactBytes: Buffer, count = 150): Generator<Damage> {
  const stride = Math.max(1, Math.ceil(intactBytes.length / count));
  for (let offset = 0; offset < intactBytes.length; offset += 1) {
    const isNearLineEnd = intactBytes.subarray(Math.max(0, offset - 1), offset + 2).includes(0x0a);
    if (offset % stride !== 0 && !isNearLineEnd) continue;
    const [before, after] = [intactBytes.subarray(0, offset), intactBytes.subarray(offset + 1)];
    const flippedByte = (intactBytes[offset] ?? 0) ^ (1 << (offset % 8));
    yield { kind: 'flip', offset, bytes: Buffer.concat([before, Buffer.of(flippedByte), after]) };
    const invalidBytes = Buffer.concat([before, Buffer.of(0xff), after]);
    yield { kind: 'invalid-utf8', offset, bytes: invalidBytes };
    const longerBytes = Buffer.concat([before, Buffer.of(0xff), intactBytes.subarray(offset)]);
    yield { kind: 'insert', offset, bytes: longerBytes };
    yield { kind: 'truncate', offset, bytes: before };
  }
}

/** Returns the index, from 0, of the line that contains the byte at `offset`. A line includes its line break. */
export const getLineAt = (bytes: Uint8Array, offset: number): number =>
  bytes.subarray(0, offset).filter((byte) => byte === 0x0a).length;
