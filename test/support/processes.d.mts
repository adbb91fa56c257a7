export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Start time in a format of the system. The id and the start time together identify a process. */
  readonly started: string;
  /** The command line. */
  readonly args: string;
  /**
   * Environment variables as text. Empty if the system does not permit reading them. On systems that use `ps`, the text
   * contains the command line as well.
   */
  readonly environment: string;
}

/** Returns the running processes, without zombies. @throws if the system can't list them now. */
export function listProcesses(): ProcessEntry[];
