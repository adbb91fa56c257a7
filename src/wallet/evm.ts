/** `0x` and hexadecimal digits: bytes, or a quantity. */
export type Hex = `0x${string}`;

/** 20 bytes. With the checksum of EIP-55 wherever it is shown or compared. */
export type Address = Hex;

/** 32 bytes: the hash of a transaction. */
export type Hash = Hex;
