/**
 * Reads the process table of the operating system. Uses `/proc` on Linux, where `ps` may be missing, and `ps`
 * elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const linux = process.platform === 'linux';

/**
 * @typedef {object} ProcessEntry
 * @property {number} pid
 * @property {number} parent
 * @property {string} started Start time in a format of the system. The id and the start time together identify a process.
 * @property {string} args The command line.
 * @property {string} environment Empty if it can't be read. Contains the command line as well if `ps` reports it.
 */

/**
 * Lists the running processes, without zombies.
 * @returns {ProcessEntry[]}
 * @throws if the system can't list the processes now.
 */
export function listProcesses() {
  if (!linux) {
    const entries = entriesOfPs(['-A', '-E']);
    if (entries.length === 0) throw new Error('ps lists no process.');
    return entries;
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  return pids.flatMap((pid) => readProcess(Number(pid)) ?? []);
}

/**
 * Returns the entry of a process. Its `environment` may be empty.
 * @returns {ProcessEntry | undefined} `undefined` if no such process runs, or if `ps` fails.
 */
export function readProcess(pid) {
  if (!linux) return entriesOfPs(['-p', String(pid)])[0];
  // The command name before the state may contain anything, even parentheses.
  const fields = readText(`/proc/${pid}/stat`)
    .replace(/^.*\) /su, '')
    .split(' ');
  const [state, parent] = fields;
  if (!state || 'ZX'.includes(state)) return undefined;
  return {
    pid,
    parent: Number(parent),
    // Field 22 of the line, of which the first two are cut off here.
    started: fields[19],
    args: readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' '),
    environment: readText(`/proc/${pid}/environ`),
  };
}

/** Returns the text of a file, or an empty text if the process has ended or belongs to another user. */
function readText(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function entriesOfPs(selection) {
  const table = readTable([...selection, '-ww', '-o', 'pid=,ppid=,stat=,lstart=,command=']);
  return table.split('\n').flatMap((line) => {
    // A start time is written as `Sun Nov 22 22:10:01 2026`.
    const [, pid, parent, state, started, text] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+\S+\s+\d+)\s+(.*)$/u.exec(line) ?? [];
    if (!pid || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), started, args: text, environment: text }];
  });
}

function readTable(options) {
  try {
    return execFileSync('ps', options, {
      encoding: 'utf8',
      // The format of a start time depends on the locale.
      env: { ...process.env, LC_ALL: 'C' },
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
