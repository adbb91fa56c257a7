/**
 * Measures processor time of this thread since its creation. VS Code's Node.js may lack
 * `threadCpuUsage`. The figure is then the smaller of two upper bounds: elapsed time, which
 * includes other programs' load, and the processor time of all threads of the process.
 */
export class Stopwatch {
  readonly #start = { thread: threadMs(), cpu: process.cpuUsage(), time: performance.now() };

  get ms(): number {
    const { thread } = this.#start;
    if (thread !== undefined) return (threadMs() ?? thread) - thread;
    const { user, system } = process.cpuUsage(this.#start.cpu);
    return Math.min((user + system) / 1_000, performance.now() - this.#start.time);
  }
}

function threadMs(): number | undefined {
  if (!('threadCpuUsage' in process)) return undefined;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
