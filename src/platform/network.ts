import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import { readStringOr } from '../base/json.ts';
import type { Log } from './log.ts';
import { onDidChangeSettings, getSetting, getVsCodeSetting } from './settings.ts';
import type { ConnectionSettings } from '../service/http/connector.ts';
import type { Transport } from '../service/http/client.ts';
import { isUnencryptedPrivateUrl } from '../service/http/private-network.ts';

/** Network stack that sends requests. `direct`: the extension's own connections. `editor`: VS Code's network stack. */
export type TransportKind = 'direct' | 'editor';

/**
 * Opens a transport with the current network settings. The code of each transport kind is loaded on
 * first use.
 */
export async function openTransport(kind: TransportKind): Promise<Transport> {
  if (kind === 'editor') {
    const { createEditorTransport } = await import('../service/http/editor-transport.ts');
    return withDirectLocalNetwork(createEditorTransport(globalThis.fetch), openDirectTransport);
  }
  return openDirectTransport();
}

async function openDirectTransport(): Promise<Transport> {
  const { createDirectTransport } = await import('../service/http/direct-transport.ts');
  return createDirectTransport(readConnectionSettings());
}

/**
 * Returns a transport that sends unencrypted requests to the local network by direct connections, and all other
 * requests through `transport`. VS Code's network stack could send unencrypted local requests to other machines,
 * because it may use a proxy and resolves host names itself.
 */
export function withDirectLocalNetwork(
  transport: Transport,
  openDirectConnection: () => Promise<Transport>,
): Transport {
  let directTransportPromise: Promise<Transport> | undefined;
  return {
    send: async (request) => {
      if (!isUnencryptedPrivateUrl(request.url)) return transport.send(request);
      directTransportPromise ??= openDirectConnection();
      return (await directTransportPromise).send(request);
    },
    close: async () => {
      await transport.close();
      await (await directTransportPromise)?.close();
    },
  };
}

/**
 * Reads VS Code's network settings from the user scope only, because a workspace must not configure
 * a proxy.
 */
function readConnectionSettings(): ConnectionSettings {
  const strictSSL = getVsCodeSetting('http.proxyStrictSSL') !== false;
  const systemCertificates = getVsCodeSetting('http.systemCertificates') !== false;
  if (getVsCodeSetting('http.proxySupport') === 'off') return { strictSSL, systemCertificates };
  const noProxy = getVsCodeSetting('http.noProxy');
  return {
    strictSSL,
    systemCertificates,
    proxy: {
      url: readStringOr(getVsCodeSetting('http.proxy'), ''),
      noProxy: Array.isArray(noProxy) ? noProxy.filter((host) => typeof host === 'string') : [],
      authorization: readStringOr(getVsCodeSetting('http.proxyAuthorization'), ''),
    },
    environment: process.env,
  };
}

/**
 * Source of the transport to the service. Opens a transport on first use, and opens a new transport
 * after a change of the network settings.
 */
export interface TransportSource extends Disposable {
  /** Kind of transport selected in the settings. */
  readonly kind: TransportKind;
  /** Returns an open transport of the selected kind. */
  getTransport(): Promise<Transport>;
  openTransport(kind: TransportKind): Promise<Transport>;
  /** Fires when the network settings change. The next call of `getTransport` returns a new transport. */
  readonly onDidChange: Event<void>;
}

export function createTransportSource(
  log: Log,
  openTransportOfKind = openTransport,
): TransportSource {
  const disposables = new DisposableStore();
  const onDidChangeEmitter = disposables.add(
    new Emitter<void>((error) => log.error('Could not run a listener', error)),
  );
  const transports = new Map<TransportKind, Promise<Transport>>();

  const getOrOpenTransport = (kind: TransportKind): Promise<Transport> => {
    const cachedPromise = transports.get(kind);
    if (cachedPromise !== undefined) return cachedPromise;
    const transportPromise = openTransportOfKind(kind);
    transports.set(kind, transportPromise);
    // A failed attempt is not cached, so that the next call can retry.
    transportPromise.catch(() => {
      if (transports.get(kind) === transportPromise) transports.delete(kind);
    });
    return transportPromise;
  };
  const closeTransports = (): void => {
    for (const transportPromise of transports.values()) {
      transportPromise
        .then((transport) => transport.close())
        .catch((error: unknown) => log.error('Could not close a transport', error));
    }
    transports.clear();
  };

  disposables.add({ dispose: closeTransports });
  disposables.add(
    onDidChangeSettings(['inferenceService.network', 'http'], () => {
      closeTransports();
      onDidChangeEmitter.fire();
    }),
  );
  return {
    get kind() {
      return getCurrentTransportKind();
    },
    getTransport: () => getOrOpenTransport(getCurrentTransportKind()),
    openTransport: getOrOpenTransport,
    onDidChange: onDidChangeEmitter.event,
    dispose: () => disposables.dispose(),
  };
}

const getCurrentTransportKind = (): TransportKind =>
  getSetting('inferenceService.network.transport');
