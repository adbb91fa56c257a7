import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/**
 * Resets the connection after the kernel has accepted all pending bytes, because a reset discards
 * the remaining bytes.
 */
export async function resetSocket(socket: Socket): Promise<void> {
  do await setImmediate();
  while (socket.writableLength > 0 && !socket.destroyed);
  socket.resetAndDestroy();
}
