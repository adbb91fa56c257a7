import { randomBytes } from 'node:crypto';
import type { ServiceState } from './service-state.ts';

/** API version in the headers of every reply (service facts §0). */
export const version = '20260821.104500';

/** Returns the headers of every reply with this status (service facts §7.3). */
export function createCommonHeaders(
  { clock, naming }: ServiceState,
  status: number,
): Record<string, string> {
  const now = new Date(clock.now());
  return {
    date: now.toUTCString(),
    'cf-ray': `${randomBytes(8).toString('hex')}-LOCAL`,
    [naming.header('version')]: version,
    [naming.header('timestamp')]: now.toISOString(),
    ...(status >= 400 && { [naming.header('host-name')]: 'local' }),
  };
}
