import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { protocolVersion } from '../../src/protocol/host-message.ts';
import { Control } from '../service/control.ts';
import { type ChatFixture, chatFixture } from './chat-fixture.ts';
import { suiteEnvironment } from './environment.ts';

const { service } = suiteEnvironment();
const control = new Control(service.controlUrl);
const model = 'assistant-large-480b';

suite('agent', () => {
  test('a file outside the workspace is not opened from a row, and the person is told', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    const calls = [
      { id: 't1', type: 'function', function: { name: 'read_file', arguments: '{}' } },
    ];
    await control.script({ steps: [{ content: 'Hi.' }] });
    const end = page.hears('turn-end');
    page.say({ type: 'message-send', conversationId: chat.id, text: 'Hello' });
    await end;
    const answer = chat.session.conversation.head;
    assert.ok(answer?.role === 'assistant');
    Object.assign(answer.result, { toolCalls: calls });
    const run = { callId: 't1', status: 'done', verb: 'Read', target: 'x', output: '' } as const;
    chat.session.conversation.apply({
      type: 'tool-run',
      id: answer.id,
      run: { ...run, uri: 'file:///etc/hostname', readOnly: true, startedAt: 0 },
    });
    const notice = page.hears('notice-show');
    page.say({ type: 'tool-open', messageId: answer.id, callId: 't1' });
    assert.match(JSON.stringify(await notice), /outside the workspace/);
  });
});

/** A chat whose page has its first state, with a model that calls tools. */
async function openChat(): Promise<ChatFixture> {
  await control.reset();
  await control.pace('instant');
  const fixture = chatFixture({ environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });
  fixture.page.say({ type: 'ready', version: protocolVersion });
  await fixture.host.models.refresh();
  await fixture.host.models.selectChatModel(model);
  return fixture;
}
