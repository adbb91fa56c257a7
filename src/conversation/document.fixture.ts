/** Creates a ZIP archive of empty files with the given names. */
export function createZip(...names: readonly string[]): Uint8Array {
  const localEntries = names.map((name) =>
    Buffer.concat([createHeader(30, 0x04034b50, [[26, name.length]]), Buffer.from(name)]),
  );
  const centralEntries = names.map((name) =>
    Buffer.concat([createHeader(46, 0x02014b50, [[28, name.length]]), Buffer.from(name)]),
  );
  const offset = Buffer.concat(localEntries).length;
  const end = createHeader(22, 0x06054b50, [[10, names.length % 65_536]]);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...localEntries, ...centralEntries, end]));
}

/** Creates an OLE compound file with the given names as directory entries. */
export function createCompoundFile(...names: readonly string[]): Uint8Array {
  const file = Buffer.alloc(512 + names.length * 128 + 128);
  file.write('d0cf11e0a1b11ae1', 'hex');
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(0, 48);
  for (const [index, name] of names.entries()) file.write(name, 512 + index * 128, 'utf16le');
  return new Uint8Array(file);
}

function createHeader(
  length: number,
  signature: number,
  fields: readonly (readonly [number, number])[],
): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32LE(signature, 0);
  for (const [offset, value] of fields) bytes.writeUInt16LE(value, offset);
  return bytes;
}
