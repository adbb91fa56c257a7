import { protocolVersion } from '../../../src/chat/protocol/constants.ts';
import type { StatsView } from '../../../src/agent/protocol.ts';
import type { HostMessage } from '../../../src/chat/protocol/host-message.ts';
import type { FailureView } from '../../../src/account/protocol.ts';
import type { ModelView } from '../../../src/models/protocol.ts';
import type {
  ApprovalView,
  ChangesView,
  QuestionView,
  ToolCallView,
} from '../../../src/agent/protocol.ts';
import type { ChatState, MessageView } from '../../../src/chat/protocol/view-state.ts';

export function createModelView(change: Partial<ModelView> = {}): ModelView {
  return {
    id: 'breeze-3-70b',
    name: 'Breeze 3 70B',
    description: 'A balanced general model.',
    contextTokens: 131_072,
    price: { unit: 'usd', input: 0.7, output: 2.8 },
    privacy: 'private',
    traits: ['default'],
    capabilities: ['code', 'tools', 'web'],
    warning: '',
    maxImagesPerMessage: 10,
    offline: false,
    ...change,
  };
}

export function createMessageView(change: Partial<MessageView> = {}): MessageView {
  return {
    id: 'a1',
    role: 'assistant',
    text: '',
    reasoning: '',
    reasoningMs: null,
    status: 'complete',
    failure: null,
    attachments: [],
    toolCalls: [],
    generatedImages: null,
    branch: { index: 0, count: 1 },
    model: 'Breeze 3 70B',
    stats: null,
    hiddenCharacters: 0,
    summary: null,
    citations: [],
    ...change,
  };
}

export const createToolCallView = (change: Partial<ToolCallView> = {}): ToolCallView => ({
  id: 't1',
  name: 'read_file',
  status: 'done',
  verb: 'Read',
  target: 'src/parser.ts',
  openable: true,
  readOnly: true,
  startedAt: 1_700_000_000_000,
  durationMs: 12,
  ...change,
});

export const createApprovalView = (change: Partial<ApprovalView> = {}): ApprovalView => ({
  kind: 'approval',
  id: 'p1',
  messageId: 'a1',
  callId: 't1',
  verb: 'Run',
  target: 'npm test -- parser',
  preview: { language: 'shellscript', text: 'npm test -- parser', cwd: 'packages/app', files: [] },
  reasons: ['Commands are asked about.'],
  remember: [],
  rememberWhat: '',
  ...change,
});

export const createQuestionView = (change: Partial<QuestionView> = {}): QuestionView => ({
  kind: 'question',
  id: 'q1',
  messageId: 'a1',
  callId: 't1',
  text: 'Which parser do you mean?',
  choices: ['The JSON parser', 'The command parser'],
  freeText: true,
  ...change,
});

export const createChangesView = (change: Partial<ChangesView> = {}): ChangesView => ({
  turnId: 'u1',
  files: [
    { label: 'src/parser.ts', change: 'edited', added: 9, removed: 4, review: 'pending' },
    { label: 'src/lexer.ts', change: 'created', added: 3, removed: 0, review: 'accepted' },
  ],
  undone: false,
  ...change,
});

export const createRequestView = (
  id: string,
  text: string,
  change: Partial<MessageView> = {},
): MessageView => createMessageView({ id, role: 'user', text, model: null, ...change });

export function createChatState(change: Partial<ChatState> = {}): ChatState {
  return {
    conversation: { id: 'c1', title: 'New Chat' },
    messages: [],
    streaming: null,
    attachments: [],
    queued: [],
    todos: [],
    activeFile: null,
    draft: '',
    model: createModelView(),
    account: { status: 'signed-in', profile: 'Default', address: '', message: null, actions: [] },
    suggestions: [
      'Explain what src/parser.ts does',
      'Find the cause of the 3 problems in src/lexer.ts',
      'Write tests for the selected function',
    ],
    generatedImagesUrl: 'https://images.test',
    media: 'https://media.test',
    wrapCode: false,
    mode: 'agent',
    permissionLevel: 'applyEdits',
    options: { webSearch: 'off', searchDisabledReason: '', suffix: '', changed: false },
    voice: { reads: true, listens: true, persona: null },
    toolsOff: null,
    editsNotice: false,
    suggestionsOffer: false,
    pending: [],
    changes: [],
    instructions: [],
    context: null,
    turnUse: null,
    baseTokens: 0,
    ...change,
  };
}

