import { systemClock } from '../../src/base/clock.ts';
import { readPollReply, walletPageVersion } from '../../src/wallet/browser/protocol.ts';
import { HostLink, takeToken } from '../base/host-link.ts';
import { discoverWallets } from './provider.ts';
import { readLabels } from './page-view.ts';
import { WalletApp } from './app.ts';
import { type WalletLink, WalletPage } from './wallet-page.ts';

const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const { token, base } = takeToken();

const link: WalletLink = new HostLink({
  fetch: (...args) => fetch(...args),
  ...{ base, storage: sessionStorage, clock: systemClock },
  ...{ version: walletPageVersion, readReply: readPollReply },
  hasChanges: ({ state, requestId }, had) => state !== null || requestId !== had.requestId,
});
const page: WalletPage = new WalletPage({ link, onChange: (view) => app.render(view) });
const app = new WalletApp({ root, labels: readLabels(root), page });

app.render(page.view);
discoverWallets(globalThis.window, (wallets, isSearching) =>
  page.showWallets(wallets, isSearching),
);
window.addEventListener('pagehide', () => page.leave());
void page.run(token);
