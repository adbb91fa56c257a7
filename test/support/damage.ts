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
export function* generateDamages(intact: Buffer, count = 150): Generator<Damage> {
  const stride = Math.max(1, Math.ceil(intact.length / count));
  for (let offset = 0; offset < intact.length; offset += 1) {
    const isNearLineEnd = intact.subarray(Math.max(0, offset - 1), offset + 2).includes(0x0a);
    if (offset % stride !== 0 && !isNearLineEnd) continue;
    const [before, after] = [intact.subarray(0, offset), intact.subarray(offset + 1)];
    const flipped = (intact[offset] ?? 0) ^ (1 << (offset % 8));
    yield { kind: 'flip', offset, bytes: Buffer.concat([before, Buffer.of(flipped), after]) };
    const invalid = Buffer.concat([before, Buffer.of(0xff), after]);
    yield { kind: 'invalid-utf8', offset, bytes: invalid };
    const inserted = Buffer.concat([before, Buffer.of(0xff), intact.subarray(offset)]);
    yield { kind: 'insert', offset, bytes: inserted };
    yield { kind: 'truncate', offset, bytes: before };
  }
}

/** Returns the index, from 0, of the line that contains the byte at `offset`. A line includes its line break. */
export const getLineAt = (bytes: Uint8Array, offset: number): number =>
  bytes.subarray(0, offset).filter((byte) => byte === 0x0a).length;
