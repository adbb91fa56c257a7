import { expect, test, vi } from 'vitest';
import { ImageChoice } from './image-choice.ts';

vi.mock('vscode', () => import('../../../test/support/vscode-stub.ts'));

test('ImageChoice has no models, and reads no connection, while no service address is set', () => {
  const choice = new ImageChoice({ get: () => undefined } as never, { models: [] } as never, () => {
    throw new Error('No address of the service is set.');
  });
  expect([choice.models, choice.editModels, choice.model]).toEqual([[], [], undefined]);
});
