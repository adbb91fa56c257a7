import type { Host } from '../../host.ts';

export async function topUpCommand(_host: Host): Promise<void> {}
