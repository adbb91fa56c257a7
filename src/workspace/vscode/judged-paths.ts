import type { ToolArguments } from '../../agent/tool.ts';
import { ToolError } from '../tool-error.ts';
import type { Paths, ResolvedPath } from './agent-paths.ts';

/** Keeps the places that a call was judged by until it runs, so that it runs on the same ones. */
export class JudgedPaths {
  readonly #paths: Paths;
  readonly #places = new WeakMap<ToolArguments, readonly ResolvedPath[]>();

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  /** For the plan of a call. */
  async resolve(args: ToolArguments, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const places = await Promise.all(paths.map((path) => this.#paths.resolve(path)));
    this.#places.set(args, places);
    return places;
  }

  /**
   * For its run.
   * @throws ToolError `refused-path` when something else has taken the place of one.
   */
  async recheck(args: ToolArguments, paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const judged = this.#places.get(args);
    if (judged === undefined) return this.#unjudged(paths);
    for (const place of judged) await this.#paths.recheck(place);
    return judged;
  }

  /** Without a plan nobody was asked: only what needs no question is allowed. */
  async #unjudged(paths: readonly string[]): Promise<readonly ResolvedPath[]> {
    const places = await Promise.all(paths.map((path) => this.#paths.resolve(path)));
    if (places.every(({ facts }) => facts.realInside)) return places;
    throw new ToolError('refused-path', 'The path is outside the workspace.');
  }
}
