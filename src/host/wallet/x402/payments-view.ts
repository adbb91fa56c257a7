import type { Host } from '../../host.ts';

export async function showPayments(_host: Host): Promise<void> {}
