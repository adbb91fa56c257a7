import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/**
 * Resets the connection after the operating system has accepted all bytes to send. An earlier reset would discard them.
 */
export async function resetSocket(socket: Socket): Promise<void> {
  do await setImmediate();
  while (socket.writableLength > 0 && !socket.destroyed);
  socket.resetAndDestroy();
}
