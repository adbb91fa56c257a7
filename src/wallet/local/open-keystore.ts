import * as l10n from '@vscode/l10n';
import { bytesToHex, concatBytes, keccak256 } from 'viem';
import type { Address } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';
import type { KeystoreCrypto } from './keystore-crypto.ts';
import { invalidKeystore, type Kdf, type KeystoreFile } from './keystore.ts';
import { parsePrivateKey, withKey } from './private-key.ts';

/**
 * The 32 bytes of the private key in a keystore file; whoever gets them overwrites them after use.
 * @throws WalletError `wrong-password`; `invalid-keystore` when it holds no key, or that of another account than it says
 */
export async function openKeystore(
  file: KeystoreFile,
  password: string,
  crypto: KeystoreCrypto,
): Promise<Uint8Array> {
  const derived = await derive(file.kdf, password, crypto);
  try {
    const mac = keccak256(concatBytes([derived.subarray(16, 32), file.ciphertext]), 'bytes');
    if (!isSame(mac, file.mac)) throw wrongPassword();
    const { ciphertext, iv } = file;
    const key = await crypto.decrypt(ciphertext, { key: derived.subarray(0, 16), iv });
    await checkKey(key, file.address);
    return key;
  } finally {
    derived.fill(0);
  }
}

/** The address of a private key; the key stays. */
export const addressOfKey = (key: Uint8Array): Promise<Address> =>
  withKey(key.slice(), ({ address }) => address);

async function derive(kdf: Kdf, text: string, crypto: KeystoreCrypto): Promise<Uint8Array> {
  const password = new TextEncoder().encode(text);
  try {
    return await (kdf.name === 'scrypt'
      ? crypto.scrypt(password, kdf)
      : crypto.pbkdf2(password, kdf));
  } finally {
    password.fill(0);
  }
}

async function checkKey(key: Uint8Array, claimed: Address | undefined): Promise<void> {
  const reason = await keyProblem(key, claimed);
  if (reason === undefined) return;
  key.fill(0);
  throw invalidKeystore(reason);
}

async function keyProblem(
  key: Uint8Array,
  claimed: Address | undefined,
): Promise<string | undefined> {
  if (parsePrivateKey(bytesToHex(key)) === undefined) return l10n.t('it holds no private key');
  if (claimed === undefined || (await addressOfKey(key)) === claimed) return undefined;
  return l10n.t('its key is not that of the account it names');
}

/** Takes the same time wherever they differ. */
const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length &&
  a.reduce((difference, byte, at) => difference | (byte ^ b[at]!), 0) === 0;

const wrongPassword = (): WalletError =>
  new WalletError('wrong-password', 'The password does not open the keystore file.');
