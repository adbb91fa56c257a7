/** The primitives that keystore files need, as the platform has them. Nothing here keeps what it is given. */
export interface KeystoreCrypto {
  scrypt(password: Uint8Array, parameters: ScryptParameters): Promise<Uint8Array>;
  /** HMAC-SHA256. */
  pbkdf2(password: Uint8Array, parameters: Pbkdf2Parameters): Promise<Uint8Array>;
  /** AES-128 in counter mode. */
  decrypt(data: Uint8Array, options: { key: Uint8Array; iv: Uint8Array }): Promise<Uint8Array>;
}

export interface ScryptParameters {
  readonly salt: Uint8Array;
  readonly n: number;
  readonly r: number;
  readonly p: number;
  /** Bytes of the derived key. */
  readonly length: number;
}

export interface Pbkdf2Parameters {
  readonly salt: Uint8Array;
  readonly iterations: number;
  /** Bytes of the derived key. */
  readonly length: number;
}
