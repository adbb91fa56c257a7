export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Start time in a form of the system. With the id, it identifies a process. */
  readonly started: string;
  /** The command line. */
  readonly args: string;
  /** Empty if it can't be read. Contains the command line as well where `ps` lists it. */
  readonly environment: string;
}

/**
 * Returns entries of running processes, without zombies.
 * @throws if the system can't list them now.
 */
export function listProcesses(): ProcessEntry[];
