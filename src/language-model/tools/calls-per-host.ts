/** Short addresses that are many can carry as much away as a long one. */
const mostCalls = 20;

/** Counts calls that tell a host of the web something. What a person allowed of a host covers twenty, then they are asked anew. */
export class CallsPerHost {
  readonly #counts = new Map<string, number>();

  /** Counts a call. @returns whether the person is to be asked about it, whatever they allowed before */
  isBeyond(host: string): boolean {
    const count = (this.#counts.get(host) ?? 0) + 1;
    this.#counts.set(host, count);
    return count > mostCalls;
  }

  /** The person agreed to go on with the host. */
  agreed(host: string): void {
    this.#counts.delete(host);
  }
}
