/**
 * Decodes recorded conversations without code of the product, so that tests can compare the result
 * with the product's.
 */
import { isRecord } from '../../../src/base/json.ts';

export interface StoredMessage {
  readonly id: string;
  readonly parent: string;
  readonly role: string;
  text: string;
  reasoning: string;
  status: string;
  /** Stored id and name of the model that wrote the answer. */
  readonly model: unknown;
  /** Stored usage, cost, tool calls, citations and protection of the answer. */
  result: unknown;
  /** Tool runs by call id. `run` is the stored record. */
  readonly calls: Map<string, { status: string; output: string; run: unknown }>;
  readonly images: string[];
  readonly attachments: readonly string[];
}

export interface StoredConversation {
  title: string;
  readonly messages: Map<string, StoredMessage>;
}

export function readStoredConversation(text: string): StoredConversation {
  const conversation: StoredConversation = { title: '', messages: new Map() };
  for (const line of text.split('\n').filter(Boolean)) {
    const record: unknown = JSON.parse(line);
    if (isRecord(record)) readRecord(conversation, record);
  }
  for (const message of conversation.messages.values())
    if (message.status === 'streaming') message.status = 'interrupted';
  return conversation;
}

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields => (isRecord(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function readRecord(conversation: StoredConversation, record: Fields): void {
  const message = conversation.messages.get(text(record['id']));
  switch (record['type']) {
    case 'title-set':
      conversation.title = text(record['title']);
      return;
    case 'message-add':
      add(conversation, fields(record['message']));
      return;
    case 'answer-delta':
      if (message === undefined) return;
      message.text += text(record['text']);
      message.reasoning += text(record['reasoning']);
      return;
    case 'answer-end':
      if (message === undefined) return;
      message.status = text(record['status']);
      message.result = record['result'];
      return;
    case 'tool-run': {
      const run = fields(record['run']);
      const { callId, status, output } = run;
      message?.calls.set(text(callId), { status: text(status), output: text(output), run });
      return;
    }
    case 'image-add':
      message?.images.push(text(fields(record['image'])['id']));
  }
}

function add({ messages }: StoredConversation, message: Fields): void {
  const id = text(message['id']);
  messages.set(id, {
    id,
    parent: text(message['parentId']),
    role: text(message['role']),
    text: text(message['text']),
    reasoning: '',
    model: message['model'],
    result: fields(message['result']),
    status: message['role'] === 'user' ? 'complete' : text(message['status']),
    calls: new Map(),
    images: [],
    attachments: list(message['attachments']).map((item) => text(fields(item)['label'])),
  });
}
