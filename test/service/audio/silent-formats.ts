/**
 * Creates files in audio formats whose encoders would be too large for this service. The files have valid headers and
 * the correct duration, but they contain only silence.
 */

/** Returns a silent MP3 file (MPEG-2 layer III, 24 kHz, 32 kbit/s, frames of 576 samples). */
export function createSilentMp3(seconds: number): Buffer {
  const frame = Buffer.alloc(96);
  frame.set([0xff, 0xf3, 0x44, 0xc4]);
  return repeatFrame(frame, (seconds * 24_000) / 576);
}

/** Returns a silent AAC-LC file at 24 kHz in ADTS frames of 1,024 samples. */
export function createSilentAac(seconds: number): Buffer {
  const payload = [0x00, 0xc8, 0x00, 0x80, 0x23, 0x80];
  const length = 7 + payload.length;
  const header = [0xff, 0xf1, 0x58, 0x40 | (length >> 11), (length >> 3) & 255];
  const frame = Buffer.from([...header, ((length & 7) << 5) | 0x1f, 0xfc, ...payload]);
  return repeatFrame(frame, (seconds * 24_000) / 1_024);
}

/** Returns a silent Opus file in an Ogg container, in packets of 20 ms. */
export function createSilentOpus(seconds: number): Buffer {
  const opusHead = Buffer.alloc(19);
  opusHead.write('OpusHead');
  opusHead.set([1, 1], 8);
  opusHead.writeUInt32LE(24_000, 12);
  const opusTags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  const packetCount = Math.max(1, Math.ceil(seconds * 50));
  const pages = [
    createOggPage([opusHead], { flags: 2, pageNumber: 0, granulePosition: 0 }),
    createOggPage([opusTags], { flags: 0, pageNumber: 1, granulePosition: 0 }),
  ];
  for (let startIndex = 0; startIndex < packetCount; startIndex += 200) {
    const endIndex = Math.min(packetCount, startIndex + 200);
    const pagePackets = Array.from({ length: endIndex - startIndex }, () => Buffer.from([0xf8]));
    const flags = endIndex === packetCount ? 4 : 0;
    pages.push(
      createOggPage(pagePackets, {
        flags,
        pageNumber: pages.length,
        granulePosition: endIndex * 960,
      }),
    );
  }
  return Buffer.concat(pages);
}

interface PageHeader {
  readonly flags: number;
  readonly pageNumber: number;
  readonly granulePosition: number;
}

/** Builds an Ogg page from packets that are each shorter than 255 bytes. */
function createOggPage(
  packets: readonly Buffer[],
  { flags, pageNumber, granulePosition }: PageHeader,
): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS');
  header[5] = flags;
  header.writeBigUInt64LE(BigInt(granulePosition), 6);
  header.writeUInt32LE(1, 14);
  header.writeUInt32LE(pageNumber, 18);
  header[26] = packets.length;
  const sizes = Buffer.from(packets.map(({ length }) => length));
  const page = Buffer.concat([header, sizes, ...packets]);
  page.writeUInt32LE(computeOggCrc(page), 22);
  return page;
}

function computeOggCrc(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04_c1_1d_b7 : crc << 1;
  }
  return crc >>> 0;
}

const repeatFrame = (frame: Buffer, count: number): Buffer =>
  Buffer.concat(Array.from({ length: Math.max(1, Math.ceil(count)) }, () => frame));
