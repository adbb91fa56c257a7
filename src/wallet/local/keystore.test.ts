import { bytesToHex } from 'viem';
import { expect, test } from 'vitest';
import { nodeKeystoreCrypto } from './vscode/keystore-crypto.ts';
import { WalletError } from '../wallet-failure.ts';
import { maxKeystoreLength, openKeystore, parseKeystoreFile } from './keystore.ts';

// Test vectors from the Web3 Secret Storage definition.
const password = 'testpassword';
const privateKey = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
const pbkdf2Keystore = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
const scryptKeystore = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262_144,
      r: 1,
      p: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};

const decryptKeystore = (keystore: unknown, typedPassword = password): Promise<Uint8Array> =>
  openKeystore(parseKeystoreFile(JSON.stringify(keystore)), typedPassword, nodeKeystoreCrypto);

test.each([
  ['pbkdf2', pbkdf2Keystore],
  ['scrypt', scryptKeystore],
  ['legacy Crypto field', { ...pbkdf2Keystore, crypto: undefined, Crypto: pbkdf2Keystore.crypto }],
  ['address field', { ...pbkdf2Keystore, address: '008aeeda4d805471df9b2a5b0f38a0c3bcba786b' }],
])(
  'openKeystore decrypts the official test vector: %s',
  async (_name, file) => {
    expect(bytesToHex(await decryptKeystore(file))).toBe(privateKey);
  },
  120_000,
);

test.each(['', 'testpasswor', 'testpassword ', 'canary'])(
  'openKeystore reports the same error for the wrong password %j',
  async (typedPassword) => {
    const error = await getFailure(decryptKeystore(pbkdf2Keystore, typedPassword));
    expect(error.failure).toEqual({
      code: 'wrong-password',
      detail: 'The password does not open the keystore file.',
    });
    expect(error.cause).toBeUndefined();
  },
);

test('openKeystore rejects a private key that does not match the address in the file', async () => {
  const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  const { failure } = await getFailure(decryptKeystore({ ...pbkdf2Keystore, address }));
  expect(failure).toMatchObject({
    code: 'invalid-keystore',
    detail: expect.stringContaining('not that of the account'),
  });
});

test('openKeystore rejects decrypted bytes that are not a private key', async () => {
  const keystoreCrypto = { ...nodeKeystoreCrypto, decrypt: async () => new Uint8Array(32) };
  const file = parseKeystoreFile(JSON.stringify(pbkdf2Keystore));
  const { failure } = await getFailure(openKeystore(file, password, keystoreCrypto));
  expect(failure.detail).toContain('no private key');
});

const { kdfparams } = scryptKeystore.crypto;
const createKeystoreWithCrypto = (changes: object): unknown => ({
  ...scryptKeystore,
  crypto: { ...scryptKeystore.crypto, ...changes },
});
const createKeystoreWithCost = (changes: object): unknown =>
  createKeystoreWithCrypto({ kdfparams: { ...kdfparams, ...changes } });
const createKeystoreWithIterations = (c: unknown): unknown => ({
  ...pbkdf2Keystore,
  crypto: { ...pbkdf2Keystore.crypto, kdfparams: { ...pbkdf2Keystore.crypto.kdfparams, c } },
});

test.each([
  ['invalid JSON', 'canary'],
  ['another version', { ...scryptKeystore, version: 1 }],
  ['no crypto field', { ...scryptKeystore, crypto: undefined }],
  ['another cipher', createKeystoreWithCrypto({ cipher: 'aes-256-gcm' })],
  ['another KDF', createKeystoreWithCrypto({ kdf: 'argon2' })],
  [
    'another PRF',
    {
      ...pbkdf2Keystore,
      crypto: {
        ...pbkdf2Keystore.crypto,
        kdfparams: { ...pbkdf2Keystore.crypto.kdfparams, prf: 'hmac-md5' },
      },
    },
  ],
  ['no KDF parameters', createKeystoreWithCrypto({ kdfparams: null })],
  ['a short IV', createKeystoreWithCrypto({ cipherparams: { iv: '00' } })],
  ['a non-hexadecimal IV', createKeystoreWithCrypto({ cipherparams: { iv: 'z'.repeat(32) } })],
  ['a long ciphertext', createKeystoreWithCrypto({ ciphertext: '00'.repeat(33) })],
  ['no MAC', createKeystoreWithCrypto({ mac: '' })],
  ['a salt of odd length', createKeystoreWithCost({ salt: 'abc' })],
  ['a long salt', createKeystoreWithCost({ salt: '00'.repeat(1_025) })],
  ['another key length', createKeystoreWithCost({ dklen: 64 })],
  ['n of 0', createKeystoreWithCost({ n: 0 })],
  ['n of 1', createKeystoreWithCost({ n: 1 })],
  ['n that is not a power of two', createKeystoreWithCost({ n: 262_145 })],
  ['n as text', createKeystoreWithCost({ n: '262144' })],
  ['excessive n', createKeystoreWithCost({ n: 2 ** 30 })],
  ['n above the safe integer range', createKeystoreWithCost({ n: 1e308 })],
  ['n and r that need too much memory', createKeystoreWithCost({ n: 2 ** 20, r: 8 })],
  ['a negative r', createKeystoreWithCost({ r: -1 })],
  ['excessive p', createKeystoreWithCost({ p: 2 ** 30 })],
  ['a fractional p', createKeystoreWithCost({ p: 1.5 })],
  ['zero iterations', createKeystoreWithIterations(0)],
  ['too many iterations', createKeystoreWithIterations(10_000_001)],
])('parseKeystoreFile rejects a file with %s', (_name, file) => {
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  expect(() => parseKeystoreFile(text)).toThrow(WalletError);
  expect(() => parseKeystoreFile(text)).toThrow(
    /^(?:Its field “[\w, ]+” cannot be used|This is not a keystore file|Opening it would take too much memory or time)\.$/u,
  );
  expect(() => parseKeystoreFile(text)).not.toThrow('canary');
});

test('parseKeystoreFile rejects an oversized file before parsing it', () => {
  const text = JSON.stringify({ ...pbkdf2Keystore, comment: 'x'.repeat(maxKeystoreLength) });
  expect(() => parseKeystoreFile(text)).toThrow('not a keystore file');
});

test('parseKeystoreFile accepts the scrypt parameters of common wallets', () => {
  const file = parseKeystoreFile(
    JSON.stringify(createKeystoreWithCost({ n: 262_144, r: 8, p: 1 })),
  );
  expect(file.kdf).toMatchObject({ n: 262_144, r: 8, p: 1 });
});

async function getFailure(promise: Promise<unknown>): Promise<WalletError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof WalletError) return error;
  throw new Error('It did not fail as it should.');
}
