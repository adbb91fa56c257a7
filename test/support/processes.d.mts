export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Start time in a format that depends on the operating system. Together with the id, identifies a process. */
  readonly started: string;
  /** The command line. */
  readonly args: string;
  /**
   * Environment variables as text. Empty if the operating system does not permit reading them. If `ps` provides the
   * text, it also contains the command line.
   */
  readonly environment: string;
}

/**
 * Returns the running processes, without zombies.
 * @throws if the system cannot list its processes at the moment
 */
export function listProcesses(): ProcessEntry[];
