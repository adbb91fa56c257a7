import { isRecord } from '../../../base/json.ts';
import type { Host } from '../../host.ts';
import { isAllowedByEnvironment } from './environment-account.ts';
import { mintHeadless } from './mint-headless.ts';
import { mintInteractively } from './mint-interactively.ts';

/**
 * `inferenceService.mintKey`: asks the person, or with an object of options mints with the account that the
 * environment names, without asking anybody.
 * @returns a `MintResult` in the second case
 */
export function mintKeyCommand(host: Host, options?: unknown): Promise<unknown> {
  if (!isRecord(options)) return mintInteractively(host);
  const environment = process.env;
  const mayReturn = isAllowedByEnvironment(environment);
  return mintHeadless(host, { options, mayReturn, environment });
}
