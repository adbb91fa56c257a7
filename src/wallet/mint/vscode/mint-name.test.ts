import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { getActionLabel } from '../../../account/vscode/failure-actions.ts';

const rootUrl = new URL('../../../../', import.meta.url);
const readText = (path: string): string => readFileSync(new URL(path, rootUrl), 'utf8');
const featureName = 'Get API Key with Wallet';

/**
 * Title of the command that gets a key. The ellipsis indicates that the command requests input first; button labels
 * have no ellipsis.
 */
const commandTitle = `${featureName}…`;

test('the Command Palette, buttons, walkthrough and README use the same name for the command that gets a key', () => {
  expect(JSON.parse(readText('package.nls.json'))).toMatchObject({
    'command.mintKey': commandTitle,
    'walkthrough.key.description': expect.stringContaining(`**${commandTitle}**`),
  });
  expect(getActionLabel('mint-key')).toBe(featureName);
  for (const path of ['README.md', 'media/walkthrough/key.md'])
    expect(readText(path)).toContain(featureName);
});

// Each of these offers to get a key with a wallet.
test.each([
  'src/language-model/chat-provider.ts',
  'src/language-model/participant/participant.ts',
  'src/wallet/mint/vscode/key-options-input.ts',
  'src/wallet/mint/vscode/mint-command.ts',
  'src/wallet/staking/vscode/flow-result.ts',
  'src/wallet/vscode/wallet-view.ts',
])('the file %s uses the Command Palette name of the command that gets a key', (path) => {
  const text = readText(path);
  expect(text).toContain(`l10n.t('${featureName}`);
  expect(text).not.toMatch(/l10n\.t\(\s*'(?:Create|Get) (?:an )?API key/u);
});
