import type { ApiGrant } from './access.ts';
import {
  accessKinds,
  type ApiAccess,
  type ApiCall,
  type ApiChatEvent,
  type ApiClient,
  type ApiConnection,
  type ApiConnectOptions,
  type ApiImageOptions,
  type ApiImageResult,
  type ApiModels,
  type ApiProblem,
} from './api-types.ts';
import { isRecord } from '../base/json.ts';
import type { Lazy } from '../base/lazy.ts';
import type { Host } from '../host.ts';
import type { ImageServices } from '../image/vscode/image-services.ts';
import type { MintOptions, MintResult } from '../wallet/mint/vscode/mint-headless.ts';

/**
 * API that `activate` returns to other extensions. Functions can be added within one API version, but never changed or
 * removed. The user allows each call, or a connection until the window closes. Failures of the service and calls that
 * the user denies are results, never rejected promises.
 */
export interface ExportedApi {
  readonly version: 1;
  /**
   * Mints an API key for the active profile. The options or environment variables contain the path of the account's key
   * file. Prompts the user each time unless `INFERENCE_SERVICE_ALLOW_MINT` is `1`. Never rejects: failures of the
   * service, the chain or the account are results.
   */
  mintKey(options?: MintOptions): Promise<MintResult>;
  /**
   * Prompts the user once to allow access in this window. VS Code does not identify callers, so the access is bound
   * to the returned object, not to an extension id.
   */
  connect(options: ApiConnectOptions): Promise<ApiConnection | ApiProblem>;
  /** Lists the models of the active profile. Each call prompts the user for consent. */
  models(call?: ApiCall): Promise<ApiModels>;
  /** Sends chat requests to models. The user pays for them, within the user's budget. */
  readonly client: ApiClient;
  /** Generates one image after the user confirms the prompt and the price. */
  generateImage(options: ApiImageOptions): Promise<ApiImageResult>;
}

/** Creates the API for other extensions. Loads the code of each function on its first call. */
export const createExportedApi = (host: Host, images: Lazy<ImageServices>): ExportedApi =>
  Object.freeze({
    version: 1,
    mintKey: async (options: MintOptions = {}) => {
      const { mintForExtension } = await import('../wallet/mint/vscode/mint-headless.ts');
      return mintForExtension(host, { ...options });
    },
    connect: async (options) => {
      const { getAccess, createInvalidRequestProblem, notAllowedProblem } =
        await import('./access.ts');
      const { readCaller } = await import('./api-chat.ts');
      const kinds = readAccess(options);
      if (kinds === undefined)
        return createInvalidRequestProblem(
          '`access` must list at least one of models, chat and image.',
        );
      const grant = await getAccess(host).promptForGrant(readCaller(options), kinds);
      if (grant === undefined) return notAllowedProblem;
      return Object.freeze({ ok: true, ...createApiFunctions(host, images, grant) });
    },
    ...createApiFunctions(host, images),
  } satisfies ExportedApi);

/** Creates the API functions of a connection. Without a grant, each call prompts the user for consent. */
const createApiFunctions = (
  host: Host,
  images: Lazy<ImageServices>,
  grant?: ApiGrant,
): Omit<ApiConnection, 'ok'> => ({
  models: async (call?: ApiCall) =>
    (await import('./api-calls.ts')).listModelsForExtension(host, call, grant),
  client: Object.freeze({
    complete: async (request) =>
      (await import('./api-chat.ts')).completeForExtension(host, request, grant),
    stream: async function* (request): AsyncGenerator<ApiChatEvent> {
      yield* (await import('./api-chat.ts')).streamForExtension(host, request, grant);
    },
  } satisfies ApiClient),
  generateImage: async (options) =>
    (await import('./api-calls.ts')).generateImageForExtension(host, images, options, grant),
});

/** Returns the requested kinds of access; undefined for an invalid or empty list. */
function readAccess(options: unknown): readonly ApiAccess[] | undefined {
  const access = isRecord(options) ? options['access'] : undefined;
  if (!Array.isArray(access)) return undefined;
  const kinds = accessKinds.filter((kind) => access.includes(kind));
  const isKnown = access.every((kind) => accessKinds.some((knownKind) => knownKind === kind));
  return isKnown && kinds.length > 0 ? kinds : undefined;
}
