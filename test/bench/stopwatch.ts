/**
 * Measures the processor time of this thread since the creation of the object. Some VS Code versions contain a Node.js
 * without `threadCpuUsage`. The result is then the smaller of two upper bounds: the elapsed time, and the processor
 * time of all threads of the process.
 */
export class Stopwatch {
  readonly #start = { thread: readThreadMs(), cpu: process.cpuUsage(), time: performance.now() };

  get ms(): number {
    const { thread } = this.#start;
    if (thread !== undefined) return (readThreadMs() ?? thread) - thread;
    const { user, system } = process.cpuUsage(this.#start.cpu);
    return Math.min((user + system) / 1_000, performance.now() - this.#start.time);
  }
}

function readThreadMs(): number | undefined {
  if (!('threadCpuUsage' in process)) return undefined;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
