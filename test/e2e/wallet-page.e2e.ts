import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { InjectedWallet } from '../support/injected-wallet/injected-wallet.ts';
import { timeLimits } from '../support/time-limits.ts';
import { NotificationCenter } from './pages/notification-center.ts';
import { routeLoopbackProxy } from './pages/route-loopback-proxy.ts';
import { WalletPage } from './pages/wallet-page.ts';
import { useSession } from './session.ts';

describe('a browser wallet', () => {
  const session = useSession({
    name: 'wallet-page',
    needsChain: true,
    // Signed-out users have the command that connects a wallet.
    env: { INFERENCE_SERVICE_API_KEY: undefined },
  });
  let wallet: InjectedWallet;

  beforeAll(async () => {
    const { page, service } = session();
    const { chain } = service;
    if (chain === undefined) throw new Error('The service has no chain.');
    const { rpcUrl, chainId, accounts } = chain;
    const [, { privateKey } = { privateKey: '0x' as const }] = accounts;
    const options = { privateKey, rpcUrl, chainId, initialChainId: 1 };
    wallet = await InjectedWallet.install(page.context(), options);
  });

  // An earlier test that failed may have changed the wallet's state.
  beforeEach(() => {
    wallet.walletMode = 'approve';
  });

  /** Runs the command that connects a wallet and returns the tab that opens. */
  async function openWalletTab(): Promise<WalletPage> {
    const { page, workbench } = session();
    return WalletPage.waitForPage(page.context(), async () => {
      await page.bringToFront();
      await workbench.runCommand('Inference Service: Connect Wallet…');
      await workbench.locateOption('Browser wallet').click();
    });
  }

  test('connects in a separate tab, and VS Code shows the account', async () => {
    const { page, workbench, consoleLines } = session();
    const tab = await openWalletTab();
    await tab.connect();
    await tab.locateButton('Switch network').waitFor();
    await tab.pressAction();
    expect(await tab.waitForOutcome('Done')).toContain(wallet.address);
    expect(wallet.requests.map(({ method }) => method)).not.toContain('personal_sign');
    await tab.page.close();

    await page.bringToFront();
    await workbench.runCommand('Inference Service: Connect Wallet…');
    await workbench.locateOption(wallet.address).waitFor();
    await workbench.closeOverlays();
    expect(consoleLines.join('\n')).not.toMatch(/127\.0\.0\.1:\d+\/#[\w-]{43}/u);
  });

  test('is reported as busy in the tab and in VS Code while it shows another request', async () => {
    const { workbench } = session();
    wallet.walletMode = 'busy';
    const tab = await openWalletTab();
    await tab.connect();
    expect(await tab.waitForOutcome('Not done')).toContain('another request open');
    await tab.page.close();
    await new NotificationCenter(workbench).waitForNotification('another request open');
    await workbench.closeOverlays();
  });

  test('receives no request after the user clicks Cancel in VS Code', async () => {
    const { workbench } = session();
    const tab = await openWalletTab();
    await tab.locateButton(/^Connect with/u).waitFor();
    await new NotificationCenter(workbench).pressButton('Continue in your browser.', 'Cancel');
    expect(await tab.waitForOutcome('Not done')).toContain('Stopped.');
    expect(await tab.locateButton(/^Connect with/u).count()).toBe(0);
    await tab.page.close();
  });

  test('can connect through the copied link if the first tab does not load', async () => {
    const { page, workbench, service } = session();
    await wallet.switchChain(service.chain?.chainId ?? 0);
    const context = page.context();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await routeLoopbackProxy(context);
    // This route takes precedence over the proxy route, for the first tab only.
    await context.route(/\/proxy\/\d+\//u, (route) => route.abort(), { times: 1 });
    const pagePromise = context.waitForEvent('page', { timeout: timeLimits.condition });
    await page.bringToFront();
    await workbench.runCommand('Inference Service: Connect Wallet…');
    await workbench.locateOption('Browser wallet').click();
    const tab = new WalletPage(await pagePromise);
    tab.page.setDefaultTimeout(timeLimits.condition);
    const progress = await new NotificationCenter(workbench).waitForNotification(
      'Continue in your browser.',
    );
    await progress.getByText('Copy link', { exact: true }).click();
    await workbench.locateStatusBarItem(/The link was copied/u).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await tab.page.goto(link);
    await tab.connect();
    expect(await tab.waitForOutcome('Done')).toContain(wallet.address);
    await tab.page.close();
  });
});
