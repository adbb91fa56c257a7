import * as l10n from '@vscode/l10n';
import { afterEach, expect, test } from 'vitest';
import { createAskUserTool } from './ask-user-tool.ts';
import { PendingRequests } from '../permissions/approval.ts';
import type { ToolContext } from '../tool.ts';

afterEach(() => l10n.config({ contents: {} }));

test('the plan of an `ask_user` call contains the translated verb for its tool row', async () => {
  l10n.config({ contents: { Ask: 'Fragen', Asked: 'Gefragt' } });
  const context: ToolContext = {
    conversationId: 'c',
    turnId: 'u',
    messageId: 'a',
    callId: '1',
    signal: new AbortController().signal,
    supportsVision: false,
  };
  const plan = await createAskUserTool(new PendingRequests(() => 'p')).plan(
    { question: 'Why?' },
    context,
  );
  expect(plan).toMatchObject({ verb: 'Fragen', target: 'Why?' });
});
