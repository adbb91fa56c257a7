import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deployment, startDeployment } from '../foreign/strict-deployment.mjs';
import { eventually } from '../support/eventually.ts';
import { InjectedWallet } from '../support/injected-wallet/injected-wallet.ts';
import { connectWithForm } from './pages/sign-in.ts';
import { fillField, pressIn } from './pages/typing.ts';
import { WalletPage } from './pages/wallet-page.ts';
import { useSession } from './session.ts';

/**
 * Private key of an account that has a stake. The simulated deployment gives a stake to each account whose address ends
 * with an even hexadecimal digit.
 */
const stakedAccount = `0x${'1'.repeat(64)}` as const;

const deployments = (['full', 'minimal'] as const).flatMap((shape) =>
  ['zephyr', 'acme'].map((word) => ({ shape, word })),
);

describe.each(deployments)(
  'a service with $shape replies and the vendor prefix "$word"',
  ({ shape, word }) => {
    let deployment: Deployment;
    const session = useSession({
      name: `deployment-${shape}-${word}`,
      settings: { 'inferenceService.baseUrl': undefined, 'inferenceService.chat.model': undefined },
      env: { INFERENCE_SERVICE_API_KEY: undefined },
      files: { 'notes.md': '# Notes\n\n' },
    });

    beforeAll(async () => {
      deployment = await startDeployment({ shape, word });
    });
    afterAll(() => deployment.close());

    test('answers the first message and web search after the user enters the address and the key', async () => {
      const { workbench, chat } = session();
      await workbench.runCommand('Inference Service: Open Chat');
      const { baseUrl, keys } = deployment.ready;
      await connectWithForm(session(), { baseUrl, key: keys.inference });

      await chat.sendText('Hello');
      await chat.waitUntilIdle();
      expect(await chat.lastAnswer.getByLabel('Problem').allInnerTexts()).toEqual([]);
      expect((await chat.lastAnswer.innerText()).trim()).not.toBe('');

      await session().openNewChat();
      // Only a wide panel has a separate search button.
      await workbench.resizeSecondarySideBar(480);
      await chat.locateButton('Web search: Off').click();
      await chat.locateButton('Web search: When it helps').click();
      await chat.locateButton('Web search: Always').waitFor();
      await chat.sendText('What opened in the harbor?');
      await chat.waitUntilIdle();
      if (shape === 'full') {
        await chat.lastAnswer
          .getByRole('link', { name: /^Source 1: / })
          .first()
          .waitFor();
        expect(await chat.lastAnswer.innerText()).not.toContain('^1^');
        return;
      }
      // The replies contain no vendor prefix, so the extension takes it from the key.
      await chat.lastAnswer
        .getByText('The web reports: The harbor opened a second pier.')
        .waitFor();
      expect(await chat.lastAnswer.getByLabel('Problem').allInnerTexts()).toEqual([]);
    });

    test('generates the first image, which the extension inserts', async () => {
      const { workbench, folder } = session();
      await workbench.openFile('notes.md');
      await pressIn(workbench.editor, 'Control+End');
      await workbench.runCommand('Inference Service: Insert Image…');
      await fillField(workbench.quickInput, 'A lighthouse at dusk');
      await workbench.locateFocusedOption(/canvas/iu).waitFor();
      await pressIn(workbench.quickInput, 'Enter');
      await eventually(async () => {
        expect(await readdir(join(folder, 'images'))).toEqual([
          expect.stringMatching(/^a-lighthouse-at-dusk-\d+\.(?:webp|png|jpg)$/u),
        ]);
      });
      await workbench.editor.getByText('![A lighthouse at dusk]').first().waitFor();
      await workbench.closeOverlays();
    });

    test('creates the first key after a wallet signs, without a chain setting', async () => {
      const { workbench, page } = session();
      await InjectedWallet.install(page.context(), {
        privateKey: stakedAccount,
        chainId: 8453,
        // Nothing listens here: only a signature is necessary.
        rpcUrl: 'http://127.0.0.1:9',
      });
      const tab = await WalletPage.waitForPage(page.context(), async () => {
        await workbench.runCommand('Inference Service: Get API Key with Wallet…');
        await workbench.locateOption('Recommended').click();
        await workbench.locateOption('Browser wallet').click();
      });
      await tab.connect();
      await tab.pressAction();
      if (shape === 'minimal') await workbench.locateDialogButton('Send without it').click();
      await tab.waitForOutcome('Done');
    });
  },
);
