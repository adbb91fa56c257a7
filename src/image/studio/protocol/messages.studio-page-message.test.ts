import { fc } from '../../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import {
  createDraft,
  createEditDraft,
} from '../../../../test/support/webview-page/studio-states.ts';
import { maxThumbnailBytes, readStudioPageMessage, type StudioPageMessage } from './messages.ts';

/** One valid message of each type. */
const messageSamples: {
  readonly [Type in StudioPageMessage['type']]: Omit<
    Extract<StudioPageMessage, { type: Type }>,
    'type'
  >;
} = {
  ready: { version: 1 },
  'create-change': { seq: 1, draft: createDraft({ prompt: 'A boat' }) },
  'edit-change': { seq: 2, draft: createEditDraft() },
  'create-run': { draft: createDraft({ prompt: 'A boat', variants: 4 }) },
  'edit-run': { draft: createEditDraft({ prompt: 'Make it night' }) },
  'job-cancel': { id: 'j1' },
  'job-dismiss': { id: 'j1' },
  'action-run': { source: 'job', jobId: 'j1', action: 'add-credits' },
  'image-select': { id: null },
  'image-act': { id: 'i1', action: 'upscale-2' },
  'images-delete': { ids: ['i1', 'i2'] },
  'gallery-clear': {},
  'gallery-resize': {},
  'input-pick': {},
  'input-remove': { id: 'i1' },
  'inputs-set': { ids: ['i2', 'i1'] },
  'inputs-clear': {},
  'unsent-restore': {},
  'models-request': {},
  'styles-request': {},
  'gallery-request': {},
  'thumbnail-made': { id: 'i1', bytes: new Uint8Array([1, 2, 3]) },
};
const sampleMessages = Object.entries(messageSamples).map(([type, fields]) => ({
  type,
  ...fields,
}));
const anyMessage = fc.constantFrom(...sampleMessages);

test('readStudioPageMessage reads a studio page message of each type unchanged', () => {
  for (const message of sampleMessages) expect(readStudioPageMessage(message)).toEqual(message);
});

describe('studio page messages', () => {
  test.each([
    ['an undefined value', undefined],
    ['an unknown type', { type: 'runCommand', command: 'workbench.action.terminal.new' }],
    ['the name of an inherited member', { type: 'constructor' }],
    ['an additional field', { type: 'gallery-clear', confirmed: true }],
    ['a path as an image id', { type: 'image-act', id: '../../etc/passwd', action: 'open' }],
    ['a command as an action', { type: 'image-act', id: 'i1', action: 'workbench.x' }],
    [
      'an action name that contains a dot',
      { type: 'action-run', source: 'job', jobId: null, action: 'a.b' },
    ],
    ['a sequence number of zero', { type: 'edit-change', seq: 0, draft: createEditDraft() }],
    ['no image to delete', { type: 'images-delete', ids: [] }],
    ['a fractional seed', { type: 'create-run', draft: createDraft({ seed: 0.5 }) }],
    ['a negative width', { type: 'create-run', draft: createDraft({ width: -1 }) }],
    [
      'an overlong prompt',
      { type: 'create-run', draft: createDraft({ prompt: 'x'.repeat(100_001) }) },
    ],
    ['a string as a thumbnail', { type: 'thumbnail-made', id: 'i1', bytes: 'AAAA' }],
    ['an array as a thumbnail', { type: 'thumbnail-made', id: 'i1', bytes: [1, 2, 3] }],
    ['an empty thumbnail', { type: 'thumbnail-made', id: 'i1', bytes: new Uint8Array() }],
    [
      'a large thumbnail',
      { type: 'thumbnail-made', id: 'i1', bytes: new Uint8Array(maxThumbnailBytes + 1) },
    ],
  ])('are rejected with %s', (_description, value) => {
    expect(readStudioPageMessage(value)).toBeUndefined();
  });

  test('require a message type', () => {
    const anyValue = fc.anything({ withNullPrototype: true, withObjectString: true });
    fc.assert(fc.property(anyValue, (value) => readStudioPageMessage(value) === undefined));
  });

  test('are rejected if any field is missing', () => {
    for (const message of sampleMessages) {
      for (const name of Object.keys(message)) {
        const otherEntries = Object.entries(message).filter(([option]) => option !== name);
        expect(readStudioPageMessage(Object.fromEntries(otherEntries)), name).toBeUndefined();
      }
    }
  });
});

test('readStudioPageMessage either rejects a studio page message with a random field value or returns the message unchanged', () => {
  const arbitraryValue = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true });
  fc.assert(
    fc.property(anyMessage, fc.nat(), arbitraryValue, (message, index, value) => {
      const names = Object.keys(message);
      const changedMessage = { ...message, [names[index % names.length] ?? '']: value };
      const parsedMessage = readStudioPageMessage(changedMessage);
      if (parsedMessage !== undefined) expect(parsedMessage).toStrictEqual(changedMessage);
    }),
  );
});
