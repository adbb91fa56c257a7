import type {
  ApiCall,
  ApiChatEvent,
  ApiClient,
  ApiImageOptions,
  ApiImageResult,
  ApiModels,
} from './api-types.ts';
import type { Lazy } from '../base/lazy.ts';
import type { Host } from '../host.ts';
import type { ImageServices } from '../image/vscode/image-services.ts';
import type { MintOptions, MintResult } from '../wallet/mint/vscode/mint-headless.ts';

/**
 * API that `activate` returns to other extensions. New versions only add to it. The user must allow
 * each call and can store the decision. Refusals and failures of the service are results, never
 * rejections.
 */
export interface ExportedApi {
  readonly version: 1;
  /**
   * Mints an API key for the active profile with the account that environment variables name.
   * Prompts the user each time unless `INFERENCE_SERVICE_ALLOW_MINT` is `1`. Failures of the
   * service, the chain or the account are results, never rejections.
   */
  mintKey(options?: MintOptions): Promise<MintResult>;
  /** Lists the models of the active profile. */
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
    models: async (call) => (await import('./api-models.ts')).listModelsForExtension(host, call),
    client: Object.freeze({
      complete: async (request) =>
        (await import('./api-chat.ts')).completeForExtension(host, request),
      stream: async function* (request): AsyncGenerator<ApiChatEvent> {
        yield* (await import('./api-chat.ts')).streamForExtension(host, request);
      },
    } satisfies ApiClient),
    generateImage: async (options) =>
      (await import('./api-image.ts')).generateImageForExtension(host, images, options),
  } satisfies ExportedApi);