export const createStateSetMessage = (change: Partial<ChatState> = {}): HostMessage => ({
  type: 'state-set',
  version: protocolVersion,
  state: createChatState(change),
});

export const answerStats: StatsView = {
  promptTokens: 1_234,
  cachedTokens: null,
  completionTokens: 380,
  costUsd: 0.0021,
  costDiem: null,
  costEstimated: false,
  timeToFirstTokenMs: 412,
  durationMs: 2_130,
  tokensPerSecond: 221,
};

export const failureView: FailureView = {
  code: 'out-of-funds',
  title: 'The account has no credits left.',
  detail: 'Add credits, or choose a model that your plan includes.',
  retryAt: null,
  actions: [
    { action: 'add-credits', label: 'Add credits' },
    { action: 'choose-model', label: 'Choose a model' },
  ],
};

export const answerText = `The parser reads the whole file **once**. Three things matter:

1. \`readToken\` skips white space before it looks at the character.
2. A string ends at the first quote that is not escaped.
3. Everything else goes through the table below.

| Token | First character | Ends with |
| --- | --- | --- |
| number | \`0\`–\`9\` | anything else |
| string | \`"\` | \`"\` |
| name | a letter | a space |

\`\`\`ts
export function readToken(source: string, at: number): Token {
  const start = skipSpace(source, at);
  const kind = kinds.get(source.charCodeAt(start)) ?? 'name';
  return { kind, start, end: endOf(kind, source, start) };
}
\`\`\`

Change \`endOf\` if you need block comments. See [the grammar](https://example.com/grammar).
`;

export const codeText = `
\`\`\`python
@cache
def area(radius: float) -> float:  # of a circle
    return 3.14 * radius ** 2 if radius else None
\`\`\`

\`\`\`html
<p class="note">One &amp; two</p>
<script>const two = new Map([[1, true]]);</script>
\`\`\`

\`\`\`diff
@@ -1,2 +1,2 @@
-const a = 1;
+const a = 2;
\`\`\`

\`\`\`json
{ "name": "parser", "size": 12, "open": false }
\`\`\`

\`\`\`c++
#include <vector>
int main() { return std::size("x"); }
\`\`\`

\`\`\`css
.note:hover > #top { color: #fff; }
\`\`\`
`;

export const answeredMessages: MessageView[] = [
  createRequestView('u1', 'How does the parser find the end of a string?', {
    attachments: [
      {
        id: 'f1',
        kind: 'selection',
        label: 'src/parser.ts:10-42',
        tokens: 1_210,
        preview: 'export function parse(source: string) {',
        bytes: null,
        thumbnail: null,
      },
    ],
  }),
  createMessageView({
    id: 'a1',
    text: answerText,
    reasoning: 'The person asks about strings.\nLet me look at `readToken` first.',
    reasoningMs: 6_200,
    stats: answerStats,
    branch: { index: 1, count: 3 },
  }),
];

export const createModelViews = (count: number): ModelView[] =>
  Array.from({ length: count }, (_, index) =>
    createModelView({
      id: `model-${index}`,
      name: `${['Breeze', 'Harbour', 'Meadow', 'Summit'][index % 4]} ${index} ${['Instruct', 'Coder', 'Large', 'R1'][index % 4]}`,
      contextTokens: 8_192 * 2 ** (index % 6),
      price:
        index % 7 === 6
          ? null
          : { unit: 'usd', input: 0.05 * (index + 1), output: 0.2 * (index + 1) },
      privacy: index % 3 === 0 ? 'anonymized' : 'private',
      traits: index === 0 ? ['default'] : index === 1 ? ['default code'] : [],
      capabilities: [
        ...(index % 4 === 1 ? ['code'] : []),
        ...(index % 4 === 3 ? ['reasoning'] : []),
        ...(index % 5 === 0 ? ['vision'] : []),
        'tools',
      ],
      warning: index === 2 ? 'Removed on 2026-12-01. Use Harbour 5 Coder instead.' : '',
      offline: index === 4,
    }),
  );
