import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Resets the connection. That drops what the kernel has not taken yet, so everything is handed over first. */
export async function resetSocket(socket: Socket): Promise<void> {
  do await setImmediate();
  while (socket.writableLength > 0 && !socket.destroyed);
  socket.resetAndDestroy();
}
