import { randomBytes } from 'node:crypto';

/** Generates a random id of 16 characters that `isId` accepts. */
export const newId = (): string => randomBytes(12).toString('base64url');
