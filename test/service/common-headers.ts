import { randomBytes } from 'node:crypto';
import type { ServiceState } from './service-state.ts';

/** API version in the headers of every reply. */
export const serviceVersion = '20260821.104500';

/** Returns the headers that every reply with this status has. */
export function createCommonHeaders(
  { clock, naming }: ServiceState,
  status: number,
): Record<string, string> {
  const now = new Date(clock.now());
  return {
    date: now.toUTCString(),
    'cf-ray': `${randomBytes(8).toString('hex')}-LOCAL`,
    [naming.getHeaderName('version')]: serviceVersion,
    [naming.getHeaderName('timestamp')]: now.toISOString(),
    ...(status >= 400 && { [naming.getHeaderName('host-name')]: 'local' }),
  };
}
