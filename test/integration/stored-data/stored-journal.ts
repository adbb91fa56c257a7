/**
 * Decodes stored conversations without code of the extension. Tests compare the result with the conversations that the
 * extension shows.
 */
import { isRecord } from '../../../src/base/json.ts';

export interface StoredMessage {
  readonly id: string;
  readonly parentId: string;
  readonly role: string;
  text: string;
  reasoning: string;
  status: string;
  /** Model that wrote the answer, as stored: its id and name. */
  readonly model: unknown;
  /** Stored usage, cost, tool calls and citations of the answer, and protection of its request, such as encryption. */
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
    if (isRecord(record)) applyRecord(conversation, record);
  }
  for (const message of conversation.messages.values())
    if (message.status === 'streaming') message.status = 'interrupted';
  return conversation;
}

type Fields = Readonly<Record<string, unknown>>;

const toFields = (value: unknown): Fields => (isRecord(value) ? value : {});
const readText = (value: unknown): string => (typeof value === 'string' ? value : '');
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function applyRecord(conversation: StoredConversation, record: Fields): void {
  const message = conversation.messages.get(readText(record['id']));
  switch (record['type']) {
    case 'title-set':
      conversation.title = readText(record['title']);
      return;
    case 'message-add':
      addMessage(conversation, toFields(record['message']));
      return;
    case 'answer-delta':
      if (message === undefined) return;
      message.text += readText(record['text']);
      message.reasoning += readText(record['reasoning']);
      return;
    case 'answer-end':
      if (message === undefined) return;
      message.status = readText(record['status']);
      message.result = record['result'];
      return;
    case 'tool-run': {
      const run = toFields(record['run']);
      const { callId, status, output } = run;
      message?.calls.set(readText(callId), {
        status: readText(status),
        output: readText(output),
        run,
      });
      return;
    }
    case 'image-add':
      message?.images.push(readText(toFields(record['image'])['id']));
  }
}

function addMessage({ messages }: StoredConversation, message: Fields): void {
  const id = readText(message['id']);
  messages.set(id, {
    id,
    parentId: readText(message['parentId']),
    role: readText(message['role']),
    text: readText(message['text']),
    reasoning: '',
    model: message['model'],
    result: toFields(message['result']),
    status: message['role'] === 'user' ? 'complete' : readText(message['status']),
    calls: new Map(),
    images: [],
    attachments: toList(message['attachments']).map((item) => readText(toFields(item)['label'])),
  });
}
