import { type Model, type ServerKind, getServerKind } from '../service/model-types.ts';
import type { CompletionRoute, CompletionTarget } from './ports.ts';
import { findFimFormat } from './prompt/prompt-format.ts';

/**
 * Values of the setting for the API route of suggestions.
 * - `auto`: best route if the software of the server is known, such as Ollama; otherwise `chat`.
 * - `completions`: like `auto`, but tries `completions` before `chat` if the software is unknown.
 * - `chat`: always `chat`.
 */
export type RouteSetting = 'auto' | 'chat' | 'completions';

type RoutedModel = Pick<Model, 'id' | 'name' | 'capabilities'>;

/**
 * Returns the routes that may complete code with a model, best first. The last route is always `chat`. Includes routes
 * that the server may refuse with an error. Excludes routes on which the server may ignore the suffix without an error.
 */
export function listPossibleRoutes(
  model: RoutedModel,
  serverKind: ServerKind | undefined,
  setting: RouteSetting,
): readonly CompletionRoute[] {
  if (setting === 'chat') return ['chat'];
  const { supportsInsert } = model.capabilities;
  const completionsRoutes: readonly CompletionRoute[] =
    supportsInsert === false ? [] : ['completions'];
  const fimRoutes: readonly CompletionRoute[] = findFimFormat(model) === undefined ? [] : ['fim'];
  switch (serverKind) {
    case 'llamacpp':
      return ['infill', ...fimRoutes, 'chat'];
    case 'vllm':
    case 'lmstudio':
      return [...fimRoutes, 'chat'];
    case 'ollama':
      return [...completionsRoutes, 'chat'];
    case 'litellm': {
      // Some backends ignore a suffix, so a model without reported insertion support is tried only if it is made for
      // code.
      const isTried = supportsInsert === true || fimRoutes.length > 0 || setting === 'completions';
      return isTried ? [...completionsRoutes, 'chat'] : ['chat'];
    }
    case undefined:
      return setting === 'completions' ? [...completionsRoutes, 'chat'] : ['chat'];
  }
}

/** Milliseconds until a rejected route is tried again, because a server can be restarted with other options. */
const refusalTtlMs = 60 * 60_000;

/**
 * Selects the API route for each model. Stores the routes that the server refused for each model. A refusal is valid
 * for an hour, or until the server or its model list changes.
 */
export class RouteSelection {
  readonly #now: () => number;
  /** Time at which each rejected route may be tried again, in milliseconds since the epoch, by route and model. */
  readonly #refusedUntil = new Map<string, number>();
  #serverKey = '';
  #serverKind: ServerKind | undefined;
  #setting: RouteSetting = 'chat';

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Sets the server, its models and the user's setting for the route. Tries all routes again if the base URL or the
   * model ids change.
   */
  update(options: {
    readonly baseUrl: string;
    readonly models: readonly Model[];
    readonly setting: RouteSetting;
  }): void {
    const { baseUrl, models, setting } = options;
    const serverKey = JSON.stringify([baseUrl, models.map(({ id }) => id)]);
    if (serverKey !== this.#serverKey) this.#refusedUntil.clear();
    this.#serverKey = serverKey;
    this.#serverKind = getServerKind(models);
    this.#setting = setting;
  }

  /** Returns the best route that the server has not refused for the model. */
  selectRoute(model: RoutedModel): CompletionRoute {
    const routes = listPossibleRoutes(model, this.#serverKind, this.#setting);
    return routes.find((route) => !this.#isRefused(model, route)) ?? 'chat';
  }

  /**
   * Records that the server refused a route for a model. Returns the next route; undefined if no other route remains.
   */
  recordRefusal({ model, route }: CompletionTarget): CompletionRoute | undefined {
    this.#refusedUntil.set(getRouteKey(model, route), this.#now() + refusalTtlMs);
    const nextRoute = this.selectRoute(model);
    return nextRoute === route ? undefined : nextRoute;
  }

  #isRefused(model: RoutedModel, route: CompletionRoute): boolean {
    return this.#now() < (this.#refusedUntil.get(getRouteKey(model, route)) ?? 0);
  }
}

const getRouteKey = ({ id }: RoutedModel, route: CompletionRoute): string => `${route} ${id}`;
