import { systemClock } from '../../src/base/clock.ts';
import { discoverWallets } from './provider.ts';
import { HostLink, tokenOf } from './host-link.ts';
import { pageWords } from './page-view.ts';
import { WalletApp } from './app.ts';
import { WalletPage } from './wallet-page.ts';

const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const token = tokenOf(location);
const base = new URL('.', location.href);
// Out of the address, so that it is neither seen nor kept in the history.
history.replaceState(null, '', base.pathname);

const link = new HostLink({
  fetch: (...args) => fetch(...args),
  base,
  storage: sessionStorage,
  clock: systemClock,
  signal: new AbortController().signal,
});
const page: WalletPage = new WalletPage({ link, onChange: (view) => app.paint(view) });
const app = new WalletApp({ root, words: pageWords(root), page });

app.paint(page.view);
discoverWallets(globalThis.window, (wallets, isSearching) => page.found(wallets, isSearching));
window.addEventListener('pagehide', () => page.leave());
void page.run(token);
