import { randomUUID } from 'node:crypto';
import { listProcesses, type ProcessEntry } from './processes.mjs';

/** Random value of an environment variable that identifies processes. Child processes inherit the variable. */
export class ProcessMark {
  readonly #markValue = randomUUID();

  /** Environment for the first process: that of this process, with the mark added. */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, INFERENCE_SERVICE_TEST_MARK: this.#markValue };
  }

  /**
   * Returns the ids of the running processes with the mark. Includes processes whose parent has ended, and processes in
   * other sessions.
   */
  listRunningPids(): number[] {
    return this.#listEntries().map(({ pid }) => pid);
  }

  /** Returns the command lines of the running processes with the mark. */
  listCommandLines(): string[] {
    return this.#listEntries().map(({ args }) => args);
  }

  killAll(): void {
    for (const pid of this.listRunningPids()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    }
  }

  #listEntries(): ProcessEntry[] {
    return listProcesses().filter(({ environment }) => environment.includes(this.#markValue));
  }
}
