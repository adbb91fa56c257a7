import { expect, test, vi } from 'vitest';
import { NewerVersionError } from '../../platform/newer-file.ts';
import { ConversationExistsError } from '../../conversation/vscode/conversation-files.ts';
import { getStoreFailureMessage } from './chats.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string, ...values: string[]) => text.replace('{0}', values[0] ?? '') },
}));

test.each([
  [new NewerVersionError(), /newer version.*Update the extension/u],
  [new ConversationExistsError(), /another window.*Start a new chat/u],
  [Object.assign(new Error('full'), { code: 'ENOSPC' }), /ENOSPC.*Free some space/u],
  [new Error('other'), /unknown.*Free some space/u],
])('getStoreFailureMessage suggests a solution for the error %o', (error, message) => {
  expect(getStoreFailureMessage(error)).toMatch(message);
});
