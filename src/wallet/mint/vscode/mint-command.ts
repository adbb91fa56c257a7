import { isRecord } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import { mintForExtension } from './mint-for-extension.ts';
import { mintInteractively } from './mint-interactively.ts';

/**
 * `inferenceService.mintKey`: asks the person what the key should be, or with an object of options mints with the
 * account that the environment names. Anything in the editor can run it, so the person is asked then as for another
 * extension.
 * @returns a `MintResult` in the second case
 */
export function mintKeyCommand(host: Host, options?: unknown): Promise<unknown> {
  return isRecord(options) ? mintForExtension(host, options) : mintInteractively(host);
}
