import { createDecipheriv, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeystoreCrypto } from '../keystore.ts';
import { deriveScrypt } from './scrypt.ts';

const derivePbkdf2 = promisify(pbkdf2);

/** Keystore cryptography based on Node. Key derivation runs off the main thread if Node accepts the scrypt parameters. */
export const nodeKeystoreCrypto: KeystoreCrypto = {
  scrypt: deriveScrypt,
  pbkdf2: (password, { salt, iterations, length }) =>
    derivePbkdf2(password, salt, iterations, length, 'sha256'),
  async decrypt(data, { key, iv }) {
    const decipher = createDecipheriv('aes-128-ctr', key, iv);
    const plaintext = decipher.update(data);
    // The buffer is copied, because small buffers of Node share one memory pool.
    const copy = Uint8Array.from(plaintext);
    plaintext.fill(0);
    return copy;
  },
};
