import { stringOr } from '../base/json.ts';
import type { ConnectionSettings } from '../service/http/connector.ts';
import type { Transport } from '../service/http/transport.ts';
import { userSetting } from './settings.ts';

/** `direct`: connections of our own. `editor`: through the editor's network stack. */
export type TransportKind = 'direct' | 'editor';

/** Opens a way to the service with the network settings of now. The code of each is loaded on first use. */
export async function openTransport(kind: TransportKind): Promise<Transport> {
  if (kind === 'editor') {
    const { createEditorTransport } = await import('../service/http/editor-transport.ts');
    return createEditorTransport(globalThis.fetch);
  }
  const { createDirectTransport } = await import('../service/http/direct-transport.ts');
  return createDirectTransport(connectionSettings());
}

/** The editor's own network settings, as the user set them: a workspace must not put a proxy in between. */
function connectionSettings(): ConnectionSettings {
  const strictSSL = userSetting('http.proxyStrictSSL') !== false;
  const systemCertificates = userSetting('http.systemCertificates') !== false;
  if (userSetting('http.proxySupport') === 'off') return { strictSSL, systemCertificates };
  const noProxy = userSetting('http.noProxy');
  return {
    strictSSL,
    systemCertificates,
    proxy: {
      url: stringOr(userSetting('http.proxy'), ''),
      noProxy: Array.isArray(noProxy) ? noProxy.filter((each) => typeof each === 'string') : [],
      authorization: stringOr(userSetting('http.proxyAuthorization'), ''),
    },
    environment: process.env,
  };
}
