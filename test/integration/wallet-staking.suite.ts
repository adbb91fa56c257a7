import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { offerUnfinishedStake } from '../../src/wallet/vscode/unfinished-hints.ts';
import {
  revokeApprovalCommand,
  stakeCommand,
} from '../../src/wallet/staking/vscode/stake-command.ts';
import { acquireWindowLock } from '../../src/platform/window-lock.ts';
import { unstakeCommand } from '../../src/wallet/staking/vscode/unstake-command.ts';
import { waitUntil } from '../support/eventually.ts';
import { startHttpServer } from '../support/loopback.ts';
import type { StakingRecord } from '../../src/wallet/staking/stake-journal.ts';
import {
  readAllowance,
  readBalance,
  readStakedBalance,
} from '../../src/wallet/staking/staking-state.ts';
import { encodeStepCall, type StepParameters } from '../../src/wallet/staking/staking-steps.ts';
import { createLocalSigner } from '../../src/wallet/local/local-signer.ts';
import { withSettings } from './account-fixture.ts';
import { cancelProgressWhen, StakingScene } from './staking-fixture.ts';

const tokenUnit = 10n ** 18n;
const chainSettingName = 'inferenceService.wallet.chain';

const createStepParameters = ({ chain, account }: StakingScene, amount = 0n): StepParameters => ({
  token: chain.token,
  staking: chain.staking,
  from: account.address,
  amount,
});
const readStakedAmount = (scene: StakingScene) =>
  readStakedBalance(scene.client, createStepParameters(scene));
const readCurrentAllowance = (scene: StakingScene) =>
  readAllowance(scene.client, createStepParameters(scene));

/**
 * Sends the approval transaction with which staking of the amount begins. Returns the record that the extension would
 * have stored if it had been interrupted after this transaction.
 */
async function approveAllowance(scene: StakingScene, amount: bigint): Promise<StakingRecord> {
  const { address, privateKey } = scene.account;
  const key = {
    kind: 'private-key' as const,
    address,
    open: async () => Uint8Array.from(Buffer.from(privateKey.slice(2), 'hex')),
  };
  const signer = createLocalSigner(key, scene.client);
  const parameters = createStepParameters(scene, amount);
  const call = encodeStepCall('approve', parameters);
  const [nonce, blockNumber, allowanceBefore] = await Promise.all([
    scene.countTransactions(),
    scene.client.getBlockNumber(),
    readCurrentAllowance(scene),
  ]);
  const review = { purpose: '', rows: [], warnings: [] };
  const transaction = { ...call, chainId: scene.chain.id, value: 0n, review };
  await signer.sendTransaction(transaction, new AbortController().signal);
  // The chain accepts a transaction before it mines it.
  await waitUntil(async () => (await scene.countTransactions()) > nonce);
  return {
    ...parameters,
    purpose: 'stake',
    chainId: scene.chain.id,
    allowanceBefore: 0n,
    measureBefore: allowanceBefore,
    time: 1,
    sending: { step: 'approve', ...call, nonce, block: blockNumber },
  };
}

