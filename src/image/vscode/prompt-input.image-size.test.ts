import { expect, test, vi } from 'vitest';
import { pixelImageModel } from '../image.fixture.ts';
import { pickImageSize } from './prompt-input.ts';

interface SizeItem {
  readonly label: string;
  readonly description?: string;
}

const shownPick = vi.hoisted(() => ({ items: [] as readonly SizeItem[] }));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  window: {
    showQuickPick: async (items: readonly SizeItem[]) => {
      shownPick.items = items;
    },
  },
}));

test('the size picker describes each size by its shape and aspect ratio', async () => {
  await pickImageSize({ model: pixelImageModel, options: {} } as never);
  expect(shownPick.items.map(({ label, description }) => [label, description])).toEqual([
    ['1024 × 1024', 'Square · 1:1'],
    ['1248 × 832', 'Landscape · 3:2'],
    ['832 × 1248', 'Portrait · 2:3'],
    ['1280 × 720', 'Landscape · 16:9'],
    ['720 × 1280', 'Portrait · 9:16'],
    ['1280 × 544', 'Landscape · 40:17'],
    ['512 × 512', 'Small square · 1:1'],
  ]);
});
