import { expect, test, vi } from 'vitest';
import { getSetting, setChoiceState } from '../../../platform/settings.ts';
import { StudioGallery } from './studio-gallery.ts';

const input = vi.hoisted(() => ({ text: undefined as string | undefined }));

vi.mock('vscode', async () => ({
  ...(await import('../../../../test/support/vscode-stub.ts')),
  window: {
    showInputBox: async ({ validateInput }: { validateInput: (text: string) => unknown }) =>
      validateInput(input.text ?? '') === undefined ? input.text : undefined,
  },
  workspace: { getConfiguration: () => ({ inspect: () => ({}) }) },
}));

test.each([
  [50, 'the input "50"', '50'],
  [100_000, 'the input "100000"', '100000'],
  [500, 'the invalid input "49"', '49'],
  [500, 'the invalid input ""', ''],
  [500, 'the invalid input "many"', 'many'],
  [500, 'a canceled input', undefined],
])(
  'the size limit of the studio’s gallery is %d megabytes after %s',
  async (expected, _name, text) => {
    const values = new Map<string, unknown>();
    setChoiceState({
      get: (key: string) => values.get(key),
      update: async (key: string, value: unknown) => void values.set(key, value),
    } as never);
    const postedMessages: object[] = [];
    const name = 'inferenceService.image.gallerySize';
    const gallery = {
      list: async () => [],
      get capBytes() {
        return getSetting(name) * 1_000_000;
      },
    };
    const ports = {
      services: { gallery },
      post: (message: object) => postedMessages.push(message),
    };
    input.text = text;
    await new StudioGallery(ports as never).handlers['gallery-resize']({ type: 'gallery-resize' });
    expect(postedMessages).toMatchObject([
      { type: 'gallery-change', gallery: { capBytes: expected * 1_000_000 } },
    ]);
  },
);
