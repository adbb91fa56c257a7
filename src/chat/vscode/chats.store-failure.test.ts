import { expect, test, vi } from 'vitest';
import { NewerVersionError } from '../../platform/newer-file.ts';
import { ConversationExistsError } from '../../conversation/vscode/conversation-files.ts';
import { getStoreFailureMessage } from './chats.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string, ...values: string[]) => text.replace('{0}', values[0] ?? '') },
}));

test.each([
  [
    'a newer version wrote the file',
    new NewerVersionError(),
    /newer version.*Update the extension/u,
  ],
  [
    'another window saved the chat first',
    new ConversationExistsError(),
    /another window.*Start a new chat/u,
  ],
  [
    'the disk is full',
    Object.assign(new Error('full'), { code: 'ENOSPC' }),
    /ENOSPC.*Free some space/u,
  ],
  ['the cause is unknown', new Error('other'), /unknown.*Free some space/u],
])('getStoreFailureMessage suggests a solution if %s', (_, error, message) => {
  expect(getStoreFailureMessage(error)).toMatch(message);
});