suite('the staking command', () => {
  test('stakes the typed amount after confirmation, and suggests key minting', async () => {
    using scene = await new StakingScene(2).connectAccount();
    const stakeBefore = await readStakedAmount(scene);
    scene.input.type('1,5', '2000', '1.5');
    scene.dialogs.buttonsToPress.push('Details', 'Stake', 'Get API Key with Wallet');
    assert.equal(await stakeCommand(scene.host), true);
    assert.match(
      scene.input.shownPrompts[0] ?? '',
      /your share of the pool, first at 00:00 UTC .* at least 0\.1 DIEM .*\. Unstaking takes 7 days\.$/,
    );
    assert.equal(await readStakedAmount(scene), stakeBefore + (15n * tokenUnit) / 10n);
    assert.equal(await readCurrentAllowance(scene), 0n);
    assert.match(scene.input.shownProblems[0] ?? '', /^Enter an amount such as/);
    assert.match(scene.input.shownProblems[1] ?? '', /^At most \d+(?:\.\d+)? STK/);
    assert.match(
      await scene.readLastMessage(),
      /^1\.5 STK are staked, which makes [\d.]+ STK in all\.$/,
    );
    assert.deepEqual(scene.commands, ['inferenceService.mintKey']);
    assert.deepEqual(readdirSync(scene.folder), []);
    const review = scene.dialogDetails.join('\n');
    for (const part of [
      scene.account.address,
      scene.chain.staking,
      scene.chain.token,
      'Local Chain (31337)',
      'approve(address,uint256): 1.5 STK',
      'stake(uint256): 1.5 STK',
      'Allowance: 0 STK → 0 STK',
    ])
      assert.ok(review.includes(part), `${part} is not in:\n${review}`);
    assert.doesNotMatch(review, /Simulation/u, 'both steps were simulated');
    assert.match(review, /Network fee: about 0\.\d{1,6} ETH/);
    assert.ok(
      !scene.collectedOutput.includes(scene.account.privateKey.slice(2)),
      'the key is nowhere',
    );
  });

  test('does not suggest key minting if the command was started from key minting', async () => {
    using scene = await new StakingScene(2).connectAccount();
    scene.input.type('1');
    scene.dialogs.buttonsToPress.push('Stake', 'Get API Key with Wallet');
    assert.equal(await stakeCommand(scene.host, { offersKey: false }), true);
    await scene.readLastMessage();
    assert.deepEqual(scene.commands, []);
  });

  test('sends nothing if the user cancels', async () => {
    using scene = await new StakingScene(2).connectAccount();
    const countBefore = await scene.countTransactions();
    assert.equal(await stakeCommand(scene.host), false, 'the amount');
    scene.input.type('1');
    assert.equal(await stakeCommand(scene.host), false, 'the review');
    assert.equal(await scene.countTransactions(), countBefore);
    assert.deepEqual(readdirSync(scene.folder), []);
  });

  test('reports that the wallet has no balance to stake', async () => {
    using scene = await new StakingScene(5).connectAccount();
    assert.equal(await stakeCommand(scene.host), false);
    assert.match(await scene.readLastMessage(), /does not hold enough.* balance is 0/);
  });

  test('shows nothing when the user selects no account', async () => {
    using scene = new StakingScene(2);
    const originalPick = vscode.window.showQuickPick;
    Object.assign(vscode.window, { showQuickPick: async () => undefined });
    try {
      assert.equal(await stakeCommand(scene.host), false);
    } finally {
      Object.assign(vscode.window, { showQuickPick: originalPick });
    }
    await scene.readLastMessage();
    assert.deepEqual(scene.dialogs.shownMessages, []);
  });

  test('requests a missing chain setting, stores it in the user settings, and completes the stake', async () => {
    using scene = await new StakingScene(2).connectAccount();
    await using otherNode = await startHttpServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const sendReply = async (): Promise<void> => {
        const { id } = JSON.parse(await text(request)) as { id: unknown };
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x2105' }));
      };
      void sendReply();
    });
    const stakeBefore = await readStakedAmount(scene);
    const { chainId, rpcUrl, token, stakingContract } = scene.chainFacts;
    const { input } = scene;
    input.acceptInput();
    input.type('http://192.168.1.5:8545', `http://127.0.0.1:${otherNode.port}`);
    input.type(rpcUrl);
    input.goBack();
    input.acceptInput();
    input.type('0x12', token);
    input.type(token, stakingContract);
    input.type('1');
    scene.dialogs.buttonsToPress.push('Stake');
    await withSettings({ [chainSettingName]: undefined }, async () => {
      assert.equal(await stakeCommand(scene.host), true);
      const storedSetting = vscode.workspace.getConfiguration().inspect(chainSettingName);
      assert.deepEqual(storedSetting?.globalValue, { chainId, rpcUrl, token, stakingContract });
      assert.equal(storedSetting?.workspaceValue, undefined);
    });
    assert.equal(await readStakedAmount(scene), stakeBefore + tokenUnit);
    assert.equal(input.proposedValues[0], String(chainId));
    assert.match(input.shownPrompts[0] ?? '', /^The service claims to use chain 31337\./);
    assert.deepEqual(input.proposedValues.slice(1, 6), [
      '',
      `http://127.0.0.1:${otherNode.port}`,
      '',
      rpcUrl,
      '',
    ]);
    assert.match(input.validationMessages[2] ?? '', /^Chain 8453 answers instead of 31337\./);
    assert.match(input.shownProblems[0] ?? '', /https:\/\//);
    assert.match(input.shownProblems.join('\n'), /40 hexadecimal digits[^]*differ from each other/);
  });

  test('stores nothing if the user closes the form for the chain setting', async () => {
    using scene = await new StakingScene(2).connectAccount();
    scene.input.acceptInput();
    await withSettings({ [chainSettingName]: undefined }, async () => {
      assert.equal(await stakeCommand(scene.host), false);
      const storedSetting = vscode.workspace.getConfiguration().inspect(chainSettingName);
      assert.equal(storedSetting?.globalValue, undefined);
    });
    assert.equal(scene.input.shownPrompts.length, 2);
    await scene.readLastMessage();
    assert.deepEqual(scene.dialogs.shownMessages, []);
  });

  test('reports an invalid chain setting, with a link to the setting', async () => {
    using scene = await new StakingScene(2).connectAccount();
    scene.dialogs.buttonsToPress.push('Open Settings');
    const { token, stakingContract } = scene.chainFacts;
    const invalidChain = { chainId: 1, rpcUrl: 'http://rpc.test', token, stakingContract };
    await withSettings({ [chainSettingName]: invalidChain }, async () => {
      assert.equal(await stakeCommand(scene.host), false);
    });
    assert.match(await scene.readLastMessage(), /rpcUrl cannot be used/);
    assert.deepEqual(scene.commands, ['workbench.action.openSettings']);
  });

  test('resumes after a crash from the state of the chain, and sends no transaction twice', async () => {
    using scene = await new StakingScene(3).connectAccount();
    const valuesBefore = [await readStakedAmount(scene), await scene.countTransactions()] as const;
    await scene.journal.write(await approveAllowance(scene, 2n * tokenUnit));
    scene.dialogs.buttonsToPress.push('Resume');
    await offerUnfinishedStake(scene.host);
    assert.deepEqual(scene.commands, ['inferenceService.wallet.stake']);
    scene.dialogs.buttonsToPress.push('Resume');
    assert.equal(await stakeCommand(scene.host), true);
    assert.equal(await readStakedAmount(scene), valuesBefore[0] + 2n * tokenUnit);
    assert.equal(await scene.countTransactions(), valuesBefore[1] + 2);
    assert.equal(await scene.journal.read(), undefined);
    assert.match(scene.dialogDetails[0] ?? '', /Approve: the answer of your wallet is not known/);
  });

  test('requires confirmation before it resends a transaction of unknown state', async () => {
    using scene = await new StakingScene(3).connectAccount();
    const record = await approveAllowance(scene, 2n * tokenUnit);
    const countBefore = await scene.countTransactions();
    const { sending } = record;
    assert.ok(sending);
    await scene.journal.write({ ...record, sending: { ...sending, nonce: countBefore } });
    scene.dialogs.buttonsToPress.push('Resume');
    assert.equal(await stakeCommand(scene.host), false);
    assert.match(scene.dialogs.shownMessages[1] ?? '', /^Send this transaction once more\?/);
    assert.equal(await scene.countTransactions(), countBefore);
    assert.ok((await scene.journal.read())?.sending, 'it is still remembered');
    scene.dialogs.buttonsToPress.push('Resume', 'Send it again');
    assert.equal(await stakeCommand(scene.host), true);
    assert.equal(await scene.countTransactions(), countBefore + 1, 'the approval is there already');
  });

  test('stops waiting on Cancel, reports pending transactions, and resumes later', async () => {
    using scene = await new StakingScene(3).connectAccount();
    const countBefore = await scene.countTransactions();
    scene.input.type('1');
    scene.dialogs.buttonsToPress.push('Stake');
    {
      using _ = cancelProgressWhen(/^Stake: /);
      assert.equal(await stakeCommand(scene.host), false);
    }
    assert.match(await scene.readLastMessage(), /^Waiting was stopped.* Resume to check it/);
    assert.equal((await scene.journal.read())?.sending?.step, 'stake');
    scene.dialogs.buttonsToPress.push('Resume', 'Send it again');
    assert.equal(await stakeCommand(scene.host), true);
    assert.equal(await scene.countTransactions(), countBefore + 2);
    assert.equal(await readCurrentAllowance(scene), 0n);
  });

  test('revokes a leftover token approval', async () => {
    using scene = await new StakingScene(3).connectAccount();
    const { sending: _, ...record } = await approveAllowance(scene, 3n * tokenUnit);
    await scene.journal.write(record);
    scene.dialogs.buttonsToPress.push('Details', 'Revoke');
    assert.equal(await revokeApprovalCommand(scene.host), true);
    assert.equal(await readCurrentAllowance(scene), 0n);
    assert.equal(await scene.journal.read(), undefined);
    assert.match(scene.dialogDetails.join('\n'), /3 STK → 0 STK/);
    assert.equal(await revokeApprovalCommand(scene.host), false, 'nothing is left');
  });

  test('deletes the record of a stake that the user abandons', async () => {
    using scene = await new StakingScene(3).connectAccount();
    const { sending: _, ...record } = await approveAllowance(scene, 0n);
    await scene.journal.write({ ...record, amount: tokenUnit });
    scene.dialogs.buttonsToPress.push('Discard');
    assert.equal(await stakeCommand(scene.host), false);
    assert.equal(await scene.journal.read(), undefined);
  });

  test('runs in only one window at a time', async () => {
    using scene = await new StakingScene(2).connectAccount();
    {
      using _lock = await acquireWindowLock(scene.folder);
      assert.equal(await stakeCommand(scene.host), false);
      assert.match(await scene.readLastMessage(), /^This is already under way/);
      await offerUnfinishedStake(scene.host);
      assert.equal(scene.dialogs.shownMessages.length, 1);
    }
    const countBefore = await scene.countTransactions();
    scene.input.type('1');
    scene.dialogs.buttonsToPress.push('Stake');
    const outcomes = await Promise.all([stakeCommand(scene.host), stakeCommand(scene.host)]);
    assert.deepEqual(new Set(outcomes), new Set([false, true]));
    assert.equal(await scene.countTransactions(), countBefore + 2);
  });

  test('starts to unstake, and reports when the tokens will be available', async () => {
    using scene = await new StakingScene(2).connectAccount();
    const stakedTotal = await readStakedAmount(scene);
    scene.input.pressMaxButton();
    scene.dialogs.buttonsToPress.push('Unstake');
    assert.equal(await unstakeCommand(scene.host), true);
    assert.equal(await readStakedAmount(scene), 0n);
    assert.match(
      scene.input.shownPrompts[0] ?? '',
      /^Staked: [\d.]+ STK\. .*Unstaking takes 7 days/,
    );
    assert.match(scene.dialogDetails.join('\n'), /Unstaking takes 7 days/);
    assert.ok(stakedTotal > 0n);
    assert.equal(await unstakeCommand(scene.host), false);
    assert.match(await scene.readLastMessage(), /STK can be withdrawn in 7 days\.$/);
    assert.ok((await readBalance(scene.client, createStepParameters(scene))) > 0n);
  });
});
