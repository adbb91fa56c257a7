/** Reads the system's process table: from `/proc` on Linux, where `ps` may be missing, else from `ps`. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const linux = process.platform === 'linux';

/**
 * @typedef {object} ProcessEntry
 * @property {number} pid
 * @property {number} parent
 * @property {string} started The start time in a form of the system: with the id it identifies a process for good.
 * @property {string} args The command line.
 * @property {string} environment Empty if it can't be read. Contains the command line as well where `ps` lists it.
 */

/**
 * @returns {ProcessEntry[]} Entries of running processes, without those that only wait to be collected.
 * @throws if the system can't list them now.
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

/** @returns {ProcessEntry | undefined} `undefined` when no such process runs, or when `ps` fails. The environment may be missing. */
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

/** Returns nothing for a process that has ended or belongs to another user. */
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
