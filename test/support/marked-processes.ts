import { randomUUID } from 'node:crypto';
import { listProcesses, type ProcessEntry } from './processes.mjs';

/** Recognizes processes by an environment variable that they inherit. */
export class ProcessMark {
  readonly #value = randomUUID();

  /** Environment of the first process. */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, INFERENCE_SERVICE_TEST_MARK: this.#value };
  }

  /**
   * Returns the ids of the running processes with the mark, including processes that have left
   * their parent and its session.
   */
  running(): number[] {
    return this.#entries().map(({ pid }) => pid);
  }

  /** Returns the command lines of the running processes with the mark. */
  commandLines(): string[] {
    return this.#entries().map(({ args }) => args);
  }

  killAll(): void {
    for (const pid of this.running()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    }
  }

  #entries(): ProcessEntry[] {
    return listProcesses().filter(({ environment }) => environment.includes(this.#value));
  }
}
