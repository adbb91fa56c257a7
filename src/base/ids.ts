/**
 * Pattern of ids that the extension host generates, of tool names and of wallet ids. Matching ids are safe in file
 * names and in HTML attributes.
 */
export const idPattern = /^[\w-]{1,64}$/u;

export const isId = (value: unknown): value is string =>
  typeof value === 'string' && idPattern.test(value);

/** Generates a random id of 16 characters that `isId` accepts. Works only in Node.js. */
export const createId = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('base64url');
