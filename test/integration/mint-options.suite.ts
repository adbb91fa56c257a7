import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { promptForKeyOptions } from '../../src/wallet/mint/vscode/key-options-input.ts';
import type { KeyOptions, KeyType } from '../../src/service/key-record.ts';
import { Dialogs } from './account-fixture.ts';
import { StepProbe } from './step-probe.ts';

const nowMs = Date.UTC(2026, 10, 21, 20);
const recommendedLabel = 'Recommended';
const customOptionLabel = 'Choose type, expiry and limit…';

suite('the options of a new key', () => {
  test('are requested step by step', async () => {
    const options = await readOptions(async (steps) => {
      await steps.choose(customOptionLabel);
      assert.equal(await steps.readStepNumber(), '1/6');
      await steps.choose('Inference');
      await steps.type('Laptop');
      await steps.choose('In 30 days');
      await steps.choose('In DIEM');
      await steps.type('2.5');
      await steps.choose('Each day');
      await steps.choose('Private models only');
    });
    assert.deepEqual(options, {
      type: 'INFERENCE',
      description: 'Laptop',
      expiresAt: '2026-12-21',
      consumptionLimit: { diem: 2.5 },
      limitPeriod: 'EPOCH',
      modelPrivacy: 'PRIVATE_ONLY',
    });
  });

  test('can all be left empty', async () => {
    const options = await readOptions(async (steps) => {
      await steps.choose(customOptionLabel);
      await steps.choose('Inference');
      await steps.type('');
      await steps.choose('Never');
      await steps.choose('No limit');
      assert.equal(await steps.readStepNumber(), '6/6');
      await steps.choose('All models');
    });
    assert.deepEqual(options, { type: 'INFERENCE' });
  });

  test('keep their values when the user returns to an earlier step', async () => {
    const options = await readOptions(async (steps) => {
      await steps.choose(customOptionLabel);
      await steps.goBack();
      await steps.choose(customOptionLabel);
      await steps.choose('Inference');
      await steps.type('First');
      await steps.choose('In 7 days');
      await steps.choose('No limit');
      // Three steps back, because a key without a limit has no step for the period.
      await steps.goBack();
      await steps.goBack();
      await steps.goBack();
      await steps.type('Second');
      await steps.choose('On a date…');
      await steps.goBack();
      await steps.choose('On a date…');
      await steps.type('2027-12-31');
      await steps.choose('No limit');
      await steps.choose('All models');
    });
    assert.deepEqual(options, {
      type: 'INFERENCE',
      description: 'Second',
      expiresAt: '2027-12-31',
    });
  });

  test('are rejected when the values are invalid', async () => {
    await readOptions(async (steps) => {
      await steps.choose(customOptionLabel);
      await steps.choose('Inference');
      assert.match(await steps.type('x'.repeat(65)), /at most 64 characters/);
      await steps.type('Editor');
      await steps.choose('On a date…');
      assert.match(await steps.type('2026-11-20'), /has passed/);
      assert.match(await steps.type('tomorrow'), /2027-12-31/);
      await steps.type('2026-12-24');
      await steps.choose('In US dollars');
      assert.match(await steps.type('1e3'), /^Enter an amount such as/);
      assert.match(await steps.type('0'), /^Enter an amount such as/);
      await steps.type('5');
      await steps.choose('In total');
      await steps.choose('All models');
    });
  });

  test('include the type ADMIN only after a second confirmation', async () => {
    using dialogs = new Dialogs();
    const options = await readOptions(async (steps) => {
      await steps.choose(customOptionLabel);
      await steps.choose('Admin');
      assert.equal(await steps.readStepNumber(), '1/6');
      assert.match(dialogs.shownMessages[0] ?? '', /create and revoke all other keys/);
      dialogs.buttonsToPress.push('Create an admin key');
      await steps.choose('Admin');
      assert.equal(await steps.readStepNumber(), '2/6');
      await steps.type('');
      await steps.choose('Never');
      await steps.choose('No limit');
      await steps.choose('All models');
    });
    assert.equal(options?.type, 'ADMIN');
  });

  test('recommend the type ADMIN for actions that require it, and require a second confirmation', async () => {
    using dialogs = new Dialogs();
    const options = await readOptions(async (steps) => {
      await steps.choose(recommendedLabel);
      await steps.choose(customOptionLabel);
      assert.equal(dialogs.shownMessages.length, 1);
      await steps.goBack();
      dialogs.buttonsToPress.push('Create an admin key');
      await steps.choose(recommendedLabel);
    }, 'ADMIN');
    assert.match(dialogs.shownMessages.join(), /create and revoke all other keys/);
    assert.equal(options?.type, 'ADMIN');
    assert.ok(options?.consumptionLimit);
  });
});

/**
 * Runs the prompts for the options of an API key, and calls `answer` to simulate the user's input. Returns the selected
 * options, or undefined if the user cancels.
 */
async function readOptions(
  answer: (steps: StepProbe) => Promise<void>,
  type?: KeyType,
): Promise<KeyOptions | undefined> {
  using steps = new StepProbe();
  const [options] = await Promise.all([promptForKeyOptions(nowMs, type), answer(steps)]);
  return options;
}
