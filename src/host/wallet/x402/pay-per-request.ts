import type { Host } from '../../host.ts';

export async function togglePayPerRequest(_host: Host): Promise<void> {}
