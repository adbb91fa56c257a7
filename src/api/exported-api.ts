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
 * What `activate` returns to other extensions. Within one version, things are only added. The person is asked before
 * each call, and may remember their answer. Nothing rejects because of what the service or the person say: results tell.
 */
export interface ExportedApi {
  readonly version: 1;
  /**
   * Mints an API key for the active profile with the account that the editor's environment names. The person is asked
   * each time, unless `INFERENCE_SERVICE_ALLOW_MINT` is 1 in that environment. Never rejects because of what the
   * service, the chain or the account say: the result tells.
   */
  mintKey(options?: MintOptions): Promise<MintResult>;
  /** The models of the active profile. */
  models(call?: ApiCall): Promise<ApiModels>;
  /** Asks models, at the expense of the person and within their budget. */
  readonly client: ApiClient;
  /** Makes one picture. The person is shown the prompt and the price. */
  generateImage(options: ApiImageOptions): Promise<ApiImageResult>;
}

/** Loads nothing before it is used. */
export const exportedApi = (host: Host, images: Lazy<ImageServices>): ExportedApi =>
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
