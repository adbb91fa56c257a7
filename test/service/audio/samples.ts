/** Converts samples in [-1, 1] to 16-bit little-endian PCM. */
export function encodePcm(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries()) {
    bytes.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), index * 2);
  }
  return bytes;
}

export function decodePcm(bytes: Uint8Array, channelCount = 1): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor(bytes.byteLength / 2 / channelCount);
  return Float32Array.from(
    { length: count },
    (_, index) => view.getInt16(index * 2 * channelCount, true) / 32_768,
  );
}
