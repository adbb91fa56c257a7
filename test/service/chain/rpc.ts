import type { Hex } from 'viem';

/**
 * Calls a method of the node's JSON-RPC API.
 * @throws Error with the message of the node if the call fails
 */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>;

export function createRpc(url: string): Rpc {
  let lastId = 0;
  return async (method, params = []) => {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params }),
    });
    const { result, error } = (await reply.json()) as RpcAnswer;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Encodes a number for JSON-RPC. */
export const toQuantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;
