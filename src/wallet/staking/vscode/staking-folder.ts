import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../../../host.ts';
import { isLocked } from '../../vscode/window-lock.ts';

/** Where records of unfinished flows are kept, for all windows. */
export const stakingFolder = ({ context }: Pick<Host, 'context'>): string =>
  join(context.globalStorageUri.fsPath, 'staking');

/** Chain and account. */
export const fileNamePattern = /^\d{1,16}-0x[0-9a-f]{40}\.json$/u;

/** Whether a flow was begun and not ended, and no window is at it now. */
export async function hasUnfinished(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => fileNamePattern.test(name)) && !(await isLocked(folder));
}
