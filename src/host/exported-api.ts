import type { Host } from './host.ts';
import type { MintOptions, MintResult } from './wallet/mint/mint-result.ts';

/** What `activate` returns to other extensions. Within one version, things are only added. */
export interface ExportedApi {
  readonly version: 1;
  /**
   * Mints an API key for the active profile with the account that the editor's environment names. The person is asked
   * each time, unless `INFERENCE_SERVICE_ALLOW_MINT` is 1 in that environment. Never rejects because of what the
   * service, the chain or the account say: the result tells.
   */
  mintKey(options?: MintOptions): Promise<MintResult>;
}

/** Loads nothing before it is used. */
export const exportedApi = (host: Host): ExportedApi =>
  Object.freeze({
    version: 1,
    mintKey: async (options: MintOptions = {}) => {
      const { mintForExtension } = await import('./wallet/mint/mint-for-extension.ts');
      return mintForExtension(host, { ...options });
    },
  });
