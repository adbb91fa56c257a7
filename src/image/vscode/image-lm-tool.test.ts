import { expect, test, vi } from 'vitest';
import { pixelImageModel } from '../image.fixture.ts';
import { ImageLanguageModelTool } from './image-lm-tool.ts';

const editor = vi.hoisted(() => ({ isTrusted: true }));
vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
  },
}));

function createTool(outcome: object = { records: [] }): ImageLanguageModelTool {
  return new ImageLanguageModelTool({
    loadModels: () => Promise.resolve(),
    generateSeed: () => 1,
    choice: { model: pixelImageModel, models: [pixelImageModel], options: {} },
    run: () => Promise.resolve(outcome),
  } as never);
}

const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };

test.each([
  [{ prompt: ' ' }, 'The prompt is empty.'],
  [{ prompt: 'a fox', model: 'x' }, /^There is no image model called "x"/u],
])('planCall rejects the input %o with an error message for the model', async (input, message) => {
  await expect(createTool().planCall(input)).rejects.toMatchObject({
    name: 'ToolError',
    code: 'bad-arguments',
    message: expect.stringMatching(message),
  });
});

test('planCall rejects a call in an untrusted workspace with a message that names the missing trust', async () => {
  editor.isTrusted = false;
  const planPromise = createTool().planCall({ prompt: 'a fox' });
  await expect(planPromise).rejects.toMatchObject({
    name: 'ToolError',
    message: expect.stringContaining('does not trust this workspace'),
  });
  editor.isTrusted = true;
});

test.each([
  [
    'the error message of the service',
    { records: [], failure: { message: 'The service is full.' } },
    /The service is full\.$/u,
  ],
  [
    'an error message about an image that violates the content rules',
    { records: [{ moderation: { contentViolation: true } }] },
    /violates the content rules/u,
  ],
])('a planned image call fails with %s', async (_name, outcome, message) => {
  const call = await createTool(outcome).planCall({ prompt: 'a fox' });
  await expect(call.run(token as never)).rejects.toMatchObject({
    name: 'ToolError',
    message: expect.stringMatching(message),
  });
});
