import { createDecipheriv, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeystoreCrypto } from '../keystore.ts';
import { deriveByScrypt } from './scrypt.ts';

const derivePbkdf2 = promisify(pbkdf2);

/** Node's own, away from the main thread. */
export const nodeKeystoreCrypto: KeystoreCrypto = {
  scrypt: deriveByScrypt,
  pbkdf2: (password, { salt, iterations, length }) =>
    derivePbkdf2(password, salt, iterations, length, 'sha256'),
  async decrypt(data, { key, iv }) {
    const decipher = createDecipheriv('aes-128-ctr', key, iv);
    const plain = decipher.update(data);
    // A copy of its own: small buffers of Node's share their memory.
    const copy = Uint8Array.from(plain);
    plain.fill(0);
    return copy;
  },
};
