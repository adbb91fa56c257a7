import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Host } from '../../host.ts';
import {
  confirmNewRecording,
  insertTranscript,
  offerRecordingAfterFailure,
  offerRecordingAfterInterruption,
} from './untranscribed-recording.ts';
import type { VoiceContext } from './voice-context.ts';

const editor = vi.hoisted(() => ({
  /** Labels of the buttons that the simulated user presses, in order. */
  labelsToPress: [] as string[],
  messages: [] as string[],
  saveAs: undefined as { path: string } | undefined,
  isDiskFull: false,
  written: [] as string[],
}));

vi.mock('vscode', async () => {
  const show = async (message: string, ...labels: string[]): Promise<string | undefined> => {
    editor.messages.push(message);
    return labels.includes(editor.labelsToPress[0] ?? '')
      ? editor.labelsToPress.shift()
      : undefined;
  };
  return {
    ...(await import('../../../test/support/vscode-stub.ts')),
    Uri: { file: (path: string) => ({ path }) },
    workspace: {
      asRelativePath: ({ path }: { path: string }) => path,
      fs: {
        writeFile: async ({ path }: { path: string }, audio: Uint8Array) => {
          if (editor.isDiskFull) throw new Error('ENOSPC');
          editor.written.push(`${path}: ${audio.join(' ')}`);
        },
      },
    },
    window: {
      ...{ showErrorMessage: show, showWarningMessage: show, showInformationMessage: show },
      showSaveDialog: async () => editor.saveAs,
    },
  };
});

const profile = { id: 'default', baseUrl: 'https://service.test/api/v1', vendorPrefix: 'service' };
const recording = { audio: new Uint8Array([1, 2, 3]), kind: 'wav' } as const;
const busyFailure = { code: 'overloaded', message: 'The service is busy.' } as const;
const saveLabel = 'Save As…';

const rejectOpenChat: VoiceContext['openChat'] = () => Promise.reject(new Error('closed'));

function createContext(openChat = rejectOpenChat): VoiceContext {
  const account = { profile, reportOutcome: () => {} };
  return { host: { account } as unknown as Host, openChat };
}

/** Creates a context whose chat accepts every transcript. */
const createContextWithChat = (): VoiceContext => {
  const chat = { showNotice: () => {}, insertIntoComposer: () => {}, focusComposer: () => {} };
  return createContext(async () => chat as unknown as Awaited<ReturnType<typeof rejectOpenChat>>);
};

/** Returns the first sample of each recording that the user can still save, most recent first. */
async function saveRemainingRecordings(context: VoiceContext): Promise<readonly string[]> {
  editor.written = [];
  do editor.labelsToPress = [saveLabel];
  while (!(await confirmNewRecording(context)));
  return editor.written.map((line) => line.replace('/dictation.wav: ', ''));
}

const createRecording = (sample: number) =>
  ({ audio: new Uint8Array([sample]), kind: 'wav' }) as const;

beforeEach(() => {
  Object.assign(editor, { labelsToPress: [], messages: [], written: [], isDiskFull: false });
  editor.saveAs = { path: '/dictation.wav' };
});

const recordingOffers: readonly (readonly [string, (context: VoiceContext) => Promise<void>])[] = [
  [
    'a failed transcription',
    (context) => offerRecordingAfterFailure(context, recording, { profile, failure: busyFailure }),
  ],
  ['an interruption', (context) => offerRecordingAfterInterruption(context, recording)],
];

test.each(recordingOffers)(
  'a recording is saved after %s, and is then no longer retained in memory',
  async (_, offer) => {
    const context = createContext();
    editor.labelsToPress = [saveLabel];
    await offer(context);
    expect(editor.messages.at(-1)).toBe('Saved as /dictation.wav.');
    expect(editor.written).toEqual(['/dictation.wav: 1 2 3']);
    expect(await confirmNewRecording(context)).toBe(true);
  },
);

test.each([
  ['the disk is full', () => (editor.isDiskFull = true)],
  ['the user cancels the dialog', () => (editor.saveAs = undefined)],
])('a recording is retained if %s, and can be saved before the next dictation', async (_, fail) => {
  const context = createContext();
  fail();
  editor.labelsToPress = [saveLabel];
  await offerRecordingAfterFailure(context, recording, { profile, failure: busyFailure });
  expect(editor.labelsToPress).toEqual([]);
  Object.assign(editor, {
    isDiskFull: false,
    saveAs: { path: '/later.wav' },
    labelsToPress: [saveLabel],
  });
  expect(await confirmNewRecording(context)).toBe(false);
  expect(editor.messages).toContain('The last recording was not transcribed.');
  expect(editor.written).toEqual(['/later.wav: 1 2 3']);
});

test('a recording is retained in memory if the user closes the notification of a failure', async () => {
  const context = createContext();
  await offerRecordingAfterFailure(context, recording, { profile, failure: busyFailure });
  expect(await confirmNewRecording(context)).toBe(false);
  editor.labelsToPress = ['Record'];
  expect(await confirmNewRecording(context)).toBe(true);
});

test('insertTranscript forgets its own recording, and no recording that was stored in the meantime', async () => {
  const context = createContextWithChat();
  const [first, second] = [createRecording(1), createRecording(2)];
  await offerRecordingAfterFailure(context, first, { profile, failure: busyFailure });
  await offerRecordingAfterInterruption(context, second);
  await insertTranscript(context, first, 'text');
  expect(await saveRemainingRecordings(context)).toEqual(['2']);
});

test('all recordings are retained if several transcriptions fail', async () => {
  const context = createContext();
  for (const sample of [1, 2, 3]) {
    const failedCall = { profile, failure: busyFailure };
    await offerRecordingAfterFailure(context, createRecording(sample), failedCall);
  }
  expect(await saveRemainingRecordings(context)).toEqual(['3', '2', '1']);
});

test('at most five recordings are retained, so that a failing service does not fill the memory', async () => {
  const context = createContext();
  for (const sample of [1, 2, 3, 4, 5, 6, 7])
    await offerRecordingAfterInterruption(context, createRecording(sample));
  expect(await saveRemainingRecordings(context)).toEqual(['7', '6', '5', '4', '3']);
});

describe('a recording that the user does not transcribe before a new dictation', () => {
  const skipped = createRecording(1);
  const next = createRecording(2);
  let context: VoiceContext;

  beforeEach(async () => {
    context = createContextWithChat();
    await offerRecordingAfterInterruption(context, skipped);
    editor.labelsToPress = ['Record'];
    expect(await confirmNewRecording(context)).toBe(true);
  });

  test('is retained if the new recording is not transcribed either', async () => {
    await offerRecordingAfterInterruption(context, next);
    await insertTranscript(context, next, 'text');
    expect(await saveRemainingRecordings(context)).toEqual(['1']);
  });

  test('is retained if the new dictation is canceled', async () => {
    expect(await saveRemainingRecordings(context)).toEqual(['1']);
  });

  test('is retained if the transcript of another stored recording arrives', async () => {
    await offerRecordingAfterInterruption(context, next);
    editor.labelsToPress = ['Record'];
    expect(await confirmNewRecording(context)).toBe(true);
    await insertTranscript(context, skipped, 'text');
    expect(await saveRemainingRecordings(context)).toEqual(['2']);
  });

  test('is forgotten after the new recording is transcribed, so that no further dictation offers it', async () => {
    await insertTranscript(context, next, 'text');
    expect(await confirmNewRecording(context)).toBe(true);
  });
});
