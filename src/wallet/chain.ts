/** `0x` and hexadecimal digits: bytes, or a quantity. */
export type Hex = `0x${string}`;

/** 20 bytes. With the checksum of EIP-55 wherever it is shown or compared. */
export type Address = Hex;

/** 32 bytes: the hash of a transaction. */
export type Hash = Hex;

/** The chain that a deployment of the service stakes on, as the user's settings give it. */
export interface Chain {
  /** EIP-155. */
  readonly id: number;
  /** Shown to people. */
  readonly name: string;
  /** JSON-RPC: `https:`, or `http:` on loopback. Never one that the service or a workspace named. */
  readonly rpcUrl: string;
  readonly currency: Currency;
  /** Of a block explorer, without a trailing slash; absent when there is none. */
  readonly explorerUrl?: string;
  /** The ERC-20 token that is staked. */
  readonly token: Address;
  /** The staking contract. Its `balanceOf` is the staked balance that minting asks for. */
  readonly staking: Address;
  /** The USDC-like token (EIP-3009) that top-ups are paid in; absent where there are none. */
  readonly usdc?: Address;
  /** Blocks that a transaction must be under before it counts, itself included; from 1. */
  readonly confirmations: number;
}

/** What fees are paid in. */
export interface Currency {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** CAIP-2. */
export const networkOf = ({ id }: Pick<Chain, 'id'>): `eip155:${number}` => `eip155:${id}`;
