import { setTimeout as pause } from 'node:timers/promises';

const intervalMs = 50;

/**
 * Does `attempt` again and again until it succeeds.
 * @param timeoutMs after which no further attempt is begun.
 * @throws what the last attempt threw.
 */
export async function eventually(attempt: () => Promise<void>, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() >= deadline) throw error;
    }
    await pause(intervalMs);
  }
}
