import { isRecord } from '../../../src/base/json.ts';
import type { KeyFault } from './web3-settings.ts';

/** Returns the reply for a new key. Depending on the fault, the secret is missing or invalid. */
export function corruptKey(keyView: object, fault: KeyFault): object {
  const key = isRecord(keyView) ? String(keyView['apiKey']) : '';
  switch (fault) {
    case 'missing':
      return Object.fromEntries(Object.entries(keyView).filter(([name]) => name !== 'apiKey'));
    case 'malformed':
      return { ...keyView, apiKey: `${key.slice(0, 20)} \u202e\u0000é ${key.slice(20)}` };
    case 'too-long':
      return { ...keyView, apiKey: key + 'A'.repeat(100_000) };
    case 'newline':
      return { ...keyView, apiKey: `${key}\r\nX-Injected: 1` };
    case 'not-a-string':
      return { ...keyView, apiKey: { key } };
  }
}
