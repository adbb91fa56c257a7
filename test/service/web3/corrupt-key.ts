import { isRecord } from '../../../src/base/json.ts';
import type { KeyFault } from './web3-mode.ts';

/** Returns the reply for a new key. Depending on the fault, the secret is missing or invalid. */
export function corruptKey(view: object, fault: KeyFault): object {
  const key = isRecord(view) ? String(view['apiKey']) : '';
  switch (fault) {
    case 'missing':
      return Object.fromEntries(Object.entries(view).filter(([name]) => name !== 'apiKey'));
    case 'malformed':
      return { ...view, apiKey: `${key.slice(0, 20)} \u202e\u0000é ${key.slice(20)}` };
    case 'too-long':
      return { ...view, apiKey: key + 'A'.repeat(100_000) };
    case 'newline':
      return { ...view, apiKey: `${key}\r\nX-Injected: 1` };
    case 'not-a-string':
      return { ...view, apiKey: { key } };
  }
}
